package mcptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Patience bounds everything that a test waits for without naming a time of
// its own. Machines are busy: it says that something hangs, not that it is slow.
const Patience = 60 * time.Second

// Options says how to start a program.
type Options struct {
	Path string   // the program's file, or a name in PATH; "" is the program of Main
	Args []string // its arguments
	Env  []string // added to the test's own environment, or the whole of it if Bare
	Bare bool
	Dir  string // "" is a new temporary directory

	// Wrap, if set, is put before the program and its arguments: a shell that
	// prepares something and then runs exec "$@", say.
	Wrap []string

	Files []*os.File           // descriptors 3, 4, … of the program
	Sys   *syscall.SysProcAttr // another user, or a controlling terminal
}

// Server is one running program. Its methods may be called from many
// goroutines; those that fail the test only from the test's own.
type Server struct {
	t      testing.TB
	cmd    *exec.Cmd
	Dir    string // where it was started
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr lockedBuffer
	read   sync.WaitGroup
	exited chan struct{} // closed when the program has ended and all output is read

	mu       sync.Mutex // guards the fields below
	nextID   int
	answers  map[string]chan *Message // by id as sent
	notes    []*Message
	lines    []string // every line of standard output
	broken   error    // a line that is no JSON-RPC message
	strays   []*Message
	stopRead chan struct{}
}

// Message is one JSON-RPC message as received.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
	Raw string        `json:"-"`
	At  time.Duration `json:"-"` // since the program's start
}

// Launch starts a program without speaking to it.
func Launch(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{t: t, Dir: o.Dir, exited: make(chan struct{}), answers: make(map[string]chan *Message)}
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	path, env := o.Path, o.Env
	if path == "" {
		path = Program(t)
	}
	if !o.Bare {
		// Whoever runs the tests may have a configuration file of their own.
		env = append(append(os.Environ(), "XDG_CONFIG_HOME=/nonexistent"), env...)
	}
	argv := append(append(append([]string{}, o.Wrap...), path), o.Args...)
	s.cmd = exec.Command(argv[0], argv[1:]...)
	s.cmd.Env, s.cmd.Dir, s.cmd.ExtraFiles, s.cmd.SysProcAttr = env, s.Dir, o.Files, o.Sys
	s.open(t)
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.read.Go(func() { s.readAll(began) })
	go func() {
		s.read.Wait()
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	t.Cleanup(s.cleanup)
	return s
}

// Start launches a server and shakes hands in the newest era that has one.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := Launch(t, o)
	s.Initialize("2025-11-25")
	return s
}

// open makes the pipes.
func (s *Server) open(t testing.TB) {
	t.Helper()
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdin, s.stdout = stdin, stdout
	s.cmd.Stderr = &s.stderr
}

// readAll sorts what the program writes.
func (s *Server) readAll(began time.Time) {
	r := bufio.NewReaderSize(s.stdout, 1<<20)
	for {
		if stop := s.paused(); stop != nil {
			<-stop
		}
		line, err := r.ReadString('\n')
		if line != "" && !errors.Is(err, os.ErrClosed) {
			s.received(strings.TrimSuffix(line, "\n"), time.Since(began))
		}
		if err != nil {
			return
		}
	}
}

func (s *Server) paused() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopRead
}

// StopReading makes this client read nothing more (but for what it has read
// ahead) until the returned function is called.
func (s *Server) StopReading() (resume func()) {
	stop := make(chan struct{})
	s.mu.Lock()
	s.stopRead = stop
	s.mu.Unlock()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.stopRead = nil
		s.mu.Unlock()
		close(stop)
	})
}

func (s *Server) received(line string, at time.Duration) {
	m := &Message{Raw: line, At: at}
	err := json.Unmarshal([]byte(line), m)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
	switch {
	case err != nil:
		s.broken = errors.Join(s.broken, fmt.Errorf("stdout line %.200q: %w", line, err))
	case m.Method != "":
		s.notes = append(s.notes, m)
	default:
		if answer := s.answers[string(m.ID)]; answer != nil {
			delete(s.answers, string(m.ID))
			answer <- m
			return
		}
		s.strays = append(s.strays, m)
	}
}

// cleanup ends the program and checks what it left.
func (s *Server) cleanup() {
	if resume := s.paused(); resume != nil {
		s.mu.Lock()
		s.stopRead = nil
		s.mu.Unlock()
		close(resume)
	}
	_ = s.stdin.Close()
	select {
	case <-s.exited:
	case <-time.After(Patience):
		s.t.Errorf("the program did not end after its input; stderr: %s", s.Stderr())
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
	for _, bad := range []string{"panic:", "fatal error:", "DATA RACE"} {
		if strings.Contains(s.Stderr(), bad) {
			s.t.Errorf("stderr has %q:\n%s", bad, s.Stderr())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		s.t.Errorf("standard output is not JSON-RPC alone: %v", s.broken)
	}
}

// PID is the program's process id (the wrapper's, unless that execs).
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Signal sends a signal to the program.
func (s *Server) Signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// CloseStdin ends the program's input.
func (s *Server) CloseStdin() { _ = s.stdin.Close() }

// CloseStdout closes this client's reading end: the program's next write fails.
func (s *Server) CloseStdout() { _ = s.stdout.Close() }

// Exited is closed when the program has ended and its output is read.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// ExitCode waits for the end of the program: its exit code, or minus the
// number of the signal that ended it.
func (s *Server) ExitCode(within time.Duration) int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(within):
		s.t.Fatalf("the program has not ended within %v; stderr: %s", within, s.Stderr())
	}
	status := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return -int(status.Signal())
	}
	return status.ExitStatus()
}

// CPU is the processor time of an ended program.
func (s *Server) CPU() time.Duration {
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

// Stderr is what the program has written to standard error.
func (s *Server) Stderr() string { return s.stderr.String() }

// Lines are all lines of standard output so far.
func (s *Server) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.lines...)
}

// Notifications are all notifications so far.
func (s *Server) Notifications() []*Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Message(nil), s.notes...)
}

// Strays are the answers that nobody waits for: those to raw lines, errors
// without an id, and second answers.
func (s *Server) Strays() []*Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Message(nil), s.strays...)
}

// lockedBuffer is a buffer for one writer and readers.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
