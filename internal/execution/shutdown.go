package execution

import (
	"context"
	"maps"
	"slices"
	"sync"
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

// Close refuses new executions, ends all live ones together, and unless
// KeepDetached what ended ones left behind (SIGTERM, grace, SIGKILL), and
// returns when they are gone and every goroutine has ended. Calls that wait get
// a second to see the true end, and are then woken, see [Execution.Await].
//
// If somebody will do the rest of the grace (HandOver), Close waits no longer
// than that second, and leaves its goroutines to the end of the process.
//
// Every further call only waits for the first.
func (s *Supervisor) Close() { s.closeOnce.Do(s.close) }

func (s *Supervisor) close() {
	s.mu.Lock()
	s.shut = true
	all := slices.Collect(maps.Values(s.byID))
	s.mu.Unlock()
	kill := time.Now().Add(s.opts.Grace)
	signalled, gone := make(chan struct{}), make(chan struct{})
	s.wg.Go(func() { s.endAll(all, signalled, gone) })
	s.signalStrays(syscall.SIGTERM)
	<-signalled // what is handed over must have had its SIGTERM
	ended := within(gone, min(shutdownAnswer, s.opts.Grace))
	s.signalStrays(syscall.SIGKILL)
	close(s.closing)
	switch {
	case ended:
	case s.opts.HandOver != nil && s.opts.HandOver(time.Until(kill)):
		return
	case !within(gone, time.Until(kill)+unkillable):
		s.log.Error("processes outlived SIGKILL; they hang in the kernel and are left behind")
		return
	}
	s.closeOutputs()
	s.wg.Wait()
}

// endAll ends the executions. It closes signalled when all have been signalled,
// and gone when their trees are.
func (s *Supervisor) endAll(all []*Execution, signalled, gone chan<- struct{}) {
	//nolint:forbidigo // Close has no caller whose context it could take: the end of the server outlasts every call.
	ctx := context.Background()
	var told, ended sync.WaitGroup
	told.Add(len(all))
	for _, e := range all {
		ended.Go(func() {
			accepted := make(chan bool, 1)
			r := s.shutdownRequest()
			r.accepted = accepted
			e.end(r)
			<-accepted
			told.Done()
			<-e.done
			if left := e.Detached(); len(left) > 0 && !s.opts.KeepDetached {
				_, _ = e.stopDetached(ctx, StopOptions{Signal: syscall.SIGTERM, Force: s.opts.Grace}, left)
			}
		})
	}
	told.Wait()
	close(signalled)
	ended.Wait()
	close(gone)
}

func (s *Supervisor) signalStrays(sig syscall.Signal) {
	if s.opts.SignalStrays != nil && !s.opts.KeepDetached {
		s.opts.SignalStrays(sig)
	}
}

// within reports whether c was closed within d.
func within(c <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return closed(c)
	}
}

// closeOutputs ends the reading of outputs that are only held by processes
// outside of the ended groups.
func (s *Supervisor) closeOutputs() {
	s.mu.Lock()
	all := slices.Collect(maps.Keys(s.reading))
	s.mu.Unlock()
	for _, e := range all {
		e.proc.Output().Close()
	}
}
