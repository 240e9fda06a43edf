package execution

import (
	"context"
	"syscall"
	"time"

	"whelk/internal/proc"
)

// Member is one living process of a tree.
type Member = proc.Member

// Detached lists what an ended execution left behind on purpose: daemons in
// sessions of their own, which live on. It is empty while the execution runs.
func (e *Execution) Detached() []Member {
	if !closed(e.done) {
		return nil
	}
	return e.proc.Tree()
}

// stopDetached ends what an ended execution left behind. Its result stays what
// it was.
func (e *Execution) stopDetached(ctx context.Context, o StopOptions, left []Member) (Receipt, error) {
	r := Receipt{Snapshot: e.Snapshot()}
	seen := make(map[int]struct{})
	kill := time.Now().Add(o.Force)
	_, _ = e.proc.Signal(o.Signal)
	for len(left) > 0 && time.Now().Before(kill.Add(unkillable)) {
		for _, m := range left {
			seen[m.PID] = struct{}{}
		}
		if !time.Now().Before(kill) {
			r.Forced = true
			_, _ = e.proc.Signal(syscall.SIGKILL)
		}
		if err := pause(ctx, minLook); err != nil {
			return r, err
		}
		left = e.proc.Tree()
	}
	r.Ended, r.Survivors = len(seen)-len(left), left
	if len(left) > 0 {
		return r, survivorsError(left)
	}
	return r, nil
}

// pause waits for d, or the end of ctx, which is its error.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
