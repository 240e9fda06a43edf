package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"whelk/internal/config"
	"whelk/internal/config/seeds"
	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/tools/tabshell"
)

// tabShell is the face of tab-shell-mcp.
func tabShell() face {
	return face{set: config.ToolsTabShell, link: "tab-shell-mcp", make: tabShellSet, flags: true}
}

// tabShellSet is the tool set of tab-shell-mcp, by its command line and its file.
func tabShellSet(in *settings) (*toolSet, error) {
	s, err := seeds.ReadTabShell(in.args, in.environ)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		_, err := fmt.Fprint(os.Stdout, seeds.TabShellHelp())
		return nil, errors.Join(errAnswered, err)
	case err != nil:
		return nil, faceFault("tab-shell-mcp", err)
	}
	listen := ""
	if s.Transport == seeds.TabShellHTTP {
		listen = net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	}
	rules, warnings, err := in.guarded(policy.TabShell(s.Blacklist, s.Whitelist))
	if err != nil {
		return nil, err
	}
	secrets, err := secretsOf(in.config, in.environ)
	if err != nil {
		return nil, err
	}
	options := tabshell.Options{
		Timeout: s.Timeout, MaxOutput: s.MaxOutput, Head: s.Truncate == "head", TimeToLive: s.TimeToLive,
	}
	kept := tabshell.BytesKept(s.MaxOutput)
	return &toolSet{
		server: "shell-mcp", listen: listen, warnings: slices.Concat(s.Warnings, warnings),
		options: execution.Options{
			Policy: rules, Secrets: secrets, Dir: in.config.Cwd, Shell: s.Shell, Environ: in.environ, EnvSet: slices.Concat(s.Env, in.config.EnvSet),
			IdleTimeout: in.config.IdleTimeout, MaxLive: tabShellMaxLive(in), EndWithOutput: true,
			Retention: seeds.Forever, MaxRetained: math.MaxInt, // the set itself lets go of what is over
			Buffer: kept, Head: kept,
		},
		register: func(server *mcp.Server, sup *execution.Supervisor) { tabshell.Register(server, sup, options) },
		progress: map[string]time.Duration{tabshell.Execute: keepalive(s.Keepalive)},
	}, nil
}

// tabShellMaxLive is the operator's limit of executions, or one that only keeps the
// machine alive: tab-shell-mcp has none.
func tabShellMaxLive(in *settings) int {
	const most = 1000
	if given(in.values, "max-executions") {
		return in.config.MaxExecutions
	}
	return most
}

// keepalive is an interval as the server has it: a zero one means none there.
func keepalive(d time.Duration) time.Duration {
	if d <= 0 {
		return -1
	}
	return d
}
