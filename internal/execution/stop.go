package execution

import (
	"context"
	"syscall"
	"time"
)

// StopOptions says how to end an execution.
type StopOptions struct {
	Signal syscall.Signal // sent first; zero: SIGTERM
	Force  time.Duration  // until SIGKILL; not positive: SIGKILL follows at once
}

// Receipt says what a stop did.
type Receipt struct {
	Forced   bool     // SIGKILL was needed
	Snapshot Snapshot // after the end
}

// Stop ends the execution and waits until it has ended. Several stops may run
// at once: all of them see the end. It is an error of code [NotRunning] if
// there was nothing to end, and then nothing was signalled.
func (e *Execution) Stop(ctx context.Context, o StopOptions) (Receipt, error) {
	if o.Signal == 0 {
		o.Signal = syscall.SIGTERM
	}
	accepted := make(chan bool, 1)
	e.end(endRequest{reason: reasonStop, signal: o.Signal, force: max(o.Force, 0), accepted: accepted})
	if !<-accepted {
		e.Await(ctx, drainLimit) // its output may still be drained
		return Receipt{}, errorf(NotRunning, "Execution is not running (status: %v): nothing was signalled", e.Snapshot().Status)
	}
	switch e.Await(ctx, max(o.Force, 0)+unkillable+drainLimit) {
	case Ended:
		e.mu.Lock()
		forced := e.forced
		e.mu.Unlock()
		return Receipt{Forced: forced, Snapshot: e.Snapshot()}, nil
	case Cancelled:
		return Receipt{}, ctx.Err()
	case ShuttingDown:
		return Receipt{}, errorf(FailedToStart, "the server is shutting down; the execution is being ended with it")
	}
	return Receipt{}, errorf(LimitExceeded, "the process group of pid %d is still alive %v after SIGKILL: it hangs in the kernel", e.proc.PID(), unkillable)
}

// Cancel ends an execution whose handle nobody will learn, because the call
// that started it was cancelled. It does not wait.
func (e *Execution) Cancel() {
	e.end(endRequest{reason: reasonCancel, signal: syscall.SIGTERM, force: e.sup.opts.Grace})
}
