package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"whelk/internal/config"
	"whelk/internal/proc"
)

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP on standard input and output (the default verb)",
		Long: "serve is what an MCP client starts. With --tools it serves the tools of other servers, with their variables and\n" +
			"defaults; what stands behind -- is the command line of such a set, if it has one:\n" +
			"whelk serve --tools tabshell -- --timeout 60",
		Args: argumentsBehindDashes,
		RunE: serveVerb,
	}
	config.AddFlags(cmd.Flags())
	return cmd
}

func serveVerb(cmd *cobra.Command, args []string) error {
	return serve(cmd.Context(), func() (*settings, error) {
		c, values, err := config.Load(cmd.Flags(), os.Environ())
		if err != nil {
			return nil, err
		}
		return &settings{config: c, values: values, environ: os.Environ(), args: args}, nil
	})
}

// serve serves what load says. A SIGHUP loads it again, for the rules in it.
func serve(ctx context.Context, load func() (*settings, error)) error {
	// First of all, while every open descriptor is still an inherited one.
	hangup := !signal.Ignored(syscall.SIGHUP)
	if err := proc.ResetInherited(); err != nil {
		return err
	}
	in, err := load()
	if err != nil {
		return err
	}
	sets, err := toolSets(in)
	if err != nil {
		return err
	}
	c := in.config
	for _, set := range sets {
		if set.listen != "" {
			in.overHTTP(set.listen)
		}
	}
	log := slog.New(slog.NewTextHandler(redactedWriter{os.Stderr, sets}, &slog.HandlerOptions{Level: c.LogLevel}))
	warn(log, c, sets)
	input, output := protocolStreams(c.Transport)
	// With a configuration file SIGHUP reads it again, as daemons do.
	reloads := c.File != ""
	ctx, stop := endBySignal(ctx, hangup && !reloads)
	defer stop()
	if c.ExitWithParent {
		if ctx, err = endWithParent(ctx); err != nil {
			return err
		}
	}
	house, err := build(c, sets, log)
	if err != nil {
		return err
	}
	if reloads {
		var reloading sync.WaitGroup
		defer reloading.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		reloading.Go(func() { house.reloadPolicies(ctx, load) })
	}
	if c.Transport == config.TransportHTTP {
		return house.serveHTTP(ctx, c)
	}
	return house.serve(ctx, input, output)
}

// overHTTP serves at an address that another server's settings name. To stand in
// for it no token is asked for, unless the operator has chosen how callers are
// known; [server.Listen] holds that to the loopback.
func (in *settings) overHTTP(listen string) {
	in.config.Transport, in.config.Listen = config.TransportHTTP, listen
	if !given(in.values, "auth") {
		in.config.Auth = config.AuthNone
	}
}

func warn(log *slog.Logger, c *config.Config, sets []*toolSet) {
	for _, warning := range c.Warnings {
		log.Warn(warning)
	}
	for _, set := range sets {
		for _, warning := range set.warnings {
			log.Warn(warning)
		}
	}
}

// guard is the life of the guardian process.
func guard() int {
	if err := proc.Guard(os.Stdin); err != nil {
		return 1 // its standard error goes nowhere
	}
	return 0
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
func protocolStreams(transport string) (in, out *os.File) {
	in, out = os.Stdin, os.Stdout
	if transport == config.TransportStdio && isTerminal(in) {
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
