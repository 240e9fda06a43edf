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

// await serves the running execution until its group is gone.
func (e *Execution) await() {
	limit, idle, force := newAlarm(e.timeout), newAlarm(e.idle), newAlarm(0)
	defer limit.stop()
	defer idle.stop()
	defer force.stop()
	for {
		select {
		case <-e.proc.Gone():
			e.transition(stateDraining)
			return
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
		}
	}
}

func (e *Execution) limitRequest(why reason) endRequest {
	return endRequest{reason: why, signal: syscall.SIGTERM, force: e.sup.opts.Grace}
}

// ending signals the group and arms its SIGKILL. It reports whether there was
// something left to end: an exit that happened before wins.
func (e *Execution) ending(r endRequest, force *alarm) bool {
	e.proc.Poll()
	if closed(e.proc.Gone()) {
		return false
	}
	if e.current() == stateRunning {
		e.mu.Lock()
		e.reason = r.reason
		e.mu.Unlock()
		e.transition(stateEnding)
	}
	e.signal(r.signal)
	force.advance(r.force)
	return true
}

// signal sends sig to the group, and SIGCONT after it: a stopped process could
// not act on it otherwise.
func (e *Execution) signal(sig syscall.Signal) {
	err := e.proc.Signal(sig)
	if err != nil && !errors.Is(err, proc.ErrGone) {
		e.sup.log.Warn("signal", "execution", e.id, "signal", SignalName(sig), "error", err)
	}
	switch sig {
	case syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT:
	default:
		_ = e.proc.Signal(syscall.SIGCONT)
	}
}

// kill is the end of the grace.
func (e *Execution) kill() {
	e.proc.Poll()
	if closed(e.proc.Gone()) {
		return
	}
	e.mu.Lock()
	e.forced = true
	e.mu.Unlock()
	e.signal(syscall.SIGKILL)
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
