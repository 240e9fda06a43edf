package server

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/principal"
	"whelk/internal/server/httpguard"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"

	methodInitialize = "initialize"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"
)

const (
	// busyRetry is for a client that met too many calls: most are short.
	busyRetry = time.Second

	// sessionRetry is for one that met too many sessions, which last.
	sessionRetry = 30 * time.Second

	// restartRetry is what a restart takes.
	restartRetry = 5 * time.Second
)

// An endpoint is the one URL at which both eras are served: sessions, and
// requests that stand alone. The SDK has a handler for each; the endpoint
// chooses, and keeps account of sessions, calls and cancellations.
type endpoint struct {
	traffic
	log      *slog.Logger
	sessions *httpSessions
	slots    chan struct{} // one in it for each call in flight
	bodies   chan struct{} // one in it for each body that is being read
	maxBody  int64
	times    httpTimes
	draining chan struct{} // closed when no new calls are accepted
	alone    atomic.Uint64 // names the calls that have no session

	handshake, stateless func(http.ResponseWriter, *http.Request, *exchange)
}

func newEndpoint(o HTTPOptions) *endpoint {
	e := &endpoint{
		traffic:  traffic{calls: newCalls(), marks: newMarks(), find: callOf},
		log:      o.Logger,
		sessions: newHTTPSessions(o.MaxSessions),
		slots:    make(chan struct{}, o.MaxCalls),
		bodies:   make(chan struct{}, o.MaxCalls),
		maxBody:  o.MaxBody,
		times:    o.times,
		draining: make(chan struct{}),
	}
	server := newServer(o.Options, &e.traffic)
	server.AddReceivingMiddleware(e.attend)
	server.AddSendingMiddleware(askWhileThere)
	handler := func(stateless bool) http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
			Stateless: stateless,
			Logger:    o.Logger,
			// The guard has checked Host, on every address.
			DisableLocalhostProtection: true,
			MaxRequestBodyBytes:        -1, // the endpoint has read the body
			// A client that is lost does not end its call, in either era: what
			// it started goes on and can be found again. And there is no
			// EventStore: output is read again from the execution, by
			// position, which works across sessions and in both eras.
			PropagateRequestCancellation: false,
		})
	}
	e.handshake, e.stateless = carry(handler(false)), carry(handler(true))
	return e
}

// ServeHTTP implements http.Handler.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stateless := r.Header.Get(headerVersion) >= firstStateless
	switch {
	case r.Method == http.MethodPost:
		e.post(w, r)
	case r.Method == http.MethodGet && !stateless:
		e.listen(w, r)
	case r.Method == http.MethodDelete && !stateless:
		e.endSession(w, r)
	case stateless:
		refuseMethod(w, "POST")
	default:
		refuseMethod(w, "GET, POST, DELETE")
	}
}

func refuseMethod(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	httpguard.Refuse(w, http.StatusMethodNotAllowed, "this method is not served here: use "+allowed)
}

// listen serves the stream for what the server sends on its own.
func (e *endpoint) listen(w http.ResponseWriter, r *http.Request) {
	who := principal.From(r.Context())
	session := e.sessionOf(w, r, who)
	if session == nil {
		return
	}
	defer e.sessions.leave(session)
	setReadDeadline(w, 0) // the client has nothing to send, for hours
	e.handshake(&answerWriter{ResponseWriter: w, endpoint: e}, r, &exchange{principal: who, client: r.Context()})
}

// sessionOf enters the session that a request names. If there is none, it
// answers, and returns nil.
func (e *endpoint) sessionOf(w http.ResponseWriter, r *http.Request, who principal.Principal) *httpSession {
	id := r.Header.Get(headerSession)
	if id == "" {
		httpguard.Refuse(w, http.StatusBadRequest, "the request names no session: send initialize first, "+
			"then the "+headerSession+" header of its answer with every request")
		return nil
	}
	session := e.sessions.enter(id, who.Identity())
	if session == nil {
		refuseSession(w)
	}
	return session
}

// refuseSession answers with the status that makes clients initialize again.
func refuseSession(w http.ResponseWriter) {
	httpguard.Refuse(w, http.StatusNotFound, "there is no such session, or not any more: send initialize again; "+
		"commands that were started go on, and ps lists them")
}

func (e *endpoint) endSession(w http.ResponseWriter, r *http.Request) {
	who := principal.From(r.Context())
	session := e.sessionOf(w, r, who)
	if session == nil {
		return
	}
	e.sessions.leave(session)
	e.sessions.remove(session)
	w.WriteHeader(http.StatusNoContent)
}

// post serves one message of a client.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request) {
	if mediaType(r) != "application/json" {
		httpguard.Refuse(w, http.StatusUnsupportedMediaType, "send the message as JSON, with Content-Type: application/json")
		return
	}
	if isClosed(e.draining) {
		refuseEnding(w, nil)
		return
	}
	m, body, ok := e.readMessage(w, r)
	if !ok {
		return
	}
	x := &exchange{principal: principal.From(r.Context()), client: r.Context(), done: func() {}}
	if m.kind == request {
		// What is no call always has room: an answer or a cancel lets calls end.
		if !take(e.slots) {
			refuseBusy(w)
			return
		}
		x.done = func() { <-e.slots }
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Header.Get(headerVersion) >= firstStateless || requestVersion(m.params) >= firstStateless {
		e.postAlone(w, r, m, x)
		return
	}
	e.postInSession(w, r, m, x)
}

