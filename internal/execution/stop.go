package execution

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"

	"whelk/internal/proc"
)

// StopOptions says how to end an execution.
type StopOptions struct {
	Signal syscall.Signal // sent first; zero: SIGTERM
	Force  time.Duration  // until SIGKILL; not positive: SIGKILL follows at once
}

// Receipt says what a stop did.
type Receipt struct {
	Forced    bool          // SIGKILL was needed
	Ended     int           // processes that were in the tree and are gone
	Survivors []proc.Member // processes that SIGKILL did not end; an error if there are any
	Snapshot  Snapshot      // after the end
}

// Stop ends the execution, or what an ended one left behind, with its whole
// tree, and waits until it has ended. Several stops may run at once: all of
// them see the end. It is an error of code [NotRunning] if there was nothing
// to end, and then nothing was signalled.
func (e *Execution) Stop(ctx context.Context, o StopOptions) (Receipt, error) {
	if o.Signal == 0 {
		o.Signal = syscall.SIGTERM
	}
	o.Force = max(o.Force, 0)
	accepted := make(chan bool, 1)
	e.end(endRequest{reason: reasonStop, signal: o.Signal, force: o.Force, accepted: accepted})
	if !<-accepted {
		e.Await(ctx, drainLimit) // its output may still be drained
		if left := e.Detached(); len(left) > 0 {
			return e.stopDetached(ctx, o, left)
		}
		return Receipt{}, errorf(NotRunning, "it has ended (status: %v): nothing was signalled", e.Snapshot().Status)
	}
	switch e.Await(ctx, o.Force+unkillable+drainLimit) {
	case Ended:
		return e.receipt()
	case Cancelled:
		return Receipt{}, ctx.Err()
	case ShuttingDown:
		return Receipt{}, errorf(LimitExceeded, "the server is shutting down; the execution is being ended with it")
	}
	return Receipt{}, survivorsError(e.proc.Tree())
}

func (e *Execution) receipt() (Receipt, error) {
	n := e.Snapshot()
	e.mu.Lock()
	r := Receipt{Forced: e.forced, Ended: len(e.seen) - len(e.survivors), Survivors: e.survivors, Snapshot: n}
	e.mu.Unlock()
	if len(r.Survivors) > 0 {
		return r, survivorsError(r.Survivors)
	}
	return r, nil
}

// survivorsError says what could not be ended, and why that can be.
func survivorsError(left []proc.Member) error {
	names := make([]string, len(left))
	for i, m := range left {
		names[i] = fmt.Sprintf("%d (%s)", m.PID, m.Name)
	}
	return errorf(LimitExceeded, "still alive %v after SIGKILL: %s. They hang in the kernel, or belong to a user whom the server may not signal", unkillable, strings.Join(names, ", "))
}

// Cancel ends an execution whose handle nobody will learn, because the call
// that started it was cancelled. It does not wait.
func (e *Execution) Cancel() {
	e.end(endRequest{reason: reasonCancel, signal: syscall.SIGTERM, force: e.sup.opts.Grace})
}
