package mcpshell

import (
	"fmt"
	"time"

	"whelk/internal/audit"
	"whelk/internal/execution"
	"whelk/internal/output"
)

// result is what a client is told of a call.
type result struct {
	failure string // why it is an error, for the text; "" if it is none
	err     string // the documented field: a nonzero exit code is no error there

	stdout, stderr []byte
	status         int
	took           time.Duration
	dir            string
	piped          bool
	partial        bool // the command was ended before its own end

	outcome audit.Outcome
	fault   string // the kind of what failed, for the record
	exited  bool   // status is the exit code of a process
}

// refused is the result of a call for which nothing was started.
func refused(c *call, err error, began time.Time) *result {
	text := c.hide(err.Error())
	r := &result{failure: text, err: text, status: 1, took: time.Since(began), dir: c.hide(c.dir), outcome: audit.Rejected}
	switch execution.CodeOf(err) {
	case execution.FailedToStart, execution.LimitExceeded:
		r.outcome, r.fault = audit.ProcessError, string(execution.CodeOf(err))
	case execution.ApprovalRequired:
		r.failure += " This tool cannot ask a person, so it is refused."
		r.err = r.failure
	}
	return r
}

// output takes over what the command has written.
func (r *result) output(c *call, e *execution.Execution) execution.Snapshot {
	n := e.Snapshot()
	r.stdout, r.stderr = e.Heads()
	r.stdout, r.stderr = first(r.stdout, c.request.MaxStream), first(r.stderr, c.request.MaxStream)
	r.took, r.dir, r.piped = n.Duration, n.Dir, c.piped
	return n
}

// first returns the beginning of b.
func first(b []byte, most int64) []byte { return b[:min(int64(len(b)), most)] }

// killed is the documented status of a command that was ended by a limit.
const killed = -1

// ended is the result of a call whose command has ended, or is being ended with
// the server, which nobody waits for.
func ended(c *call, e *execution.Execution) *result {
	r := &result{outcome: audit.Success, exited: true}
	n := r.output(c, e)
	switch {
	case n.Limit == "timeout":
		r.outcome, r.fault = audit.Timeout, "TimeoutError"
		r.err = fmt.Sprintf("Command timed out after %d seconds", seconds(c.request.Timeout))
	case n.Limit == "output_limit":
		r.outcome, r.fault = audit.OutputCap, "OutputLimitExceeded"
		name := [...]string{output.Stdout: "stdout", output.Stderr: "stderr"}[n.Exceeded]
		r.err = fmt.Sprintf("%s exceeded output limit of %d bytes", name, c.request.MaxStream)
	case !n.Ended, n.Status == execution.Stopped: // nobody else can stop it
		r.outcome, r.fault = audit.ProcessError, "shutting_down"
		r.err = "The server is shutting down, and the command is ended with it"
	}
	if r.err != "" {
		r.failure, r.status, r.partial, r.exited = r.err, killed, true, false
		return r
	}
	r.status, r.failure = exit(n)
	return r
}

// exit is the exit code of a command, and what to say of it if it is not 0. The
// first stage of a pipeline that failed counts.
func exit(n execution.Snapshot) (code int, failure string) {
	code, where := n.ExitCode, ""
	for i, stage := range n.Stages {
		if stage.Failed {
			code, where = stage.ExitCode, fmt.Sprintf(" (%s, program %d of %d)", stage.Name, i+1, len(n.Stages))
			break
		}
	}
	switch {
	case code == 0:
		return 0, ""
	case code < 0:
		return code, fmt.Sprintf("Command terminated by signal %d%s", -code, where)
	}
	return code, fmt.Sprintf("Command failed with exit status %d%s", code, where)
}
