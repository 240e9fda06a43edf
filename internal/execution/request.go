package execution

import (
	"time"
)

// Request is what a caller wants to run. Exactly one of Command and Argv is
// given.
type Request struct {
	Command *string  // text that the shell runs
	Argv    []string // a program and its arguments, run without a shell

	Shell string            // the shell for Command; "" is Options.Shell
	Dir   string            // working directory, relative to Options.Dir; "" is Options.Dir
	Env   map[string]string // laid over Options.Env
	Name  string            // a label for people

	Input     string // written to standard input at once
	KeepInput bool   // standard input stays open after Input, for Execution.Write

	// Timeout is the runtime limit, from the start of the process: zero is
	// Options.Timeout, negative is none. IdleTimeout is the same for the time
	// without output.
	Timeout, IdleTimeout time.Duration
}

// text is the command as shown in lists.
func (r *Request) text() string {
	if r.Command != nil {
		return *r.Command
	}
	return quoteArgv(r.Argv)
}
