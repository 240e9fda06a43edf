package execution

import "fmt"

// Status is what a caller sees of an execution's life.
type Status uint8

const (
	Running   Status = iota // its process group lives, or its output is being drained
	Completed               // it ended by itself
	TimedOut                // its runtime or idle limit ended it
	Stopped                 // somebody ended it: a stop, a cancelled call, the end of the server
	Failed                  // it ended, but how it ended was lost
)

// String returns the status in the words of mcp-yieldshell's results.
func (s Status) String() string {
	switch s {
	case Running:
		return "running"
	case Completed:
		return "completed"
	case TimedOut:
		return "timed_out"
	case Stopped:
		return "stopped"
	case Failed:
		return "failed"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// state is where an execution is inside; see transitions.
type state uint8

const (
	stateRunning  state = iota // nobody has asked for its end
	stateEnding                // its group has been signalled, SIGKILL may follow
	stateDraining              // its group is gone, what is left in the pipes is read
	stateEnded                 // its result is stored
)

func (s state) String() string {
	return [...]string{"running", "ending", "draining", "ended"}[s]
}

// transition is one allowed move and what causes it.
type transition struct {
	from, to state
	cause    string
}

// transitions are all moves there are. ARCHITECTURE.md shows them, and a test
// holds the two together.
var transitions = [...]transition{
	{stateRunning, stateEnding, "stop, cancel, shutdown, runtime limit, idle limit or output limit"},
	{stateRunning, stateDraining, "the group is gone, or with EndWithOutput the leader and the output are at their end"},
	{stateEnding, stateDraining, "the whole tree is gone, or SIGKILL has had no effect for 5 s"},
	{stateDraining, stateEnded, "end of output, or nobody we wait for holds it"},
}

func allowed(from, to state) bool {
	for _, t := range transitions {
		if t.from == from && t.to == to {
			return true
		}
	}
	return false
}

// reason is why an execution was ended from outside.
type reason uint8

const (
	reasonNone reason = iota // it ended by itself
	reasonStop
	reasonCancel // the call that started it was cancelled before it told the handle
	reasonShutdown
	reasonTimeout
	reasonIdle
	reasonOutput
)

func (r reason) status() Status {
	switch r {
	case reasonNone:
		return Completed
	case reasonTimeout, reasonIdle:
		return TimedOut
	}
	return Stopped
}

// limit names the operator's or caller's limit that ended the execution.
func (r reason) limit() string {
	switch r {
	case reasonTimeout:
		return "timeout"
	case reasonIdle:
		return "idle_timeout"
	case reasonOutput:
		return "output_limit"
	}
	return ""
}
