package main

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/audit"
	"whelk/internal/config/seeds"
	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/tools/mcpshell"
)

const (
	// mcpShellGrace is what a command has between the signals of a limit: time to
	// remove a lock, while its caller waits.
	mcpShellGrace = 500 * time.Millisecond

	// mcpShellBuffer is what is kept besides the beginning of the output, which is
	// all that this set reads.
	mcpShellBuffer = 4 << 10
)

const mcpShellHelp = `mcp-shell-server: whelk in the place of mcp-shell-server, an MCP server on standard
input and output with one tool, shell_execute. It has no flags; it reads variables:

  ALLOW_COMMANDS, ALLOWED_COMMANDS    names that may be run, with commas between them;
                                      both are one list, and without any nothing may run
  ALLOW_PATTERNS                      regular expressions for the whole of such names
  MCP_SHELL_DEFAULT_TIMEOUT_SECONDS   time limit of a call that names none (30)
  MCP_SHELL_MAX_TIMEOUT_SECONDS       longest time limit of any call (300)
  MCP_SHELL_OUTPUT_LIMIT_BYTES        most output on each of stdout and stderr (1048576)
  MCP_SHELL_SAFE_PATH                 PATH of commands (/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin)
  MCP_SHELL_CHILD_ENV_ALLOWLIST       names of variables that commands get besides PATH, and that
                                      a call may set, with commas between them

A record of each call goes to standard error, or where WHELK_AUDIT says. whelk's own
variables and its file count, too: see whelk --help.
`

// mcpShellSet is the tool set that stands in for mcp-shell-server.
func mcpShellSet(in *settings) (*toolSet, error) {
	own, err := seeds.ReadMCPShell(in.environ)
	if err != nil {
		return nil, faceFault("mcp-shell-server", err)
	}
	allowed, refusal := mcpShellPolicy(own)
	rules, warnings, err := in.guarded(allowed)
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		warnings = append(warnings, "mcp-shell-server: every call is refused: "+refusal)
	}
	where := audit.Stderr
	if given(in.values, "audit") {
		where = in.config.Audit
	}
	c := in.config
	secrets, err := secretsOf(c, in.environ)
	if err != nil {
		return nil, err
	}
	options := mcpshell.Options{
		Commands: own.Commands, Patterns: own.Patterns, Timeout: own.Timeout, MaxTimeout: own.MaxTimeout,
		OutputLimit: own.OutputLimit, CallEnv: own.CallEnv, Dir: c.Cwd, Refusal: refusal,
	}
	return &toolSet{
		server: "mcp-shell-server", warnings: warnings, audits: true,
		options: execution.Options{
			Policy: rules, Secrets: secrets, Dir: c.Cwd, Environ: own.Environ, EnvSet: c.EnvSet, EnvironExact: true,
			Timeout: own.Timeout, Grace: mcpShellGrace, MaxLive: c.MaxExecutions,
			Buffer: mcpShellBuffer, Head: int(own.OutputLimit),
		},
		open: func() (err error) {
			options.Audit, err = audit.Open(where)
			return err
		},
		register: func(s *mcp.Server, sup *execution.Supervisor) { mcpshell.Register(s, sup, options) },
	}, nil
}

// mcpShellPolicy is what the settings allow. Where they allow nothing, or cannot be
// understood, the server starts, as mcp-shell-server does, and refusal is what every
// call is told.
func mcpShellPolicy(own seeds.MCPShell) (allowed policy.Options, refusal string) {
	allowed, err := policy.MCPShellServer(own.Commands, own.Patterns)
	switch {
	case err != nil:
		refusal = err.Error()
		allowed, _ = policy.MCPShellServer(nil, nil) // nothing
	case len(allowed.AllowExact)+len(allowed.AllowPatterns) == 0:
		refusal = "no commands are allowed: the operator must list some in ALLOW_COMMANDS or ALLOW_PATTERNS"
	}
	return allowed, refusal
}
