package execution

import (
	"fmt"
	"slices"
	"time"

	"whelk/internal/principal"
)

// reserve makes room for one more live execution, removing retained ones that
// are over their limits first (mcp-yieldshell reaps before each valid spawn).
func (s *Supervisor) reserve(who principal.Principal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return errorf(FailedToStart, "the server is shutting down: nothing is started any more")
	}
	s.reapLocked(time.Now().Add(-s.opts.Retention), max(0, s.opts.MaxRetained))
	if err := s.opts.Quotas.take(who); err != nil {
		return err
	}
	if s.live >= s.opts.MaxLive {
		s.opts.Quotas.give(who)
		whose := ""
		if own := s.liveOf[who.Identity()]; own < s.live {
			whose = fmt.Sprintf(", %d of them yours", own)
		}
		return errorf(LimitExceeded, "%d executions are alive%s, which is the limit (%d) of max-executions: wait for one to end, or stop one (ps lists them)", s.live, whose, s.opts.MaxLive)
	}
	s.live++
	s.liveOf[who.Identity()]++
	// Waited for by Close, so counted while it cannot have begun.
	s.wg.Add(1)
	return nil
}

// release takes back a reservation.
func (s *Supervisor) release(who principal.Principal) {
	s.mu.Lock()
	s.departLocked(who)
	s.mu.Unlock()
	s.wg.Done()
}

// departLocked counts a live execution less. s.mu is held.
func (s *Supervisor) departLocked(who principal.Principal) {
	s.live--
	s.opts.Quotas.give(who)
	id := who.Identity()
	if s.liveOf[id]--; s.liveOf[id] == 0 {
		delete(s.liveOf, id)
	}
}

// reapLocked removes executions that are released or ended before a moment, and then evicts
// until no more than most are left. One whose daemons live on stays, because
// its handle is the only one they have. s.mu is held.
func (s *Supervisor) reapLocked(before time.Time, most int) {
	s.ended = slices.DeleteFunc(s.ended, func(e *Execution) bool {
		if !e.released && !e.endedAt().Before(before) || len(e.Detached()) > 0 {
			return false
		}
		s.dropLocked(e)
		return true
	})
	kept := make(map[principal.Identity]int)
	for _, e := range s.ended {
		kept[e.owner.Identity()]++
	}
	for len(s.ended) > most {
		i := s.victimLocked(kept)
		if i < 0 {
			return
		}
		kept[s.ended[i].owner.Identity()]--
		s.dropLocked(s.ended[i])
		s.ended = slices.Delete(s.ended, i, i+1)
	}
}

// victimLocked returns the index of the oldest ended execution of the principal
// that has the most of them, so that nobody's results are lost to the many
// commands of another; -1 if there is none to lose. s.mu is held.
func (s *Supervisor) victimLocked(kept map[principal.Identity]int) int {
	victim, most := -1, 0
	for i, e := range s.ended {
		if n := kept[e.owner.Identity()]; n > most && len(e.Detached()) == 0 {
			victim, most = i, n
		}
	}
	return victim
}

// dropLocked makes an ended execution unknown and frees its output. s.mu is
// held; s.ended is the caller's to mend.
func (s *Supervisor) dropLocked(e *Execution) {
	delete(s.byID, e.id)
	e.log.Discard()
}

// finished moves an execution from live to ended. The newest is kept whatever
// the limit, since its caller has just been told the handle.
func (s *Supervisor) finished(e *Execution) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.departLocked(e.owner)
	if e.released && len(e.proc.Tree()) == 0 {
		s.dropLocked(e)
		return
	}
	if most := max(1, s.opts.MaxRetained); len(s.ended) >= most {
		s.reapLocked(time.Time{}, most-1) // none is that old
	}
	s.ended = append(s.ended, e)
}

// Release says that nobody will ask for the execution again: it is removed as soon
// as it has ended, whatever the retention, and what it has written with it. One that
// left daemons stays until they are gone, so that the end of the server finds them.
func (e *Execution) Release() {
	s := e.sup
	s.mu.Lock()
	defer s.mu.Unlock()
	e.released = true
	if i := slices.Index(s.ended, e); i >= 0 && len(e.proc.Tree()) == 0 {
		s.dropLocked(e)
		s.ended = slices.Delete(s.ended, i, i+1)
	}
}
