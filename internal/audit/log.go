package audit

import (
	"fmt"
	"io"
	"os"
)

// Where records may go, besides the path of a file.
const (
	Off    = "off"
	Stderr = "stderr"
)

// Log is where records go. It is safe for concurrent use. A nil Log takes
// records and drops them.
type Log struct {
	to, otherwise io.Writer
}

// Open opens the log: Off is nil, Stderr is standard error, everything else is the
// path of a file that records are appended to; a new one is for its owner alone.
// The log is never closed: it is open as long as the program serves.
func Open(where string) (*Log, error) {
	switch where {
	case Off:
		return nil, nil
	case Stderr:
		return &Log{to: os.Stderr, otherwise: io.Discard}, nil
	}
	f, err := os.OpenFile(where, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	return &Log{to: f, otherwise: os.Stderr}, nil
}

// Write writes a record.
func (l *Log) Write(r Record) {
	if l == nil {
		return
	}
	line := r.line()
	if _, err := l.to.Write(line); err != nil {
		fmt.Fprintf(l.otherwise, "audit: %v; the record: %s", err, line)
	}
}
