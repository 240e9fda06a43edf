package main

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/config"
	"whelk/internal/execution"
	"whelk/internal/proc"
	"whelk/internal/server"
)

// house is the server's parts, wired together.
type house struct {
	log  *slog.Logger
	sets []*toolSet
	sups []*execution.Supervisor // of the sets, in their order
}

// build wires the house together: one launcher, and a supervisor for each set.
func build(c *config.Config, sets []*toolSet, log *slog.Logger) (*house, error) {
	containment, err := proc.ParseContainment(c.Containment)
	if err != nil {
		return nil, err
	}
	keep := c.OnExit == config.OnExitKeep
	grace := c.Grace
	for _, set := range sets {
		grace = max(grace, set.options.Grace)
	}
	launcher, err := proc.NewLocal(proc.Options{
		Containment: containment,
		Guardian:    &proc.GuardianOptions{Argv: []string{"whelk", guardianVerb}, Grace: grace, KeepDetached: keep},
	})
	if err != nil {
		return nil, err
	}
	h := &house{log: log, sets: sets}
	quotas := new(execution.Quotas)
	for i, set := range sets {
		if set.open != nil {
			if err := set.open(); err != nil {
				return nil, &usageError{err}
			}
		}
		o := set.options
		o.Launcher, o.Logger, o.KeepDetached = launcher, log, keep
		o.HandOver, o.MaxStarting = launcher.HandOver, max(1, maxStarting/len(sets))
		o.Quotas = quotas
		if i == 0 { // strays are nobody's, so one supervisor ends them
			o.SignalStrays = launcher.SignalStrays
		}
		h.sups = append(h.sups, execution.New(o))
	}
	return h, nil
}

// maxStarting is how many requests all supervisors together resolve and launch
// at once, see execution.Options.
const maxStarting = 6

// serve serves one client over standard input and output.
func (h *house) serve(ctx context.Context, in, out *os.File) error {
	o := h.options()
	o.In, o.Out = in, out
	return server.ServeStdio(ctx, o)
}

// options are those that both transports have.
func (h *house) options() server.Options {
	var register []func(*mcp.Server)
	progress := make(map[string]time.Duration)
	// Each set lists its tools in front of those that are there already.
	for i, set := range slices.Backward(h.sets) {
		maps.Copy(progress, set.progress)
		register = append(register, func(s *mcp.Server) { set.register(s, h.sups[i]) })
	}
	return server.Options{
		Name: serverName(h.sets), Version: version(), Instructions: instructionsOf(h.sets), Logger: h.log,
		Tools: register, ProgressIntervals: progress, Shutdown: h.close,
	}
}

// close ends all executions of all sets together.
func (h *house) close() {
	var closing sync.WaitGroup
	for _, sup := range h.sups {
		closing.Go(sup.Close)
	}
	closing.Wait()
}
