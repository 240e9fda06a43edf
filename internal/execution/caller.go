package execution

import (
	"context"
	"slices"
	"time"

	"whelk/internal/principal"
)

// Caller is the supervisor as one principal sees it: the executions of others
// do not exist. It is a small value, and safe for concurrent use.
type Caller struct {
	sup *Supervisor
	who principal.Principal
}

// As returns the supervisor as p sees it. The zero principal is a principal
// like others.
func (s *Supervisor) As(p principal.Principal) Caller { return Caller{sup: s, who: p} }

// Start is the one door: it checks the request, makes room, and launches. The
// execution belongs to the caller's principal and lives on when ctx ends. The
// principal's policy and limits restrict the server's further. A failure is an
// [Error]; nothing has run then.
func (c Caller) Start(ctx context.Context, r Request) (*Execution, error) {
	return c.sup.launch(ctx, &r, c.who)
}

// Get returns the caller's execution with that handle. That of another
// principal gives the error of a handle that never was.
func (c Caller) Get(id string) (*Execution, error) {
	s := c.sup
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byID[id]; e != nil && c.owns(e) {
		return e, nil
	}
	return nil, errorf(UnknownExecution, "Unknown execution_id: %s (ps lists all that can be addressed)", shown(id))
}

// List returns all executions of the caller, the newest first.
func (c Caller) List() []*Execution {
	s := c.sup
	s.mu.Lock()
	var list []*Execution
	for _, e := range s.byID {
		if c.owns(e) {
			list = append(list, e)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(list, func(a, b *Execution) int { return int(b.number - a.number) })
	return list
}

// Cleanup removes those of the caller's executions that completed longer ago
// than completed, and those that ended otherwise longer ago than others. It
// returns how many.
func (c Caller) Cleanup(completed, others time.Duration) int {
	now := time.Now()
	s := c.sup
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.ended)
	s.ended = slices.DeleteFunc(s.ended, func(e *Execution) bool {
		if !c.owns(e) {
			return false
		}
		limit := others
		if e.Snapshot().Status == Completed {
			limit = completed
		}
		if now.Sub(e.endedAt()) < limit || len(e.Detached()) > 0 {
			return false
		}
		s.dropLocked(e)
		return true
	})
	return before - len(s.ended)
}

// Explain says what would become of a request, by the very steps of Start, and
// starts nothing. A request that is faulty in itself is an [Error].
func (c Caller) Explain(r Request) (Explanation, error) { return c.sup.foresee(&r, c.who) }

func (c Caller) owns(e *Execution) bool { return e.owner.Identity() == c.who.Identity() }
