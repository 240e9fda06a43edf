package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"whelk/internal/config"
	"whelk/internal/execution"
)

// reloadPolicy takes the rules of the configuration anew at each SIGHUP until
// ctx ends. Faulty ones change nothing: the old rules hold. Options other than
// those of the policy keep their values until the server is started again.
func reloadPolicy(ctx context.Context, cmd *cobra.Command, log *slog.Logger, sup *execution.Supervisor) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		}
		c, values, err := config.Load(cmd.Flags(), os.Environ())
		if err != nil {
			log.Error("the configuration is faulty: the old rules hold", "error", err)
			continue
		}
		p, warnings, err := policyOf(c, values)
		if err != nil {
			log.Error("the policy is faulty: the old rules hold", "error", err)
			continue
		}
		for _, w := range warnings {
			log.Warn(string(w))
		}
		sup.SetPolicy(p)
		log.Info("the rules are taken anew", "file", c.File)
	}
}
