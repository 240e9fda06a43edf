package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// reloadPolicies takes the rules of the configuration anew at each SIGHUP until
// ctx ends. Faulty ones change nothing: the old rules hold. Options other than
// those of the policy keep their values until the server is started again.
func (h *house) reloadPolicies(ctx context.Context, load func() (*settings, error)) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		}
		in, err := load()
		if err != nil {
			h.log.Error("the configuration is faulty: the old rules hold", "error", err)
			continue
		}
		sets, err := toolSets(in)
		if err != nil {
			h.log.Error("the policy is faulty: the old rules hold", "error", err)
			continue
		}
		if len(sets) != len(h.sups) {
			h.log.Error("other tool sets are asked for: start the server again; the old rules hold")
			continue
		}
		for i, set := range sets {
			for _, warning := range set.warnings {
				h.log.Warn(warning)
			}
			h.sups[i].SetPolicy(set.options.Policy)
		}
		h.log.Info("the rules are taken anew", "file", in.config.File)
	}
}
