package execution

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"whelk/internal/proc"
)

// stdin is the writing side of an execution's standard input. Writers take
// turns; the initial input is the first.
type stdin struct {
	pipe  proc.Stdin    // nil: the execution has an empty input
	turn  chan struct{} // holds a token; whoever has taken it may write
	input string        // the initial input
	keep  bool          // stay open after it
	fed   chan struct{} // closed when the initial input is written or given up

	mu     sync.Mutex // guards the fields below
	closed bool
	broken bool   // the command has closed its end
	fault  string // why the initial input did not all arrive
}

func newStdin(pipe proc.Stdin, input string, keep bool) *stdin {
	s := &stdin{pipe: pipe, input: input, keep: keep, turn: make(chan struct{}, 1), fed: make(chan struct{})}
	s.closed = pipe == nil
	if s.closed && input != "" {
		s.fault = fmt.Sprintf("0 of %d bytes of stdin were delivered: %s", len(input), readsFile)
	}
	if s.feeds() {
		return s // the first turn is the feed's
	}
	s.turn <- struct{}{}
	close(s.fed)
	return s
}

// feeds reports whether there is something to do before the first write.
func (s *stdin) feeds() bool { return s.pipe != nil && (s.input != "" || !s.keep) }

// feed writes the initial input, in the background so that a reader that does
// not read delays nobody.
func (s *stdin) feed() {
	defer close(s.fed)
	n, err := s.pipe.Write([]byte(s.input))
	if err != nil {
		s.mu.Lock()
		s.fault = feedFault(n, len(s.input), err)
		s.mu.Unlock()
	}
	if err != nil || !s.keep {
		s.close()
	}
	s.turn <- struct{}{}
}

// readsFile is why an execution that should have a pipe has none.
const readsFile = "the first program reads a file (<) instead"

func feedFault(n, of int, err error) string {
	why := err.Error()
	switch {
	case errors.Is(err, syscall.EPIPE):
		why = "the command closed its input (broken pipe)"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, fs.ErrClosed):
		why = "the command ended without reading the rest"
	}
	return fmt.Sprintf("%d of %d bytes of stdin were delivered: %s", n, of, why)
}

// write writes p, and closes the input afterwards if last. It returns how many
// bytes the pipe took; the rest is not written later.
func (s *stdin) write(ctx context.Context, p []byte, last bool) (n int, err error) {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	if s.isClosed() {
		return 0, fs.ErrClosed
	}
	_ = s.pipe.SetWriteDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { _ = s.pipe.SetWriteDeadline(time.Unix(1, 0)) })
	n, err = s.pipe.Write(p)
	stop()
	if errors.Is(err, syscall.EPIPE) {
		s.mu.Lock()
		s.broken = true
		s.mu.Unlock()
		s.close()
	}
	if err == nil && last {
		s.close()
	}
	return n, err
}

// whyClosed says why nothing can be written, and what would have helped.
func (s *stdin) whyClosed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.broken:
		return "the command has closed its input"
	case s.pipe == nil && (s.keep || s.input != ""):
		return readsFile
	case s.pipe == nil || !s.keep:
		return "start the command with close_stdin=false to write to it later"
	}
	return "an earlier write closed it"
}

func (s *stdin) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// close gives the command end-of-file and unblocks a blocked write.
func (s *stdin) close() {
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.mu.Unlock()
	if !was {
		_ = s.pipe.Close()
	}
}

// shut closes the input of a command that has ended and waits until the feed
// has noticed, so that its fault is part of the result.
func (s *stdin) shut() {
	s.close()
	<-s.fed
}

func (s *stdin) err() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// Write writes input to the execution's standard input and then closes it if
// last. It blocks while the command does not read, until ctx ends, and returns
// how many bytes were taken: on an error the rest is not delivered later.
func (e *Execution) Write(ctx context.Context, input []byte, last bool) (int, error) {
	if status := e.Snapshot().Status; status != Running {
		return 0, errorf(NotRunning, "it has ended (status: %v) and reads no more; its output can still be read", status)
	}
	n, err := e.stdin.write(ctx, input, last)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, fs.ErrClosed), errors.Is(err, syscall.EPIPE):
		return n, &Error{Code: StdinClosed, Err: err, Text: "its stdin is closed: " + e.stdin.whyClosed()}
	case ctx.Err() != nil:
		return n, &Error{Code: LimitExceeded, Err: err, Text: fmt.Sprintf("the command did not read its input in time: %d of %d bytes were taken, the rest was not written; read its output, then write the rest", n, len(input))}
	}
	return n, &Error{Code: StdinClosed, Err: err, Text: "write to stdin: " + err.Error()}
}
