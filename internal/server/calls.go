package server

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A call is one request that the client wants answered.
type call struct {
	request *jsonrpc.Request
	rawID   []byte
	session *session

	// extra travels through the SDK with the request, and is how middleware,
	// which does not see ids, finds its call.
	extra mcp.RequestExtra

	// payloads are what the answer's markers stand for. They belong to the
	// goroutine that runs the call, which is also the one that answers it.
	payloads []payload

	// The fields below are guarded by calls.mu.
	cancel    context.CancelCauseFunc // nil until the call has reached the middleware
	cancelled bool                    // no answer is wanted any more
	next      *call                   // uses the same id, waits for this one to go
}

func newCall(m message, session *session) *call {
	c := &call{rawID: m.rawID, session: session}
	c.request = &jsonrpc.Request{ID: m.id, Method: m.method, Params: m.params, Extra: &c.extra}
	return c
}

// verdict is what becomes of a new call.
type verdict int

const (
	admitted  verdict = iota // to be handed to its session
	parked                   // to be handed over when the cancelled call with its id has gone
	duplicate                // refused: its id is in flight
	closing                  // refused: the server is shutting down
)

// calls are the calls in flight on one connection.
type calls struct {
	mu      sync.Mutex // guards the fields below, and those of each call that say so
	byID    map[jsonrpc.ID]*call
	byExtra map[*mcp.RequestExtra]*call
	open    int           // admitted or parked, not cancelled, not yet finished
	empty   chan struct{} // closed when open falls to 0; nil if nobody asked
	closed  bool
}

func newCalls() *calls {
	return &calls{byID: map[jsonrpc.ID]*call{}, byExtra: map[*mcp.RequestExtra]*call{}}
}

// admit enters a new call. Each call admitted or parked must be finished, or
// cancelled.
func (t *calls) admit(c *call) verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return closing
	}
	old := t.byID[c.request.ID]
	switch {
	case old == nil:
		t.enter(c)
		t.open++
		return admitted
	case old.cancelled && old.next == nil:
		old.next = c
		t.open++
		return parked
	}
	return duplicate
}

// enter requires t.mu.
func (t *calls) enter(c *call) {
	t.byID[c.request.ID] = c
	t.byExtra[&c.extra] = c
}

// find returns the call that extra belongs to, nil if there is none.
func (t *calls) find(extra *mcp.RequestExtra) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byExtra[extra]
}

// begin tells how to cancel the call from now on. It returns false if the
// call was cancelled before.
func (t *calls) begin(c *call, cancel context.CancelCauseFunc) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.cancel = cancel
	return !c.cancelled
}

// errCancelled is the cause of a context that ended because the client
// cancelled its call.
var errCancelled = errors.New("cancelled by the client")

// cancel cancels the call with this id, if there is one, and sees to it that
// it is not answered. If a parked call has the id, that is the one meant.
// initialize cannot be cancelled: the protocol forbids it, and a session
// without the answer to it is of no use.
func (t *calls) cancel(id jsonrpc.ID, reason string) {
	cancel := t.markCancelled(id)
	if cancel == nil {
		return
	}
	cause := errCancelled
	if reason != "" {
		cause = fmt.Errorf("%w: %s", errCancelled, reason)
	}
	cancel(cause)
}

// markCancelled returns how to cancel the context of the call that is
// cancelled now, nil if there is no such call or no such context.
func (t *calls) markCancelled(id jsonrpc.ID) context.CancelCauseFunc {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.byID[id]
	switch {
	case c == nil || c.request.Method == "initialize":
		return nil
	case !c.cancelled:
		c.cancelled = true
		t.leave()
		return c.cancel
	case c.next != nil:
		c.next = nil
		t.leave()
	}
	return nil
}

// answer takes the call with this id out of the table before its answer is
// written, since the client may use the id again as soon as it has read that.
// It returns nil if there is none. wanted says whether the answer may be
// written; next, if not nil, is a call to hand to its session now.
func (t *calls) answer(id jsonrpc.ID) (c *call, wanted bool, next *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c = t.byID[id]
	if c == nil {
		return nil, false, nil
	}
	delete(t.byID, id)
	delete(t.byExtra, &c.extra)
	if c.next != nil {
		t.enter(c.next)
	}
	return c, !c.cancelled, c.next
}

// finish counts a call as done: its answer is written.
func (t *calls) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave()
}

// leave requires t.mu.
func (t *calls) leave() {
	t.open--
	if t.open == 0 && t.empty != nil {
		close(t.empty)
		t.empty = nil
	}
}

// idle returns a channel that is closed once nobody waits for an answer.
func (t *calls) idle() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.empty == nil {
		t.empty = make(chan struct{})
	}
	empty := t.empty
	if t.open == 0 {
		close(t.empty)
		t.empty = nil
	}
	return empty
}

// count returns how many answers are awaited.
func (t *calls) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open
}

// refuseNew makes admit refuse every call from now on.
func (t *calls) refuseNew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

// cancellable is middleware that gives each call a context which the client
// can cancel.
func (s *stream) cancellable(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		c := s.calls.find(req.GetExtra())
		if c == nil { // a notification
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if !s.calls.begin(c, cancel) {
			return nil, errCancelled
		}
		return next(ctx, method, req)
	}
}
