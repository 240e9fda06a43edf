package execution

import (
	"maps"
	"slices"
	"syscall"
	"time"
)

const (
	// shutdownAnswer is how long calls that wait may go on waiting for the true
	// end of their execution when the server ends. Most commands end at once on
	// SIGTERM; clients kill the server 2 s after their own SIGTERM.
	shutdownAnswer = time.Second

	// unkillable is how long a group may stay after SIGKILL (mcp-yieldshell
	// waits as long). A process that outlives it hangs in the kernel.
	unkillable = 5 * time.Second
)

func (s *Supervisor) shutdownRequest() endRequest {
	return endRequest{reason: reasonShutdown, signal: syscall.SIGTERM, force: s.opts.Grace}
}

// Close refuses new executions, ends all live ones together (SIGTERM, grace,
// SIGKILL) and returns when they are gone and every goroutine has ended. Calls
// that wait get a second to see the true end, and are then woken, see
// [Execution.Await]. Every further call only waits for the first.
func (s *Supervisor) Close() { s.closeOnce.Do(s.close) }

func (s *Supervisor) close() {
	s.mu.Lock()
	s.shut = true
	all := slices.Collect(maps.Values(s.byID))
	s.mu.Unlock()
	answer := time.AfterFunc(shutdownAnswer, func() { close(s.closing) })
	for _, e := range all {
		e.end(s.shutdownRequest())
	}
	gone := s.awaitAll(all, s.opts.Grace+unkillable)
	if answer.Stop() {
		close(s.closing)
	}
	if !gone {
		s.log.Error("processes outlived SIGKILL; they hang in the kernel and are left behind")
		return
	}
	s.closeOutputs()
	s.wg.Wait()
}

// awaitAll reports whether all executions ended within d.
func (s *Supervisor) awaitAll(all []*Execution, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for _, e := range all {
		select {
		case <-e.done:
		case <-timer.C:
			return false
		}
	}
	return true
}

// closeOutputs ends the reading of outputs that are only held by processes
// outside of the ended groups.
func (s *Supervisor) closeOutputs() {
	s.mu.Lock()
	all := slices.Collect(maps.Keys(s.reading))
	s.mu.Unlock()
	for _, e := range all {
		e.proc.Stdout().Close()
		e.proc.Stderr().Close()
	}
}
