package execution

import (
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"whelk/internal/output"
	"whelk/internal/principal"
	"whelk/internal/proc"
	"whelk/internal/redact"
)

// Execution is one command. Its methods are safe for concurrent use.
type Execution struct {
	sup     *Supervisor
	owner   principal.Principal
	id      string
	number  int64 // in the order of starts
	name    string
	text    string
	stages  []string // the programs of a pipeline; nil for a single one
	dir     string
	started time.Time
	timeout time.Duration // runtime limit; 0: none
	idle    time.Duration // limit of time without output; 0: none
	most    int64         // limit of bytes on one stream; 0: none

	proc  proc.Process
	log   *output.Log
	stdin *stdin

	filters    [len(outputStreams)]*redact.Filter // used by pump alone; nil: nothing is hidden
	redactions atomic.Int64                       // secrets replaced so far

	ends   chan endRequest // what others ask of run
	pumped chan struct{}   // closed when all output is in the log
	done   chan struct{}   // closed last of all

	overran atomic.Int32 // 1 + the output.Stream that was the first to exceed most; 0: none

	killedAt time.Time // of the first SIGKILL; used by run alone
	released bool      // see Release; guarded by the supervisor's mutex

	mu        sync.Mutex // guards the fields below; written by run alone
	state     state
	reason    reason
	forced    bool             // SIGKILL was needed
	seen      map[int]struct{} // pids that were in the tree while it was ended
	survivors []proc.Member    // what of it lived when its end was last looked for
	ended     time.Time
}

// endRequest asks for the end of an execution: signal now, SIGKILL after force.
type endRequest struct {
	reason reason
	signal syscall.Signal
	force  time.Duration
	// accepted, if not nil, gets the answer: whether there was something left
	// to end. It must have room for it.
	accepted chan<- bool
}

// What lists show of a command, and the record keeps, in bytes. A command may
// have megabytes, and there may be hundreds of records.
const (
	maxListedText = 1000
	maxListedName = 200
)

func newExecution(s *Supervisor, r *Request, who principal.Principal, secrets *redact.Set, spec *proc.Spec, p proc.Process, started time.Time) *Execution {
	e := &Execution{
		sup:     s,
		owner:   who,
		id:      newID(),
		name:    cut(secrets.Text(r.Name), maxListedName),
		text:    cut(r.text(secrets), maxListedText),
		stages:  stageNames(spec, secrets),
		dir:     secrets.Text(spec.Dir),
		started: started,
		timeout: effective(r.Timeout, s.opts.Timeout),
		idle:    effective(r.IdleTimeout, s.opts.IdleTimeout),
		most:    r.MaxStream,
		proc:    p,
		log:     output.NewLog(output.Options{Capacity: s.opts.Buffer, Head: s.opts.Head}),
		stdin:   newStdin(p.Stdin(), r.Input, r.KeepInput),
		ends:    make(chan endRequest),
		pumped:  make(chan struct{}),
		done:    make(chan struct{}),
		seen:    make(map[int]struct{}),
	}
	for i := range e.filters {
		e.filters[i] = secrets.Filter()
	}
	return e
}

// effective is the limit that counts: the request's, unless it leaves it to
// the default. Negative is none.
func effective(asked, standard time.Duration) time.Duration {
	switch {
	case asked < 0:
		return 0
	case asked == 0:
		return standard
	}
	return asked
}

// begin starts the goroutines of the execution, all of them waited for by
// Supervisor.Close. The caller has reserved run's place in the wait group.
func (e *Execution) begin() {
	s := e.sup
	s.wg.Go(e.pump)
	if e.stdin.feeds() {
		s.wg.Go(e.stdin.feed)
	}
	go func() {
		defer s.wg.Done()
		e.run()
	}()
}

// ID is the execution's handle. Callers pass it on unchanged.
func (e *Execution) ID() string { return e.id }

// Done is closed when the execution has ended and its result is stored.
func (e *Execution) Done() <-chan struct{} { return e.done }

// Read returns a page of the output, see [output.Log.Read].
func (e *Execution) Read(o output.ReadOptions) output.Page { return e.log.Read(o) }

// Heads returns the beginning of both streams, see [output.Log.Heads].
func (e *Execution) Heads() (stdout, stderr []byte) { return e.log.Heads() }

// end passes a request to run, which always takes it until it is done.
func (e *Execution) end(r endRequest) {
	select {
	case e.ends <- r:
	case <-e.done:
		if r.accepted != nil {
			r.accepted <- false
		}
	}
}

// endedAt is when the execution ended; only for ended ones.
func (e *Execution) endedAt() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended
}
