package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/config"
	"whelk/internal/execution"
	"whelk/internal/policy"
)

// toolSet is one set of tools, ready to be served: the settings of the
// supervisor behind it, and how its tools are added to a server.
type toolSet struct {
	// server and instructions are what clients are told if the set is served
	// alone.
	server, instructions string
	// listen is the address for HTTP that the other server's own settings ask for;
	// "" leaves the transport to whelk's. That server asks for no token.
	listen string
	// options hold what the set decides itself, its own policy among it. build
	// adds the rest.
	options  execution.Options
	register func(*mcp.Server, *execution.Supervisor)
	// progress is the time between notifications of progress of those tools, by
	// name, for which the server's own is not meant; see server.Options.
	progress map[string]time.Duration
	// open opens what the set keeps open while it serves; nil: nothing.
	open   func() error
	audits bool // it keeps the records that the option audit asks for
	// warnings are settings that work and are probably not meant.
	warnings []string
}

// settings is what tool sets are made of.
type settings struct {
	config  *config.Config
	values  []config.Value
	environ []string
	args    []string // those of the one set that has a command line of its own
}

// face is a tool set that stands in for another server. It takes that server's
// variables, flags and files, and its name if it is started under it.
type face struct {
	set  string // the name of the tool set
	link string // the name of the other server's program
	make func(*settings) (*toolSet, error)
	// flags says that it has a command line of its own, which make reads.
	flags bool
	// help is what the other server's --help tells, if it has no flags besides; it
	// ends with a line feed.
	help string
}

// faces are all there are.
func faces() []face {
	return []face{
		{set: config.ToolsYieldShell, link: "mcp-yieldshell", make: yieldShellSet, help: yieldShellHelp},
		tabShell(),
		{set: config.ToolsMCPShell, link: "mcp-shell-server", make: mcpShellSet, help: mcpShellHelp},
	}
}

// faceOf returns the face whose field is name.
func faceOf(name string, field func(face) string) (face, bool) {
	for _, f := range faces() {
		if field(f) == name {
			return f, true
		}
	}
	return face{}, false
}

// serve serves the face under its own name: what stands on the command line is
// the other server's. whelk's own variables and file count for what that server
// has no word for.
func (f face) serve(ctx context.Context, args []string) error {
	if !f.flags {
		for _, arg := range args {
			if arg == "-h" || arg == "--help" {
				_, err := fmt.Fprint(os.Stdout, f.help)
				return err
			}
		}
		args = nil // they have no meaning for that server
	}
	return serve(ctx, func() (*settings, error) {
		c, values, err := config.Load(nil, os.Environ())
		if err != nil {
			return nil, err
		}
		c.Tools = []string{f.set}
		return &settings{config: c, values: values, environ: os.Environ(), args: args}, nil
	})
}

// toolSets makes the sets that the configuration names, in its order.
func toolSets(in *settings) ([]*toolSet, error) {
	var sets []*toolSet
	taken := false
	for _, name := range in.config.Tools {
		set := face{make: nativeSet}
		if name != config.ToolsNative {
			set, _ = faceOf(name, func(f face) string { return f.set }) // config knows the names
		}
		taken = taken || set.flags
		made, err := set.make(in)
		if err != nil {
			return nil, err
		}
		sets = append(sets, made)
	}
	if len(in.args) > 0 && !taken {
		return nil, usagef("%q stands behind --, and no tool set of %s has a command line of its own", in.args[0], strings.Join(in.config.Tools, ", "))
	}
	audits := func(s *toolSet) bool { return s.audits }
	if in.config.Audit != config.AuditOff && !slices.ContainsFunc(sets, audits) {
		return nil, usagef("audit is %q, and of all tool sets only %s keeps records: serve it, or leave audit off", in.config.Audit, config.ToolsMCPShell)
	}
	return sets, nil
}

// guarded returns the policy of a face: its own, and what the operator asks of
// whelk besides, which can only forbid more.
func (in *settings) guarded(own policy.Options) (*policy.Policy, []string, error) {
	p, warnings, err := policy.New(own)
	if err != nil {
		return nil, nil, &policyError{err}
	}
	guard, more, err := in.guard()
	if err != nil {
		return nil, nil, err
	}
	return p.And(guard), texts(append(warnings, more...)), nil
}

// guard returns the policy that the operator asks of whelk, nil if that is none.
// Here side effects count only if they are asked for: a face has rules of its own
// for them.
func (in *settings) guard() (*policy.Policy, []policy.Warning, error) {
	asked := in.config.Policy != nil
	for _, option := range []string{"allow", "deny", "allow-regex", "deny-regex", "on-unknown", "side-effects", "blocked-side-effects", "roots"} {
		asked = asked || given(in.values, option)
	}
	if !asked {
		return nil, nil, nil
	}
	return policyOf(in.config, in.values, policy.Off)
}

func texts(warnings []policy.Warning) []string {
	out := make([]string, len(warnings))
	for i, w := range warnings {
		out[i] = string(w)
	}
	return out
}

// instructionsOf joins what several sets have to say.
func instructionsOf(sets []*toolSet) string {
	var parts []string
	for _, s := range sets {
		if s.instructions != "" {
			parts = append(parts, s.instructions)
		}
	}
	return strings.Join(parts, "\n")
}

// serverName is what clients are told: the one set's name, or the program's.
func serverName(sets []*toolSet) string {
	if len(sets) == 1 {
		return sets[0].server
	}
	return "whelk"
}

// faceFault words a fault in the settings of another server.
func faceFault(name string, err error) error {
	return &usageError{fmt.Errorf("%s: %w", name, err)}
}
