package server

import (
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/principal"
)

// An httpSession is one session of the handshake era, from initialize to
// DELETE or its expiry. It belongs to the principal that opened it.
type httpSession struct {
	id    string
	owner principal.Identity
	sdk   *mcp.ServerSession

	// The fields below are guarded by httpSessions.mu.
	busy int       // calls and streams
	idle time.Time // since when, if not busy
}

// httpSessions are the sessions open, and the subscription streams of the
// stateless era, which cost as much.
type httpSessions struct {
	max     int
	closing sync.WaitGroup // sessions on their way out

	mu     sync.Mutex // guards the fields below
	byID   map[string]*httpSession
	others int // streams, and sessions being opened
	closed bool
}

func newHTTPSessions(max int) *httpSessions {
	return &httpSessions{max: max, byID: map[string]*httpSession{}}
}

// reserve makes room for a session that is being opened, or for a stream. It
// returns false if there is none; else the room must be given back.
func (s *httpSessions) reserve() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.byID)+s.others >= s.max {
		return false
	}
	s.others++
	return true
}

func (s *httpSessions) giveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others--
}

// add enters a session that has been initialized. It returns false if none is
// accepted any more.
func (s *httpSessions) add(sdk *mcp.ServerSession, owner principal.Identity) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.byID[sdk.ID()] = &httpSession{id: sdk.ID(), owner: owner, sdk: sdk, idle: time.Now()}
	return true
}

// enter returns the session with this id, which is busy until leave, or nil if
// there is none or it belongs to somebody else: that it exists is not for
// others to know.
func (s *httpSessions) enter(id string, owner principal.Identity) *httpSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	session := s.byID[id]
	if session == nil || session.owner != owner {
		return nil
	}
	session.busy++
	return session
}

func (s *httpSessions) leave(session *httpSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session.busy--
	session.idle = time.Now()
}

// remove closes a session, unless that has been done.
func (s *httpSessions) remove(session *httpSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[session.id] == session {
		s.close(session)
	}
}

// close takes a session out and ends it in the background, because the SDK
// waits for the calls in flight. It requires s.mu.
func (s *httpSessions) close(session *httpSession) {
	delete(s.byID, session.id)
	s.closing.Go(func() { _ = session.sdk.Close() }) // the transport is ours and does not fail
}

// expire closes sessions that were idle for too long, until ended is closed.
func (s *httpSessions) expire(ended <-chan struct{}, limit time.Duration) {
	// Precise to an eighth of the limit, at most a minute.
	ticker := time.NewTicker(max(min(limit/8, time.Minute), time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return
		case now := <-ticker.C:
			s.closeIdle(now.Add(-limit))
		}
	}
}

// closeIdle closes the sessions that have been idle since before the time.
func (s *httpSessions) closeIdle(before time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.byID {
		if session.busy == 0 && session.idle.Before(before) {
			s.close(session)
		}
	}
}

// closeAll closes all sessions and those to come.
func (s *httpSessions) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, session := range s.byID {
		s.close(session)
	}
}

// join waits for the sessions that were closed, at most for the limit: a tool
// that ignores its cancelled context is not waited for.
func (s *httpSessions) join(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.closing.Wait()
	}()
	await(limit, done, nil)
}
