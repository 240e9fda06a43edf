package execution

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"whelk/internal/command"
	"whelk/internal/policy"
	"whelk/internal/principal"
	"whelk/internal/proc"
	"whelk/internal/redact"
)

// Options configures a [Supervisor]. Zero values mean the default named beside
// the field, unless it says otherwise.
type Options struct {
	Launcher proc.Launcher // required
	Logger   *slog.Logger  // nil: nothing is logged

	Dir     string   // default working directory, absolute; required
	Roots   []string // directories in or below which every command starts; none: anywhere
	Shell   string   // default shell; "" is /bin/sh
	Environ []string // the server's own environment
	EnvSet  []string // NAME=value, laid over Environ for every command

	// EnvironExact gives commands Environ and EnvSet alone, without what is
	// otherwise added where it is missing (PATH, HOME, PWD).
	EnvironExact bool

	// Policy decides what may run; nil permits all but what may never run. See
	// [Supervisor.SetPolicy].
	Policy *policy.Policy

	// Secrets is what is hidden in output, in the texts of a [Snapshot] and in
	// errors, together with what it chooses of the variables that a request
	// brings; nil: nothing is.
	Secrets *redact.Set

	// NonInteractive adds the settings that keep programs from opening
	// editors, pagers and prompts.
	NonInteractive bool

	Timeout     time.Duration // default runtime limit; 0: none
	IdleTimeout time.Duration // default limit of time without output; 0: none
	Grace       time.Duration // between SIGTERM and SIGKILL; 0: SIGKILL follows at once

	// EndWithOutput ends an execution when its leader has exited and nobody
	// holds its output any more. What lives on of its group then is what it
	// left behind, see [Execution.Detached]. By default it lasts as long as its
	// group.
	EndWithOutput bool

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

	// Quotas are shared by the supervisors of one process; nil: its own.
	Quotas *Quotas

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

	mu      sync.Mutex                 // guards the fields below
	byID    map[string]*Execution      // all that can be addressed
	ended   []*Execution               // the ended among them, in the order of their ends
	reading map[*Execution]struct{}    // all whose output somebody still holds open
	live    int                        // started or starting, not ended
	liveOf  map[principal.Identity]int // the part of each principal that has any
	number  int64                      // of the newest execution
	shut    bool                       // Close has begun
}

// New returns a supervisor without executions.
func New(o Options) *Supervisor {
	if o.Shell == "" {
		o.Shell = "/bin/sh"
	}
	if o.MaxLive == 0 {
		o.MaxLive = defaultMaxLive
	}
	if o.Quotas == nil {
		o.Quotas = new(Quotas)
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
		liveOf:   make(map[principal.Identity]int),
	}
	s.policy.Store(o.Policy)
	return s
}

// launch is the work of [Caller.Start].
func (s *Supervisor) launch(ctx context.Context, r *Request, who principal.Principal) (*Execution, error) {
	if err := ctx.Err(); err != nil {
		return nil, err // the caller has gone: nobody would learn the handle
	}
	select {
	case s.starting <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e, err := s.start(r, who)
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
func (s *Supervisor) start(r *Request, who principal.Principal) (*Execution, error) {
	secrets := s.opts.Secrets.With(r.Env)
	spec, stages, err := s.resolve(r, who)
	if err != nil {
		return nil, redacted(secrets, err)
	}
	if err := s.reserve(who); err != nil {
		return nil, err
	}
	started := time.Now()
	p, err := s.startProcesses(spec, stages)
	if err != nil {
		s.release(who)
		return nil, redacted(secrets, err)
	}
	return newExecution(s, r, who, secrets, spec, p, started), nil
}

// startProcesses opens the files of the redirections and starts the processes.
func (s *Supervisor) startProcesses(spec *proc.Spec, stages []command.Stage) (proc.Process, error) {
	files, err := redirect(spec, stages)
	if err != nil {
		return nil, err
	}
	defer files.close()
	p, err := s.opts.Launcher.Launch(spec)
	if err != nil {
		files.undo()
		return nil, &Error{Code: FailedToStart, Text: err.Error(), Err: err}
	}
	return p, nil
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

func newID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
