package execution

import (
	"context"
	"time"
)

// Outcome is why [Execution.Await] returned.
type Outcome uint8

const (
	Ended        Outcome = iota // the execution has ended
	Deadline                    // the time is over, it goes on
	Cancelled                   // the context is done
	ShuttingDown                // the server ends, and the execution with it
)

// yieldDrain is how long a caller whose time is over still waits for an
// execution whose group has just been seen gone.
const yieldDrain = 50 * time.Millisecond

// Await waits until the execution has ended, for at most d. It never changes
// the execution. An end that has happened wins over everything else.
func (e *Execution) Await(ctx context.Context, d time.Duration) Outcome {
	outcome := e.awaitOutcome(ctx, d)
	if outcome == Deadline && e.proc != nil {
		// The timer and the exit may both be ready, and the one who would tell
		// us of the exit may not have run yet (BO-64).
		e.proc.Poll()
		if closed(e.proc.Gone()) {
			outcome = e.awaitOutcome(ctx, yieldDrain)
		}
	}
	if closed(e.done) {
		return Ended
	}
	return outcome
}

func (e *Execution) awaitOutcome(ctx context.Context, d time.Duration) Outcome {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-e.done:
		return Ended
	case <-timer.C:
		return Deadline
	case <-ctx.Done():
		return Cancelled
	case <-e.sup.closing:
		return ShuttingDown
	}
}
