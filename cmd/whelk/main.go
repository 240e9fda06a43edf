// Command whelk is an MCP server through which AI agents run shell commands.
//
// This package holds the verbs, wires the house together and turns errors into
// exit codes; it decides nothing else. Exit codes: 0 success, 1 a failure or
// the result of a call that is an error, 2 a fault in the configuration or in
// the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"whelk/internal/config"
)

func main() { os.Exit(run(filepath.Base(os.Args[0]), os.Args[1:])) }

// guardianVerb starts the second half of a server, see proc.Guard. It is no
// verb for people.
const guardianVerb = "guardian"

// run executes one command line of the program, under the name that it was
// started by, and returns its exit code.
func run(name string, args []string) int {
	if len(args) == 1 && args[0] == guardianVerb { // before anything takes memory
		return guard()
	}
	err := execute(name, args)
	if err == nil || errors.Is(err, errAnswered) {
		return 0
	}
	if !errors.Is(err, errSilent) {
		fmt.Fprintln(os.Stderr, "whelk:", err)
	}
	var fault *config.Error
	var usage *usageError
	var rules *policyError
	if errors.As(err, &fault) || errors.As(err, &usage) || errors.As(err, &rules) {
		return 2
	}
	return 1
}

// execute serves the face that is called name, or does what a verb says.
func execute(name string, args []string) error {
	ctx := context.Background()
	if f, ok := faceOf(name, func(f face) string { return f.link }); ok {
		return f.serve(ctx, args)
	}
	root := newRoot()
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// errSilent is a failure that has been shown already.
var errSilent = errors.New("failed")

// errAnswered says that all was done that the command line asked for: nothing is
// served.
var errAnswered = errors.New("answered")

// usageError is a fault in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "whelk",
		Short: "An MCP server through which AI agents run shell commands",
		Long: "whelk runs shell commands for an AI agent, as an MCP server on standard input and output.\n" +
			"Without a verb it serves: that is what an MCP client starts. Every option can also be set by\n" +
			"a variable, e.g. --max-output by WHELK_MAX_OUTPUT; flags win. `whelk config` shows what holds.",
		Args:          argumentsBehindDashes,
		RunE:          serveVerb,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see `%s --help`", err, cmd.CommandPath())
	})
	root.CompletionOptions.DisableDefaultCmd = true
	config.AddFlags(root.Flags())
	root.AddCommand(newServe(), newCall(), newExplain(), newConfig(), newToken(), newDoctor(), newInstallLinks(), newVersion())
	return root
}

// argumentsBehindDashes permits those of a tool set's own command line.
func argumentsBehindDashes(cmd *cobra.Command, args []string) error {
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		args = args[:at]
	}
	return noArguments(cmd, args)
}

func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasParent():
		return usagef("%s takes no argument, and got %q; see `%s --help`", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return usagef("%q is no verb of whelk; see `whelk --help`", args[0])
}