// take takes a place, if there is one.
func take(places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	default:
		return false
	}
}

// readMessage reads and checks the message of a request. If it is refused,
// readMessage answers, and returns false.
func (e *endpoint) readMessage(w http.ResponseWriter, r *http.Request) (m message, body []byte, ok bool) {
	if !take(e.bodies) {
		refuseBusy(w)
		return message{}, nil, false
	}
	defer func() { <-e.bodies }()
	if body, ok = e.readBody(w, r); !ok {
		return message{}, nil, false
	}
	m, refusal := parseMessage(body)
	if refusal == nil {
		refusal = exactID(m)
	}
	if refusal != nil {
		writeRefusal(w, http.StatusBadRequest, m.rawID, refusal)
		return message{}, nil, false
	}
	return m, body, true
}

// postAlone serves a message of the stateless era. Since nothing connects two
// requests there, a notification cannot name the call that it cancels.
func (e *endpoint) postAlone(w http.ResponseWriter, r *http.Request, m message, x *exchange) {
	if m.method == methodListen {
		// It lasts, so it does not take a call's place.
		x.done()
		x.done = e.sessions.giveBack
		if !e.sessions.reserve() {
			refuseSessions(w)
			return
		}
	}
	e.serve(w, r, m, x, e.aloneKey(m), e.stateless)
}

// postInSession serves a message of the handshake era.
func (e *endpoint) postInSession(w http.ResponseWriter, r *http.Request, m message, x *exchange) {
	if m.method == methodInitialize && r.Header.Get(headerSession) == "" {
		if !e.sessions.reserve() {
			x.done()
			refuseSessions(w)
			return
		}
		defer e.sessions.giveBack()
		e.serve(w, r, m, x, e.aloneKey(m), e.handshake)
		return
	}
	x.session = e.sessionOf(w, r, x.principal)
	if x.session == nil {
		x.done()
		return
	}
	giveBack := x.done
	x.done = func() {
		e.sessions.leave(x.session)
		giveBack()
	}
	if m.kind == notification && m.method == methodCancelled {
		// The SDK is not told, as on stdio: it would answer all the same.
		if id, reason, ok := cancelTarget(m.params); ok {
			e.calls.cancel(callKey{session: x.session.id, id: id}, reason)
		}
		x.done()
		w.WriteHeader(http.StatusAccepted)
		return
	}
	e.serve(w, r, m, x, callKey{session: x.session.id, id: m.id}, e.handshake)
}

// aloneKey returns a key for a call that has no session.
func (e *endpoint) aloneKey(m message) callKey {
	return callKey{session: " " + strconv.FormatUint(e.alone.Add(1), 10), id: m.id} // no session's id has a space
}

// serve hands a message to the SDK. The exchange is done when the SDK's
// handler has returned, and the tool too.
func (e *endpoint) serve(w http.ResponseWriter, r *http.Request, m message, x *exchange, key callKey,
	handler func(http.ResponseWriter, *http.Request, *exchange),
) {
	if m.kind != request {
		defer x.done()
		handler(&answerWriter{ResponseWriter: w, endpoint: e}, r, x)
		return
	}
	x.call = &call{key: key, method: m.method, rawID: m.rawID, holders: 1}
	switch e.calls.admit(x.call, false) {
	case admitted:
		defer e.release(x)
		handler(&answerWriter{ResponseWriter: w, endpoint: e, call: x.call}, r, x)
	case closing:
		x.done()
		refuseEnding(w, m.rawID)
	case duplicate, parked:
		x.done()
		writeRefusal(w, http.StatusBadRequest, m.rawID, duplicateID(m.rawID))
	}
}

func refuseBusy(w http.ResponseWriter) {
	httpguard.RefuseFor(w, http.StatusServiceUnavailable, busyRetry,
		"too many requests are in flight: wait for some of them to end, or raise the limit of calls")
}

func refuseSessions(w http.ResponseWriter) {
	httpguard.RefuseFor(w, http.StatusServiceUnavailable, sessionRetry,
		"too many sessions are open: end those that are not needed (DELETE), wait until idle ones expire, or raise the limit of sessions")
}

func refuseEnding(w http.ResponseWriter, rawID []byte) {
	w.Header().Set("Retry-After", strconv.Itoa(int(restartRetry/time.Second)))
	writeRefusal(w, http.StatusServiceUnavailable, rawID, shuttingDown())
}

// writeRefusal answers a message that the SDK does not get to see.
func writeRefusal(w http.ResponseWriter, status int, rawID []byte, refusal *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(appendHTTPError(nil, rawID, refusal)) // a client that is gone needs no refusal
}
