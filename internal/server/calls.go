package server

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A callKey names a call in flight. Ids are the client's choice, so each
// session has its own; on stdio all calls are in one, "".
type callKey struct {
	session string
	id      jsonrpc.ID
}

// A call is one request that the client wants answered.
type call struct {
	key    callKey
	method string
	rawID  []byte

	// The request for the SDK and the session that gets it, on stdio.
	request *jsonrpc.Request
	session *session

	// extra travels through the SDK with the request, and is how middleware,
	// which does not see ids, finds its call on stdio.
	extra mcp.RequestExtra

	// payloads are what the answer's markers stand for. They belong to the
	// goroutine that runs the call, which is also the one that answers it.
	payloads []payload

	// The fields below are guarded by calls.mu.
	cancel    context.CancelCauseFunc // nil until the call has reached the middleware
	cancelled bool                    // no answer is wanted any more
	next      *call                   // uses the same id, waits for this one to go
	holders   int                     // on HTTP: who still works on it
}

func newCall(m message, session *session) *call {
	c := &call{key: callKey{id: m.id}, method: m.method, rawID: m.rawID, session: session}
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

// calls are the calls in flight.
type calls struct {
	mu      sync.Mutex // guards the fields below, and those of each call that say so
	byKey   map[callKey]*call
	byExtra map[*mcp.RequestExtra]*call
	open    int           // admitted or parked, not cancelled, not yet finished
	empty   chan struct{} // closed when open falls to 0; nil if nobody asked
	closed  bool
}

func newCalls() *calls {
	return &calls{byKey: map[callKey]*call{}, byExtra: map[*mcp.RequestExtra]*call{}}
}

// admit enters a new call; mayPark says whether it can be parked. Each call
// admitted or parked must be finished, or cancelled.
func (t *calls) admit(c *call, mayPark bool) verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return closing
	}
	old := t.byKey[c.key]
	switch {
	case old == nil:
		t.enter(c)
		t.open++
		return admitted
	case mayPark && old.cancelled && old.next == nil:
		old.next = c
		t.open++
		return parked
	}
	return duplicate
}

// enter requires t.mu.
func (t *calls) enter(c *call) {
	t.byKey[c.key] = c
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

// cancel cancels the call with this key, if there is one, and sees to it that
// it is not answered. If a parked call has the id, that is the one meant.
// initialize cannot be cancelled: the protocol forbids it, and a session
// without the answer to it is of no use.
func (t *calls) cancel(key callKey, reason string) {
	cancel := t.markCancelled(key)
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
func (t *calls) markCancelled(key callKey) context.CancelCauseFunc {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.byKey[key]
	switch {
	case c == nil || c.method == "initialize":
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

// answer takes the call with this key out of the table before its answer is
// written, since the client may use the id again as soon as it has read that.
// It returns nil if there is none. wanted says whether the answer may be
// written; next, if not nil, is a call to hand to its session now.
func (t *calls) answer(key callKey) (c *call, wanted bool, next *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c = t.byKey[key]
	if c == nil {
		return nil, false, nil
	}
	delete(t.byKey, key)
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

// traffic is what both transports share: the calls in flight, and how the
// middleware that works on them finds the call of a request.
type traffic struct {
	calls *calls
	marks marks

	// find returns the call that a request belongs to, nil for a notification.
	find func(*mcp.RequestExtra) *call
}

// cancellable is middleware that gives each call a context which the client
// can cancel.
func (t *traffic) cancellable(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		c := t.find(req.GetExtra())
		if c == nil { // a notification
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if !t.calls.begin(c, cancel) {
			return nil, errCancelled
		}
		return next(ctx, method, req)
	}
}

// hold counts one more who works on a call, beside those who do already. It
// returns false if nobody does any more: then there is nothing to release.
func (t *calls) hold(c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.holders == 0 {
		return false
	}
	c.holders++
	return true
}

// release takes back one hold. The last one takes the call out of the table,
// and is told so.
func (t *calls) release(c *call) (last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.holders--
	if c.holders > 0 {
		return false
	}
	delete(t.byKey, c.key)
	delete(t.byExtra, &c.extra)
	if !c.cancelled {
		t.leave()
	}
	return true
}

// wanted reports whether the call's answer may be written.
func (t *calls) wanted(c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !c.cancelled
}

// end ends the contexts of those calls for which which returns true, without
// taking away their answers.
func (t *calls) end(cause error, which func(*call) bool) {
	t.mu.Lock()
	var cancels []context.CancelCauseFunc
	for _, c := range t.byKey {
		if c.cancel != nil && which(c) {
			cancels = append(cancels, c.cancel)
		}
	}
	t.mu.Unlock()
	for _, cancel := range cancels {
		cancel(cause)
	}
}
