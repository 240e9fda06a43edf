package main

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/config/seeds"
	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/tools/native"
)

// yieldShellSet is mcp-yieldshell's tool set: the native one in its dialect, with
// its variables.
func yieldShellSet(in *settings) (*toolSet, error) {
	seed, err := seeds.ReadYieldShell(in.environ)
	if err != nil {
		return nil, faceFault("mcp-yieldshell", err)
	}
	rules, warnings, err := yieldShellPolicy(in, &seed)
	if err != nil {
		return nil, err
	}
	secrets, err := secretsOf(in.config, in.environ, seed.RedactEnv)
	if err != nil {
		return nil, err
	}
	c := in.config
	dir := c.Cwd
	if seed.Dir != "" {
		dir = seed.Dir
	}
	options := native.Options{
		Dialect: native.YieldShell, Yield: seed.Yield, MaxYield: seed.MaxYield, MaxWait: c.MaxWait, MaxOutput: seed.MaxOutput,
	}
	return &toolSet{
		server: "YieldShell MCP", warnings: append(seed.Warnings, warnings...),
		options: execution.Options{
			Policy: rules, Secrets: secrets, Dir: dir, Roots: seed.Roots,
			Shell: c.Shell, Environ: in.environ, EnvSet: c.EnvSet, EnvironExact: true,
			Timeout: seed.Timeout, IdleTimeout: c.IdleTimeout, Grace: c.Grace,
			MaxLive: seed.MaxExecutions, Retention: seed.Retention, MaxRetained: seed.MaxRetained, Buffer: seed.Buffer,
		},
		register: func(s *mcp.Server, sup *execution.Supervisor) { native.Register(s, sup, options) },
	}, nil
}

// yieldShellPolicy judges what a call declares and the expressions, as
// mcp-yieldshell does: side effects that are not declared are not looked for.
func yieldShellPolicy(in *settings, seed *seeds.YieldShell) (*policy.Policy, []string, error) {
	var blocked []policy.Effect
	if seed.Blocked != nil {
		blocked = []policy.Effect{}
	}
	for _, name := range seed.Blocked {
		effect, err := policy.ParseEffect(name)
		if err != nil {
			return nil, nil, faceFault("mcp-yieldshell", fmt.Errorf("%s: %w", seeds.YieldShellBlocked, err))
		}
		blocked = append(blocked, effect)
	}
	own, err := policy.YieldShell(seed.DenyCommand, seed.AllowCommand, blocked)
	if err != nil {
		return nil, nil, faceFault("mcp-yieldshell", err)
	}
	return in.guarded(own)
}

const yieldShellHelp = `mcp-yieldshell, served by whelk: runs shell commands for an AI agent, as an MCP server on
standard input and output. A command that is still running after a while goes on in the
background, where it can be read, waited for, written to and stopped.

Usage: mcp-yieldshell (an MCP client starts it; it has no flags)

Variables (numbers are whole; one that is none or out of range means the default):
  YIELDSHELL_DEFAULT_CWD             working directory of commands that name none
                                     (the server's own)
  YIELDSHELL_ALLOWED_CWDS            directories, with colons between them, in or below which
                                     every command must start (anywhere)
  YIELDSHELL_MAX_OUTPUT_BYTES        most bytes of output in one answer, and the default (20000)
  YIELDSHELL_MAX_BUFFER_BYTES        bytes of each stream that are kept (262144)
  YIELDSHELL_MAX_PROCESSES           most commands alive at once (50)
  YIELDSHELL_DEFAULT_YIELD_MS        how long execute waits, if the call does not say (30000)
  YIELDSHELL_MAX_YIELD_MS            longest it waits, and never over 55000; 0 is not at all
                                     (300000)
  YIELDSHELL_DEFAULT_TIMEOUT_MS      runtime limit, if the call does not say; 0 is none (3600000)
  YIELDSHELL_PROCESS_RETENTION_MS    how long an ended command is kept; 0: until the next one
                                     (3600000)
  YIELDSHELL_MAX_RETAINED_PROCESSES  most ended commands that are kept (100)
  YIELDSHELL_DENY_COMMAND_REGEX      expression; a command in which it is found is refused
  YIELDSHELL_ALLOW_COMMAND_REGEX     expression; a command in which it is not found is refused
  YIELDSHELL_REDACT_ENV_REGEX        expression; the values of variables in whose names it is
                                     found, of 8 bytes and more, are hidden
  MCP_YIELDSHELL_BLOCKED_SIDE_EFFECTS
                                     side effects that no call may declare, with commas between
                                     them; a comma alone is none (KILLS_AGENT_PROCESS,
                                     MODIFIES_OS_SETTINGS, MODIFIES_OS_USER_SETTINGS,
                                     MODIFIES_PROTECTED_FILES, RUNS_INLINE_CODE)

Expressions are RE2's: without lookaround and backreferences. A faulty expression or category
keeps the server from starting. What has no variable here is whelk's: see whelk --help.
`
