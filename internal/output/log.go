package output

import (
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// DefaultCapacity is how many bytes of each stream a log retains if Options
// does not say otherwise: 256 KiB, so that a cursor outlives many polls of the
// usual 20 kB (mcp-yieldshell, Byte Cursors 9).
const DefaultCapacity = 256 << 10

// minCapacity is the least capacity in bytes: one character of any length fits,
// so the newest output is always readable, even where an eviction takes the
// rest of the character it fell into.
const minCapacity = utf8.UTFMax

// Options are the settings of a log. The zero value is ready to use.
type Options struct {
	// Capacity is how many bytes of each stream are retained in memory. Zero or
	// less means DefaultCapacity; less than 4 means 4.
	Capacity int
	// Head is how many bytes from the beginning of each stream are kept besides,
	// whatever is evicted; zero keeps none. See [Log.Heads].
	Head int
}

// Log keeps both streams of one execution. Make one with NewLog. All its
// methods may be called from any goroutine at any time.
type Log struct {
	mu sync.Mutex // guards the fields below

	streams    [streamCount]stream
	latest     Seq           // the position of the next byte to be committed
	cursor     Seq           // where the next plain read begins
	lastOutput time.Time     // when bytes last arrived
	changed    chan struct{} // nil while nobody waits
}

// Stats are the counts of a log at one moment.
type Stats struct {
	Stdout, Stderr int64     // bytes committed so far, retained or not
	Latest         Seq       // just past the newest committed byte; 1 if there is none
	LastOutput     time.Time // when the command last wrote a byte; zero if it never did
}

// NewLog returns an empty log. It takes no memory for output before there is
// some.
func NewLog(o Options) *Log {
	capacity := o.Capacity
	if capacity <= 0 {
		capacity = DefaultCapacity
	}
	l := &Log{latest: 1, cursor: 1}
	for i := range l.streams {
		l.streams[i].ring.capacity = max(capacity, minCapacity)
		l.streams[i].headRoom = max(o.Head, 0)
	}
	return l
}

// Append adds p to the end of stream s, Stdout or Stderr. It never blocks on a
// reader, never fails, and does not keep p. The last one to three bytes are held
// back, which means that no read and no count shows them yet, while they are the
// beginning of a character whose rest has not been written.
func (l *Log) Append(s Stream, p []byte) {
	if len(p) == 0 {
		return
	}
	now := time.Now() // a read of the clock costs more than most copies
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastOutput = now
	l.advance(l.streams[s].write(l.latest, p))
}

// Touch says that the command has written bytes that are not appended yet.
func (l *Log) Touch() {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastOutput = now
}

// CloseStream says that a stream has ended: what was held back of a character
// that will not be completed is committed as it is. A writer that is late (a
// descendant that kept the pipe) may still append, but nothing of it is held
// back any more. Closing a stream again does nothing.
func (l *Log) CloseStream(s Stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if st := &l.streams[s]; !st.closed {
		l.latest = st.close(l.latest)
		l.wake()
	}
}

// Stats returns the counts of the log.
func (l *Log) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{
		Stdout:     l.streams[Stdout].ring.end,
		Stderr:     l.streams[Stderr].ring.end,
		Latest:     l.latest,
		LastOutput: l.lastOutput,
	}
}

// Heads returns the first bytes of each stream, at most Options.Head of each. The
// last character may be cut.
func (l *Log) Heads() (stdout, stderr []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.streams[Stdout].first), slices.Clone(l.streams[Stderr].first)
}

// Changed returns a channel that is closed at the next commit of bytes or end
// of a stream. Take the channel before looking at the log, or what happens
// between the two is missed.
func (l *Log) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

// Discard frees the memory of the log: everything written so far is evicted,
// and whatever is appended later is counted and evicted at once.
func (l *Log) Discard() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.streams {
		l.streams[i].discard()
	}
}

// advance takes over the new position past all committed bytes. Bytes that were
// only held back change nothing a reader could see, so they wake nobody.
func (l *Log) advance(latest Seq) {
	if latest != l.latest {
		l.latest = latest
		l.wake()
	}
}

// wake closes the channel that Changed handed out, if anybody asked for one.
func (l *Log) wake() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// selected returns the streams that a read asks for.
func (l *Log) selected(s Streams) []stream {
	switch s {
	case OnlyStdout:
		return l.streams[Stdout : Stdout+1]
	case OnlyStderr:
		return l.streams[Stderr : Stderr+1]
	}
	return l.streams[:]
}
