package execution

import (
	"sync"

	"whelk/internal/principal"
)

// Quotas counts the live executions of each principal, over all supervisors
// that share it: a principal's limit is one for all tool sets. The zero value
// is ready to use, and safe for concurrent use.
type Quotas struct {
	mu   sync.Mutex // guards the fields below
	live map[principal.Identity]int
}

// take counts one execution more, unless that passes the principal's limit.
func (q *Quotas) take(who principal.Principal) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.live[who.Identity()]
	if who.MaxExecutions > 0 && own >= who.MaxExecutions {
		return errorf(LimitExceeded, "%d executions of %s are alive, which is the limit (%d) of max-executions for this principal: wait for one to end, or stop one (ps lists them)", own, shown(who.Name), who.MaxExecutions)
	}
	if q.live == nil {
		q.live = make(map[principal.Identity]int)
	}
	q.live[who.Identity()]++
	return nil
}

// give counts one less.
func (q *Quotas) give(who principal.Principal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	id := who.Identity()
	if q.live[id]--; q.live[id] == 0 {
		delete(q.live, id)
	}
}
