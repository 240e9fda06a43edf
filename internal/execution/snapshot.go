package execution

import (
	"syscall"
	"time"

	"whelk/internal/output"
)

// Snapshot is what is known of an execution at one moment.
type Snapshot struct {
	ID      string
	PID     int // of the process that was started
	Name    string
	Command string // the text, or the argument list as a shell would need it; cut if it is long
	Dir     string

	Principal string // the name of the principal it belongs to; "" over standard input and output

	Status   Status
	Ended    bool
	ExitCode int            // valid if Ended; negative: the signal's number
	Signal   syscall.Signal // that ended the process; 0: none
	Limit    string         // the limit that ended it: "timeout", "idle_timeout", "output_limit" or ""

	// Exceeded is the stream that exceeded an output limit; valid if Limit is
	// "output_limit".
	Exceeded output.Stream

	// Stages are the ends of all stages of a pipeline, whose last one gives
	// ExitCode and Signal. It is nil for a single program, and until all have
	// exited.
	Stages []StageExit

	// ShellExited tells that the process that was started has exited with
	// ExitCode while others of its group still run.
	ShellExited bool

	Started    time.Time
	EndedAt    time.Time     // zero while it runs
	Duration   time.Duration // so far, or in all
	CPU        time.Duration // user and system time; 0 until the process has exited
	StdinError string        // why the initial input did not all arrive
	Output     output.Stats
	Redactions int64 // secrets that were replaced in the output so far
}

// Snapshot returns the execution as it is now.
func (e *Execution) Snapshot() Snapshot {
	n := Snapshot{
		ID: e.id, PID: e.proc.PID(), Name: e.name, Command: e.text, Dir: e.dir, Principal: e.owner.Name,
		Started: e.started, Output: e.log.Stats(), Redactions: e.redactions.Load(),
		StdinError: e.sup.opts.Secrets.Text(e.stdin.err()),
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	n.Limit = e.reason.limit()
	n.Exceeded = output.Stream(max(e.overran.Load()-1, 0))
	if e.state != stateEnded {
		n.Status = Running
		n.Duration = time.Since(e.started)
		if closed(e.proc.Exited()) {
			n.ShellExited = true
			n.setExit(e)
		}
		return n
	}
	n.Ended = true
	n.Status = e.reason.status()
	n.EndedAt = e.ended
	n.Duration = e.ended.Sub(e.started)
	n.setExit(e)
	if n.ExitCode == -1 && n.Signal == 0 {
		n.Status = Failed
	}
	return n
}

// setExit fills in how the process ended. Death by signal N is exit code -N,
// as in the three seeds.
func (n *Snapshot) setExit(e *Execution) {
	if !closed(e.proc.Exited()) {
		n.ExitCode = -1 // it outlived SIGKILL
		return
	}
	exit := e.proc.Exit()
	n.Signal, n.ExitCode, n.CPU = exit.Signal, exit.Code, exit.CPU
	if exit.Signal != 0 {
		n.ExitCode = -int(exit.Signal)
	}
	n.Stages = e.stageExits()
}
