package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"whelk/internal/config"
	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/proc"
	"whelk/internal/server"
	"whelk/internal/tools/native"
)

// instructions are what a client tells its model about the server as a whole.
// Clients cut them at 2,048 characters.
const instructions = "Runs shell commands on the user's machine. execute answers with the whole result of a fast command; " +
	"a slow one goes on in the background and returns an execution_id. Then wait (blocks until the end) or read (does not block) " +
	"shows its new output, write feeds its stdin, stop ends it, ps lists all. Nothing is lost: output that an answer leaves out " +
	"is returned by the next read. Do not start a slow command a second time."

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP on standard input and output (the default verb)",
		Args:  noArguments,
		RunE:  serveVerb,
	}
	config.AddFlags(cmd.Flags())
	return cmd
}

func serveVerb(cmd *cobra.Command, _ []string) error {
	// First of all, while every open descriptor is still an inherited one.
	hangup := !signal.Ignored(syscall.SIGHUP)
	if err := proc.ResetInherited(); err != nil {
		return err
	}
	c, values, err := config.Load(cmd.Flags(), os.Environ())
	if err != nil {
		return err
	}
	rules, warnings, err := policyOf(c, values)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel}))
	for _, warning := range c.Warnings {
		log.Warn(warning)
	}
	for _, warning := range warnings {
		log.Warn(string(warning))
	}
	in, out := protocolStreams()
	// With a configuration file SIGHUP reads it again, as daemons do.
	reloads := c.File != ""
	ctx, stop := endBySignal(cmd.Context(), hangup && !reloads)
	defer stop()
	if c.ExitWithParent {
		if ctx, err = endWithParent(ctx); err != nil {
			return err
		}
	}
	house, err := build(c, rules, log)
	if err != nil {
		return err
	}
	if reloads {
		var reloading sync.WaitGroup
		defer reloading.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		reloading.Go(func() { reloadPolicy(ctx, cmd, log, house.sup) })
	}
	return house.serve(ctx, in, out)
}

// guard is the life of the guardian process.
func guard() int {
	if err := proc.Guard(os.Stdin); err != nil {
		return 1 // its standard error goes nowhere
	}
	return 0
}

// house is the server's parts, wired together.
type house struct {
	sup *execution.Supervisor
	log *slog.Logger
	set native.Options
}

// build wires the house together.
func build(c *config.Config, rules *policy.Policy, log *slog.Logger) (*house, error) {
	form, err := native.ParseForm(c.Result)
	if err != nil {
		return nil, err
	}
	containment, err := proc.ParseContainment(c.Containment)
	if err != nil {
		return nil, err
	}
	launcher, err := proc.NewLocal(proc.Options{
		Containment: containment,
		Guardian:    &proc.GuardianOptions{Argv: []string{"whelk", guardianVerb}, Grace: c.Grace, KeepDetached: c.OnExit == config.OnExitKeep},
	})
	if err != nil {
		return nil, err
	}
	sup := execution.New(execution.Options{
		Launcher: launcher, Logger: log, Policy: rules,
		Dir: c.Cwd, Shell: c.Shell, Environ: os.Environ(), EnvSet: c.EnvSet, NonInteractive: true,
		Timeout: c.Timeout, IdleTimeout: c.IdleTimeout, Grace: c.Grace,
		MaxLive: c.MaxExecutions, Retention: c.Retention, MaxRetained: c.MaxRetained, Buffer: int(c.Buffer),
		KeepDetached: c.OnExit == config.OnExitKeep, HandOver: launcher.HandOver, SignalStrays: launcher.SignalStrays,
	})
	return &house{sup: sup, log: log, set: native.Options{Form: form, Yield: c.Yield, MaxWait: c.MaxWait, MaxOutput: int(c.MaxOutput)}}, nil
}

// serve serves one client.
func (h *house) serve(ctx context.Context, in, out *os.File) error {
	tools := func(s *mcp.Server) { native.Register(s, h.sup, h.set) }
	return server.ServeStdio(ctx, server.Options{
		Name: "whelk", Version: version(), Instructions: instructions, Logger: h.log,
		Tools: []func(*mcp.Server){tools}, In: in, Out: out,
		Shutdown: h.sup.Close,
	})
}

// endWithParent returns a context that also ends when the parent has died.
func endWithParent(ctx context.Context) (context.Context, error) {
	died, err := proc.ParentDeath()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		<-died
		cancel()
	}()
	return ctx, nil
}

// protocolStreams takes standard input and output for the protocol alone:
// whatever prints to os.Stdout from now on goes to standard error.
func protocolStreams() (in, out *os.File) {
	in, out = os.Stdin, os.Stdout
	if isTerminal(in) {
		fmt.Fprintln(os.Stderr, "whelk serves MCP on standard input and output: an MCP client starts it, see README.md.\n"+
			"To try it from a terminal: whelk call execute command='uname -a'. Ctrl-C ends this.")
	}
	os.Stdout = os.Stderr
	return in, out
}

// endBySignal returns a context that ends with the first signal that asks the
// server to end. A SIGHUP that was ignored at the start (nohup) stays without
// effect. SIGPIPE is caught and dropped, because Go would die of it in a write
// to a client that has gone, with all commands left running; to catch it,
// unlike to ignore it, changes nothing for commands.
func endBySignal(parent context.Context, hangup bool) (context.Context, func()) {
	ending := []os.Signal{syscall.SIGTERM, syscall.SIGINT}
	dropped := []os.Signal{syscall.SIGPIPE}
	if hangup {
		ending = append(ending, syscall.SIGHUP)
	} else {
		dropped = append(dropped, syscall.SIGHUP)
	}
	sink := make(chan os.Signal, 1) // full means dropped
	signal.Notify(sink, dropped...)
	ctx, stop := signal.NotifyContext(parent, ending...)
	return ctx, func() {
		stop()
		signal.Stop(sink)
	}
}
