package execution_test

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"whelk/internal/execution"
	"whelk/internal/output"
	"whelk/internal/principal"
	"whelk/internal/proc"
)

// os/signal keeps its goroutine once a launcher of real processes has listened.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("os/signal.loop"))
}

// launcher starts nothing: each launch is a fake that the test moves by hand.
type launcher struct {
	script  func(*fake) // what the process does, in a goroutine of its own
	scripts sync.WaitGroup
	refuse  error

	onLaunch func(*proc.Spec) // a look at what is open now; nil: none

	mu    sync.Mutex // guards the fields below
	fakes []*fake
	specs []*proc.Spec
}

func (l *launcher) Launch(spec *proc.Spec) (proc.Process, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refuse != nil {
		return nil, l.refuse
	}
	if l.onLaunch != nil {
		l.onLaunch(spec)
	}
	f := &fake{
		pid: 1000 + len(l.fakes), exited: make(chan struct{}), gone: make(chan struct{}),
		signals: make(chan syscall.Signal, 100),
	}
	f.output = &fakeOutput{pieces: make(chan fakePiece), closed: make(chan struct{})}
	f.stdout, f.stderr = newFakeStream(f.output, proc.Stdout), newFakeStream(f.output, proc.Stderr)
	if spec.Stdin && spec.In == nil {
		f.stdin = &fakeStdin{room: -1, closed: make(chan struct{})}
	}
	l.fakes = append(l.fakes, f)
	l.specs = append(l.specs, spec)
	if l.script != nil {
		l.scripts.Go(func() { l.script(f) })
	}
	return f, nil
}

func (l *launcher) last() *fake {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fakes[len(l.fakes)-1]
}

// fake is a process that does what the test says.
type fake struct {
	pid            int
	exited, gone   chan struct{}
	signals        chan syscall.Signal
	output         *fakeOutput
	stdout, stderr *fakeStream
	stdin          *fakeStdin
	onPoll         func() // an exit that only a look finds

	mu   sync.Mutex // guards the fields below
	exit proc.Exit
	all  []proc.Exit // of the stages of a pipeline
	sent []syscall.Signal
	left []proc.Member // of the tree, after the group is gone
}

// ends lets the leader exit, the group end and the output close, as most
// commands do it.
func (f *fake) ends(exit proc.Exit) {
	f.leaderExits(exit)
	f.stdout.Close()
	f.stderr.Close()
	close(f.gone)
}

func (f *fake) leaderExits(exit proc.Exit) {
	f.mu.Lock()
	f.exit = exit
	f.mu.Unlock()
	close(f.exited)
}

func (f *fake) PID() int                { return f.pid }
func (f *fake) Output() proc.Output     { return f.output }
func (f *fake) Exited() <-chan struct{} { return f.exited }
func (f *fake) Gone() <-chan struct{}   { return f.gone }

func (f *fake) Stdin() proc.Stdin {
	if f.stdin == nil {
		return nil
	}
	return f.stdin
}

func (f *fake) Stages() []proc.Exit {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all
}

func (f *fake) Exit() proc.Exit {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.exit
}

func (f *fake) Poll() {
	f.mu.Lock()
	look := f.onPoll
	f.onPoll = nil
	f.mu.Unlock()
	if look != nil {
		look()
	}
}

func (f *fake) Tree() []proc.Member {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := slices.Clone(f.left)
	select {
	case <-f.gone:
	default:
		list = append(list, proc.Member{PID: f.pid, Name: "leader"})
	}
	return list
}

// leaves sets what is left of the tree beside the group.
func (f *fake) leaves(members ...proc.Member) {
	f.mu.Lock()
	f.left = members
	f.mu.Unlock()
}

func (f *fake) Signal(sig syscall.Signal) ([]proc.Member, error) {
	tree := f.Tree()
	if len(tree) == 0 {
		return nil, proc.ErrGone
	}
	f.mu.Lock()
	f.sent = append(f.sent, sig)
	f.mu.Unlock()
	select {
	case f.signals <- sig:
	default: // a process takes any number of them
	}
	return tree, nil
}

