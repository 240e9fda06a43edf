package execution

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"whelk/internal/policy"
	"whelk/internal/proc"
)

// Options configures a [Supervisor]. Zero values mean the default named beside
// the field, unless it says otherwise.
type Options struct {
	Launcher proc.Launcher // required
	Logger   *slog.Logger  // nil: nothing is logged

	Dir     string   // default working directory, absolute; required
	Shell   string   // default shell; "" is /bin/sh
	Environ []string // the server's own environment
	EnvSet  []string // NAME=value, laid over Environ for every command

	// EnvironExact gives commands Environ and EnvSet alone, without what is
	// otherwise added where it is missing (PATH, HOME, PWD).
	EnvironExact bool

	// Policy decides what may run; nil permits all but what may never run. See
	// [Supervisor.SetPolicy].
	Policy *policy.Policy

	// NonInteractive adds the settings that keep programs from opening
	// editors, pagers and prompts.
	NonInteractive bool

	Timeout     time.Duration // default runtime limit; 0: none
	IdleTimeout time.Duration // default limit of time without output; 0: none
	Grace       time.Duration // between SIGTERM and SIGKILL; 0: SIGKILL follows at once

	// KeepDetached lets what commands left behind on purpose live on when the
	// supervisor closes.
	KeepDetached bool

	// HandOver, if not nil, lets somebody else do the rest of the grace when
	// this process ends; it reports whether somebody will.
	HandOver func(rest time.Duration) bool

	// SignalStrays, if not nil, signals what descends from commands but can
	// be named as no command's.
	SignalStrays func(syscall.Signal)

	MaxLive     int           // most executions alive at once; 0: 50
	Retention   time.Duration // how long an ended execution is kept at least until the next start
	MaxRetained int           // most ended executions kept; the newest always is
	Buffer      int           // bytes of each stream kept; 0: output.DefaultCapacity
	Head        int           // bytes from the beginning of each stream kept besides

	// MaxStarting is how many requests are resolved and launched at once; 0: 6.
	// Several supervisors of one process share what it can have.
	MaxStarting int
}

// defaultMaxLive is mcp-yieldshell's YIELDSHELL_MAX_PROCESSES.
const defaultMaxLive = 50

// Supervisor owns all executions. It is safe for concurrent use.
type Supervisor struct {
	opts   Options
	base   *environ
	policy atomic.Pointer[policy.Policy]
	log    *slog.Logger

	closeOnce sync.Once
	closing   chan struct{}  // closed when nobody may wait any longer, see Close
	starting  chan struct{}  // holds one for each request that is being started
	wg        sync.WaitGroup // every goroutine of every execution

	mu      sync.Mutex              // guards the fields below
	byID    map[string]*Execution   // all that can be addressed
	ended   []*Execution            // the ended among them, in the order of their ends
	reading map[*Execution]struct{} // all whose output somebody still holds open
	live    int                     // started or starting, not ended
	number  int64                   // of the newest execution
	shut    bool                    // Close has begun
}

