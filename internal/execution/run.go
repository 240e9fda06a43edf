package execution

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"whelk/internal/proc"
)

const (
	// drainLimit bounds the reading after the group is gone while somebody
	// outside of it (a daemon) holds the output open: mcp-yieldshell's 3 s.
	drainLimit = 3 * time.Second

	// drainQuiet ends the drain earlier when such a holder writes nothing:
	// what the group wrote has been in the pipe since before its end.
	drainQuiet = 500 * time.Millisecond

	// lateness is how late the idle timer may fire before we take it that this
	// process was suspended, and give output that waited meanwhile its chance.
	lateness = time.Second
)

// run owns the execution's state from start to end.
func (e *Execution) run() {
	e.await()
	e.stdin.shut()
	e.drain()
	e.finish()
}

// await serves the running execution until its group is gone (or see
// EndWithOutput), or, once it is being ended, its whole tree: what a command
// left on purpose in a session of its own outlives it, but not its stop.
func (e *Execution) await() {
	limit, idle, force, look := newAlarm(e.timeout), newAlarm(e.idle), newAlarm(0), newAlarm(0)
	for _, a := range []*alarm{limit, idle, force, look} {
		defer a.stop()
	}
	gone, pause := e.proc.Gone(), minLook
	var leader, written <-chan struct{} // their ends, if those end the execution
	if e.sup.opts.EndWithOutput {
		leader = e.proc.Exited()
	}
	for {
		select {
		case <-leader:
			leader, written = nil, e.pumped
		case <-written:
			written = nil
			if e.current() == stateRunning {
				e.transition(stateDraining)
				return
			}
		case <-gone:
			gone = nil
			if e.current() == stateRunning || e.treeGone() {
				e.transition(stateDraining)
				return
			}
			look.reset(pause)
		case <-look.c:
			if e.treeGone() || e.beyondKilling() {
				e.transition(stateDraining)
				return
			}
			pause = min(2*pause, maxLook)
			look.reset(pause)
		case r := <-e.ends:
			accepted := e.ending(r, force)
			if r.accepted != nil {
				r.accepted <- accepted
			}
		case <-limit.c:
			e.ending(e.limitRequest(reasonTimeout), force)
		case <-idle.c:
			if left := e.idleLeft(); left > 0 {
				idle.reset(left)
				continue
			}
			e.ending(e.limitRequest(reasonIdle), force)
		case <-force.c:
			e.kill()
			pause = minLook
			look.reset(pause)
		}
	}
}

// How often a tree that is being ended is looked at: at first so often that its
// end is seen at once, and that a tree which goes on forking is killed faster
// than it grows; then seldom, because it has its grace, or hangs.
const (
	minLook = 5 * time.Millisecond
	maxLook = 100 * time.Millisecond
)

func (e *Execution) limitRequest(why reason) endRequest {
	return endRequest{reason: why, signal: syscall.SIGTERM, force: e.sup.opts.Grace}
}

// ending signals the tree and arms its SIGKILL. It reports whether there was
// something left to end: an exit that happened before wins.
func (e *Execution) ending(r endRequest, force *alarm) bool {
	e.proc.Poll()
	if e.current() == stateRunning {
		if closed(e.proc.Gone()) {
			return false
		}
		e.mu.Lock()
		e.reason = r.reason
		e.mu.Unlock()
		e.transition(stateEnding)
	}
	e.signal(r.signal)
	force.advance(r.force)
	return true
}

// signal sends sig to the tree.
func (e *Execution) signal(sig syscall.Signal) {
	found, err := e.proc.Signal(sig)
	e.note(found)
	if err != nil && !errors.Is(err, proc.ErrGone) {
		e.sup.log.Warn("signal", "execution", e.id, "signal", SignalName(sig), "error", err)
	}
}

// kill is the end of the grace, and what follows it until nothing is left.
func (e *Execution) kill() {
	e.proc.Poll()
	if closed(e.proc.Gone()) && e.treeGone() {
		return
	}
	if e.killedAt.IsZero() {
		e.killedAt = time.Now()
		e.mu.Lock()
		e.forced = true
		e.mu.Unlock()
	}
	e.signal(syscall.SIGKILL)
}

// treeGone reports whether nothing of the tree lives; what it finds after the
// grace it kills.
func (e *Execution) treeGone() bool {
	left := e.proc.Tree()
	e.note(left)
	e.mu.Lock()
	e.survivors = left
	e.mu.Unlock()
	if len(left) > 0 && !e.killedAt.IsZero() {
		e.signal(syscall.SIGKILL)
	}
	return closed(e.proc.Gone()) && len(left) == 0
}

// note remembers what the tree consists of, for the receipt of a stop.
func (e *Execution) note(members []proc.Member) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range members {
		e.seen[m.PID] = struct{}{}
	}
}

// beyondKilling reports whether SIGKILL has been without effect for so long
// that waiting is no use.
func (e *Execution) beyondKilling() bool {
	return !e.killedAt.IsZero() && time.Since(e.killedAt) > unkillable
}

// idleLeft is how long the execution may still be without output.
func (e *Execution) idleLeft() time.Duration {
	last := e.log.Stats().LastOutput
	if last.Before(e.started) {
		last = e.started
	}
	left := e.idle - time.Since(last)
	if left < -lateness {
		return lateness // suspended: what was written meanwhile is read first
	}
	return left
}

// drain reads what the group left in the pipes. Usually they are at their end
// by now; only an outside holder makes this wait.
func (e *Execution) drain() {
	limit, quiet := newAlarm(drainLimit), newAlarm(drainQuiet)
	defer limit.stop()
	defer quiet.stop()
	for {
		changed := e.log.Changed()
		select {
		case <-e.pumped:
			return
		case <-changed:
			quiet.reset(drainQuiet)
		case <-quiet.c:
			return
		case <-limit.c:
			return
		case r := <-e.ends:
			if r.accepted != nil {
				r.accepted <- false
			}
		}
	}
}

// finish stores the result and then tells everybody.
func (e *Execution) finish() {
	e.mu.Lock()
	e.ended = time.Now()
	if e.reason == reasonNone && e.overran.Load() != 0 {
		// It was too fast to be ended. Unlike a runtime limit, which an exit
		// beats, this limit is about what there is to show.
		e.reason = reasonOutput
	}
	e.mu.Unlock()
	e.transition(stateEnded)
	e.sup.finished(e)
	close(e.done)
}

// transition moves the state along the table. Only run calls it.
func (e *Execution) transition(to state) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !allowed(e.state, to) {
		panic(fmt.Sprintf("execution: no transition from %v to %v", e.state, to))
	}
	e.state = to
}

func (e *Execution) current() state {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