func (f *fake) sentSignals() []syscall.Signal {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sent)
}

// fakeOutput passes pieces of both streams through a channel.
type fakeOutput struct {
	pieces chan fakePiece
	once   sync.Once
	closed chan struct{}
}

type fakePiece struct {
	stream proc.Stream
	bytes  []byte // empty: the end of the stream
}

func (o *fakeOutput) Each(sink func(proc.Stream, []byte)) {
	for open := 2; open > 0; {
		select {
		case p := <-o.pieces:
			sink(p.stream, p.bytes)
			if len(p.bytes) == 0 {
				open--
			}
		case <-o.closed:
			return
		}
	}
}

func (o *fakeOutput) Close() { o.once.Do(func() { close(o.closed) }) }

// fakeStream is the writing end of one stream.
type fakeStream struct {
	to     *fakeOutput
	stream proc.Stream
	once   sync.Once
}

func newFakeStream(to *fakeOutput, stream proc.Stream) *fakeStream {
	return &fakeStream{to: to, stream: stream}
}

// write blocks until the output is read, or closed, as a pipe would.
func (s *fakeStream) write(text string) {
	select {
	case s.to.pieces <- fakePiece{s.stream, []byte(text)}:
	case <-s.to.closed:
	}
}

// Close ends the stream.
func (s *fakeStream) Close() { s.once.Do(func() { s.write("") }) }

// fakeStdin takes room bytes (-1: all) and then blocks.
type fakeStdin struct {
	mu       sync.Mutex // guards the fields below
	room     int
	got      []byte
	broken   bool
	deadline chan struct{}
	closed   chan struct{}
	once     sync.Once
}

func (s *fakeStdin) Write(p []byte) (int, error) {
	s.mu.Lock()
	if s.broken {
		s.mu.Unlock()
		return 0, syscall.EPIPE
	}
	n := len(p)
	if s.room >= 0 {
		n = min(n, s.room)
		s.room -= n
	}
	s.got = append(s.got, p[:n]...)
	deadline := s.deadline
	s.mu.Unlock()
	if n == len(p) {
		return n, nil
	}
	select {
	case <-s.closed:
		return n, os.ErrClosed
	case <-deadline: // nil without one: never
		return n, os.ErrDeadlineExceeded
	}
}

func (s *fakeStdin) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *fakeStdin) SetWriteDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.IsZero() {
		s.deadline = make(chan struct{})
	} else {
		close(s.deadline)
	}
	return nil
}

func (s *fakeStdin) received() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.got)
}

// bubble runs a test in fake time with a supervisor over fakes.
func bubble(t *testing.T, o execution.Options, script func(*fake), test func(*testing.T, *execution.Supervisor, *launcher)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &launcher{script: script}
		o.Launcher = l
		if o.Dir == "" {
			o.Dir = "/"
		}
		if o.Retention == 0 {
			o.Retention = time.Hour
		}
		if o.MaxRetained == 0 {
			o.MaxRetained = 100
		}
		sup := execution.New(o)
		t.Cleanup(func() {
			if l.script == nil {
				l.release()
			}
			sup.Close()
			l.scripts.Wait()
		})
		test(t, sup, l)
	})
}

// release makes processes without a script that still run obey.
func (l *launcher) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.fakes {
		select {
		case <-f.gone:
		default:
			go func() {
				select {
				case sig := <-f.signals:
					f.ends(proc.Exit{Code: -1, Signal: sig})
				case <-f.gone:
				}
			}()
		}
	}
}

// stdio is the supervisor as the one caller over standard input and output sees
// it.
func stdio(sup *execution.Supervisor) execution.Caller { return sup.As(principal.Principal{}) }

func command(text string) execution.Request { return execution.Request{Command: &text} }

func start(t *testing.T, sup *execution.Supervisor, r execution.Request) *execution.Execution {
	t.Helper()
	e, err := stdio(sup).Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func text(e *execution.Execution) string {
	p := e.Read(output.ReadOptions{Since: 1, Max: 1 << 20})
	return string(p.Stdout) + string(p.Stderr)
}
