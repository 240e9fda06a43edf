package server

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// errLineTooLong says that a line was skipped; reading goes on after it.
var errLineTooLong = errors.New("line too long")

// readBuffer, in bytes, holds nearly every request whole, so that its line is
// copied once.
const readBuffer = 64 << 10

// A lineReader splits the input into lines. bufio.Scanner is not used because
// it ends at the first long line (BO-56).
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBuffer), max: max}
}

// next returns the next line that is not blank, without its end, without
// white space around it and without a byte order mark. The slice belongs to
// the caller. The last line may lack its newline. The error is errLineTooLong
// for a line that was skipped, else the reader's.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.read()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		line = bytes.Trim(line, " \t\r\n")
		if len(line) > 0 {
			return line, nil
		}
	}
}

// read returns one line with its end. Of a line over the limit it keeps
// nothing.
func (l *lineReader) read() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if !tooLong && len(line)+len(bytes.TrimRight(part, "\r\n")) > l.max {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case tooLong:
			return nil, errLineTooLong
		case err != nil && len(line) == 0:
			return nil, err
		}
		return line, nil
	}
}

// A lineWriter writes whole lines, one Write each. After a failed Write the
// client is taken to be gone and lines are dropped.
type lineWriter struct {
	w      io.Writer
	failed chan struct{} // closed after the first failed Write

	mu  sync.Mutex // guards the fields below, and keeps lines whole
	err error
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{w: w, failed: make(chan struct{})}
}

func (l *lineWriter) write(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	if _, err := l.w.Write(line); err != nil {
		l.err = fmt.Errorf("write to client: %w", err)
		close(l.failed)
	}
}

// failure returns the error of the first failed Write, without waiting for
// one in progress.
func (l *lineWriter) failure() error {
	select {
	case <-l.failed:
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.err
	default:
		return nil
	}
}