// New returns a supervisor without executions.
func New(o Options) *Supervisor {
	if o.Shell == "" {
		o.Shell = "/bin/sh"
	}
	if o.MaxLive == 0 {
		o.MaxLive = defaultMaxLive
	}
	if o.MaxStarting == 0 {
		o.MaxStarting = mostStarting
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Supervisor{
		opts:     o,
		base:     newEnviron(&o),
		log:      o.Logger,
		closing:  make(chan struct{}),
		starting: make(chan struct{}, o.MaxStarting),
		byID:     make(map[string]*Execution),
		reading:  make(map[*Execution]struct{}),
	}
	s.policy.Store(o.Policy)
	return s
}

// Start is the one door: it checks the request, makes room, and launches. The
// execution lives on when ctx ends. A failure is an [Error]; nothing has run
// then.
func (s *Supervisor) Start(ctx context.Context, r Request) (*Execution, error) {
	if err := ctx.Err(); err != nil {
		return nil, err // the caller has gone: nobody would learn the handle
	}
	select {
	case s.starting <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e, err := s.start(&r)
	<-s.starting
	if err != nil {
		return nil, err
	}
	if s.enter(e) { // Close began while we launched, and has not seen this one
		e.end(s.shutdownRequest())
	}
	return e, nil
}

// start checks a request and launches it.
func (s *Supervisor) start(r *Request) (*Execution, error) {
	spec, err := s.resolve(r)
	if err != nil {
		return nil, err
	}
	if err := s.reserve(); err != nil {
		return nil, err
	}
	started := time.Now()
	p, err := s.opts.Launcher.Launch(spec)
	if err != nil {
		s.release()
		return nil, &Error{Code: FailedToStart, Text: err.Error(), Err: err}
	}
	return newExecution(s, r, spec.Dir, p, started), nil
}

// mostStarting bounds how many requests are resolved and launched at once.
// Each may hold a thread in a system call, and together they must not need more
// than the server has in reserve (BO-47).
const mostStarting = 6

// enter makes an execution known and sets it going. It reports whether Close
// has begun.
func (s *Supervisor) enter(e *Execution) (shut bool) {
	s.mu.Lock()
	s.number++
	e.number = s.number
	s.byID[e.id] = e
	s.reading[e] = struct{}{}
	shut = s.shut
	s.mu.Unlock()
	e.begin()
	return shut
}

// unread notes that nobody holds the execution's output any more.
func (s *Supervisor) unread(e *Execution) {
	s.mu.Lock()
	delete(s.reading, e)
	s.mu.Unlock()
}

// reserve makes room for one more live execution, removing retained ones that
// are over their limits first (mcp-yieldshell reaps before each valid spawn).
func (s *Supervisor) reserve() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return errorf(FailedToStart, "the server is shutting down: nothing is started any more")
	}
	s.reapLocked(time.Now().Add(-s.opts.Retention), max(0, s.opts.MaxRetained))
	if s.live >= s.opts.MaxLive {
		return errorf(LimitExceeded, "%d executions are alive, which is the limit (%d) of max-executions: wait for one to end, or stop one (ps lists them)", s.live, s.opts.MaxLive)
	}
	s.live++
	// Waited for by Close, so counted while it cannot have begun.
	s.wg.Add(1)
	return nil
}

// release takes back a reservation.
func (s *Supervisor) release() {
	s.mu.Lock()
	s.live--
	s.mu.Unlock()
	s.wg.Done()
}

// reapLocked removes executions that ended before a moment, then the oldest of
// those that are more than most. One whose daemons live on stays, because its
// handle is the only one they have. s.mu is held.
func (s *Supervisor) reapLocked(before time.Time, most int) {
	excess := len(s.ended) - most
	s.ended = slices.DeleteFunc(s.ended, func(e *Execution) bool {
		if !e.endedAt().Before(before) && excess <= 0 || len(e.Detached()) > 0 {
			return false
		}
		excess--
		s.dropLocked(e)
		return true
	})
}

// dropLocked makes an ended execution unknown and frees its output. s.mu is
// held; s.ended is the caller's to mend.
func (s *Supervisor) dropLocked(e *Execution) {
	delete(s.byID, e.id)
	e.log.Discard()
}

// finished moves an execution from live to ended. The newest is kept whatever
// the limit, since its caller has just been told the handle.
func (s *Supervisor) finished(e *Execution) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live--
	if most := max(1, s.opts.MaxRetained); len(s.ended) >= most {
		s.reapLocked(time.Time{}, most-1) // none is that old
	}
	s.ended = append(s.ended, e)
}

// Get returns the execution with that handle.
func (s *Supervisor) Get(id string) (*Execution, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byID[id]; e != nil {
		return e, nil
	}
	return nil, errorf(UnknownExecution, "Unknown execution_id: %s (ps lists all that can be addressed)", shown(id))
}

// List returns all executions, the newest first.
func (s *Supervisor) List() []*Execution {
	s.mu.Lock()
	list := make([]*Execution, 0, len(s.byID))
	for _, e := range s.byID {
		list = append(list, e)
	}
	s.mu.Unlock()
	slices.SortFunc(list, func(a, b *Execution) int { return int(b.number - a.number) })
	return list
}

// Cleanup removes executions that completed longer ago than completed, and
// those that ended otherwise longer ago than others. It returns how many.
func (s *Supervisor) Cleanup(completed, others time.Duration) int {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.ended)
	s.ended = slices.DeleteFunc(s.ended, func(e *Execution) bool {
		limit := others
		if e.Snapshot().Status == Completed {
			limit = completed
		}
		if now.Sub(e.endedAt()) < limit || len(e.Detached()) > 0 {
			return false
		}
		s.dropLocked(e)
		return true
	})
	return before - len(s.ended)
}

func newID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
