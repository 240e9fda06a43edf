package server

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A stream is the connection to the one client: it reads lines, decides what
// each is, hands it to the session of its era, and writes what the sessions
// answer.
type stream struct {
	traffic
	in      io.Reader
	maxLine int
	out     *lineWriter
	log     *slog.Logger
	buffers sync.Pool // of *[]byte, for one outgoing line each

	handshake, stateless *session

	readDone chan struct{} // closed when the input has ended
	readErr  error         // why, if not io.EOF; set before readDone is closed
	ended    chan struct{} // closed when nothing more is served
}

func newStream(o Options) *stream {
	s := &stream{
		in:       o.In,
		maxLine:  o.MaxLine,
		out:      newLineWriter(o.Out),
		log:      o.Logger,
		readDone: make(chan struct{}),
		ended:    make(chan struct{}),
	}
	s.calls, s.marks = newCalls(), newMarks()
	s.find = s.calls.find
	s.buffers.New = func() any { return new([]byte) }
	s.handshake = newSession(s)
	s.stateless = newSession(s)
	return s
}

// readLines serves the input until it ends.
func (s *stream) readLines() {
	defer close(s.readDone)
	lines := newLineReader(s.in, s.maxLine)
	for {
		line, err := lines.next()
		switch {
		case err == nil:
			s.receive(line)
		case errors.Is(err, errLineTooLong):
			s.refuse(nil, lineTooLong(s.maxLine))
		default:
			if !errors.Is(err, io.EOF) {
				s.readErr = err
			}
			return
		}
	}
}

// receive acts on one line.
func (s *stream) receive(line []byte) {
	m, refusal := parseMessage(line)
	switch {
	case refusal != nil:
		s.refuse(m.rawID, refusal)
	case m.kind == response:
		s.handshake.deliver(&jsonrpc.Response{ID: m.id, Result: m.result, Error: m.failure()})
	case m.kind == notification:
		s.receiveNotification(m)
	case m.kind == request:
		s.receiveRequest(m)
	default:
		s.log.Warn("ignored a response without a usable id")
	}
}

func (s *stream) receiveRequest(m message) {
	c := newCall(m, s.sessionFor(m))
	switch s.calls.admit(c, true) {
	case admitted:
		c.session.deliver(c.request)
	case duplicate:
		s.refuse(m.rawID, duplicateID(m.rawID))
	case closing:
		s.refuse(m.rawID, shuttingDown())
	case parked:
		// Delivered when the cancelled call that has its id is gone.
	}
}

func (s *stream) receiveNotification(m message) {
	if m.method == "notifications/cancelled" {
		// The SDK is not told: it cancels by id, from a goroutine of its
		// own, and so may hit a later call that uses the id again.
		if id, reason, ok := cancelTarget(m.params); ok {
			s.calls.cancel(callKey{id: id}, reason)
		}
		return
	}
	s.handshake.deliver(&jsonrpc.Request{Method: m.method, Params: m.params})
}

// refuse answers a line that reaches no session. A nil id is written as null.
func (s *stream) refuse(rawID []byte, refusal *jsonrpc.Error) {
	s.log.Debug("refused a message", "code", refusal.Code, "reason", refusal.Message)
	s.writeLine(func(b []byte) []byte { return appendError(b, rawID, refusal) })
}

// writeLine writes the line that build appends to the buffer it is given.
func (s *stream) writeLine(build func([]byte) []byte) {
	buffer := s.buffers.Get().(*[]byte)
	line := append(build((*buffer)[:0]), '\n')
	s.out.write(line)
	if cap(line) <= maxPooled {
		*buffer = line
		s.buffers.Put(buffer)
	}
}

// maxPooled, in bytes, is above the 1 MiB that no result should exceed, so
// that only the buffers of outsized ones are not used again.
const maxPooled = 2 << 20

// awaitEnd returns when the service should shut down.
func (s *stream) awaitEnd(ctx context.Context, drain time.Duration) {
	select {
	case <-ctx.Done():
		return
	case <-s.out.failed:
		return
	case <-s.readDone:
	}
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case <-s.calls.idle():
	case <-timer.C:
	case <-ctx.Done():
	case <-s.out.failed:
	}
}

// close lets calls answer for a moment, then ends the sessions and closes the
// client's streams. It returns what went wrong while serving, if anything.
func (s *stream) close() error {
	await(answerGrace, s.calls.idle(), s.out.failed)
	close(s.ended)
	s.log.Debug("closing", "unanswered", s.calls.count())
	closeStream(s.in)
	closeStream(s.out.w)
	deadline := time.Now().Add(closeGrace)
	for _, done := range []chan struct{}{s.handshake.closed, s.stateless.closed, s.readDone} {
		await(time.Until(deadline), done, nil)
	}
	if err := s.out.failure(); err != nil && !clientGone(err) {
		return err
	}
	select {
	case <-s.readDone:
		if !clientGone(s.readErr) {
			return s.readErr
		}
	default:
	}
	return nil
}

// await waits for either channel, at most for the limit.
func await(limit time.Duration, a, b <-chan struct{}) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-a:
	case <-b:
	case <-timer.C:
	}
}

func closeStream(stream any) {
	if c, ok := stream.(io.Closer); ok {
		_ = c.Close() // what is lost by now has no reader
	}
}

// clientGone reports whether a failed read or write only means that the other
// end, or we, closed the stream.
func clientGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, fs.ErrClosed)
}
