package main

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/execution"
	"whelk/internal/tools/native"
)

// instructions are what a client tells its model about the server as a whole.
// Clients cut them at 2,048 characters.
const instructions = "Runs shell commands on the user's machine. execute answers with the whole result of a fast command; " +
	"a slow one goes on in the background and returns an execution_id. Then wait (blocks until the end) or read (does not block) " +
	"shows its new output, write feeds its stdin, stop ends it, ps lists all. Nothing is lost: output that an answer leaves out " +
	"is returned by the next read. Do not start a slow command a second time."

// nativeSet is whelk's own tool set.
func nativeSet(in *settings) (*toolSet, error) {
	c := in.config
	form, err := native.ParseForm(c.Result)
	if err != nil {
		return nil, err
	}
	rules, warnings, err := policyOf(c, in.values, "")
	if err != nil {
		return nil, err
	}
	secrets, err := secretsOf(c, in.environ)
	if err != nil {
		return nil, err
	}
	options := native.Options{Form: form, Yield: c.Yield, MaxYield: c.MaxWait, MaxWait: c.MaxWait, MaxOutput: int(c.MaxOutput)}
	return &toolSet{
		server: "whelk", instructions: instructions, warnings: texts(warnings),
		options: execution.Options{
			Policy: rules, Secrets: secrets, Dir: c.Cwd, Shell: c.Shell, Environ: in.environ, EnvSet: c.EnvSet, NonInteractive: true,
			Timeout: c.Timeout, IdleTimeout: c.IdleTimeout, Grace: c.Grace,
			MaxLive: c.MaxExecutions, Retention: c.Retention, MaxRetained: c.MaxRetained, Buffer: int(c.Buffer),
		},
		register: func(s *mcp.Server, sup *execution.Supervisor) { native.Register(s, sup, options) },
	}, nil
}
