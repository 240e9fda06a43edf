package execution

import (
	"time"

	"whelk/internal/command"
	"whelk/internal/policy"
	"whelk/internal/redact"
)

// Request is what a caller wants to run. Exactly one of Command and Argv is
// given.
type Request struct {
	Command *string  // text that the shell runs
	Argv    []string // a program and its arguments, run without a shell

	// Operators says that elements of Argv that are exactly |, <, > or >> are
	// operators: a pipeline of programs, still without a shell. The files of
	// redirections lie in the working directory. Without it every element is
	// an argument.
	Operators bool

	Shell string            // the shell for Command; "" is Options.Shell
	Dir   string            // working directory, relative to Options.Dir; "" is Options.Dir
	Env   map[string]string // laid over Options.Env
	Name  string            // a label for people

	TTY bool // it would get a terminal; only Explain knows this so far

	Input     string // written to standard input at once
	KeepInput bool   // standard input stays open after Input, for Execution.Write

	// Effects are the side effects that the caller declares. What the engine
	// finds itself is added.
	Effects []policy.Effect

	// Approved says that a person has agreed to exactly this request. It turns
	// what the policy asks about into what it allows, and nothing else.
	Approved bool

	// MaxStream ends the execution once it has written more than so many bytes to
	// one of its streams; zero is no limit. [Snapshot.Limit] names it then.
	MaxStream int64

	// Timeout is the runtime limit, from the start of the process: zero is
	// Options.Timeout, negative is none. IdleTimeout is the same for the time
	// without output.
	Timeout, IdleTimeout time.Duration
}

// text is the command as shown in lists, without secrets.
func (r *Request) text(secrets *redact.Set) string {
	if r.Command != nil {
		return secrets.Text(*r.Command)
	}
	argv := make([]string, len(r.Argv))
	for i, arg := range r.Argv {
		argv[i] = secrets.Text(arg) // before quotes change it
	}
	return quoteArgv(argv, r.Operators)
}

// input is the request as the analysis reads it, in the directory dir.
func (r *Request) input(shell, dir string) command.Input {
	in := command.Input{
		Argv: r.Argv, Operators: r.Operators, Shell: shell, Dir: dir, Env: r.Env,
		Stdin: r.Input, HasStdin: r.Input != "", KeepsStdin: r.KeepInput, TTY: r.TTY,
	}
	if r.Command != nil {
		in.Text, in.HasText = *r.Command, true
	}
	return in
}
