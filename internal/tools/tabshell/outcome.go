package tabshell

import (
	"errors"
	"math"
	"strings"
	"time"

	"whelk/internal/execution"
	"whelk/internal/output"
	"whelk/internal/policy"
)

// outcome is how a command ended.
type outcome struct {
	status         string
	exit           *int // nil is none: it was killed by its timeout, or never ran
	stdout, stderr string
	took           time.Duration
	truncated      bool
	command        string
}

// outcome is that of an execution that stands as n. One that the end of the server
// leaves no time for is told as an error.
func (s *set) outcome(r run, e *execution.Execution, n execution.Snapshot) outcome {
	o := outcome{status: "error", took: n.Duration, command: r.command}
	o.stdout, o.stderr, o.truncated = s.output(r, e, n.Output)
	status := r.status(n)
	switch {
	case !n.Ended:
		o.stderr += "The server is shutting down: the command is being ended with it.\n"
	case status == execution.Failed:
	case status == execution.TimedOut:
		o.status = "timeout"
	default:
		o.exit = &n.ExitCode
		if status == execution.Completed && n.ExitCode == 0 {
			o.status = "success"
		}
	}
	return o
}

// output returns what a command wrote, cut to the length that is shown.
func (s *set) output(r run, e *execution.Execution, written output.Stats) (stdout, stderr string, truncated bool) {
	page := e.Read(output.ReadOptions{Since: 1, Max: math.MaxInt})
	out := captured{last: page.Stdout, whole: int64(len(page.Stdout)) >= written.Stdout}
	err := captured{last: page.Stderr, whole: int64(len(page.Stderr)) >= written.Stderr}
	if r.head && !(out.whole && err.whole) {
		out.first, err.first = e.Heads()
	}
	return truncate(out, err, s.opts.MaxOutput, r.head)
}

// unstarted is the outcome of a command that could not be started.
func unstarted(r run, err error) outcome {
	return outcome{status: "error", stderr: "Failed to start command: " + err.Error(), command: r.command}
}

func (o outcome) text() string {
	b := new(object)
	b.text("status", o.status)
	if o.exit != nil {
		b.integer("exit_code", *o.exit)
	} else {
		b.null("exit_code")
	}
	b.text("stdout", o.stdout).text("stderr", o.stderr)
	b.seconds("execution_time", o.took).boolean("truncated", o.truncated).text("command", o.command)
	return b.String()
}

// rejected is the result of a command that the operator does not let run. The reason
// names the list, which operators know by that server's word.
func rejected(err error) string {
	reason := err.Error()
	if denial, ok := errors.AsType[*policy.Denial](err); ok {
		switch {
		case denial.Rule == "allow":
			reason = "Not in the whitelist: " + reason
		case strings.HasPrefix(denial.Rule, "deny "):
			reason = "In the blacklist: " + reason
		}
	}
	return new(object).text("status", "rejected").text("reason", reason).String()
}
