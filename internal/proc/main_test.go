package proc_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"whelk/internal/proc"
)

// local is the one Local that a process may have.
var local *proc.Local

// asProgram makes the test binary play another program: a server that was
// started in an odd state (see inherit_test.go).
const asProgram = "WHELK_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "guardian" {
		if err := proc.Guard(os.Stdin); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if name := os.Getenv(asProgram); name != "" {
		os.Exit(program(name))
	}
	// Tests look at what commands inherit: only from this process, not from
	// whatever started it.
	err := proc.ResetInherited()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if local, err = proc.NewLocal(proc.Options{Containment: proc.Subreaper}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	local.Close()
	if code == 0 {
		if err := goleak.Find(goleak.IgnoreTopFunction("os/signal.loop")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// program is what the test binary does instead of testing. It returns only
// when that has gone wrong.
func program(name string) int {
	if name == "block" { // become "inherit" with two signals blocked
		var mask unix.Sigset_t
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGUSR1} {
			mask.Val[0] |= 1 << (uint(sig) - 1)
		}
		if err := unix.PthreadSigmask(unix.SIG_SETMASK, &mask, nil); err != nil {
			return fail(err)
		}
		env := append(withoutProgram(), asProgram+"=inherit")
		return fail(syscall.Exec("/proc/self/exe", os.Args, env))
	}
	if err := proc.ResetInherited(); err != nil {
		return fail(err)
	}
	if name == "tree" {
		return treeProgram(os.Getenv("WHELK_TEST_CONTAINMENT"), os.Getenv("WHELK_TEST_COMMAND"))
	}
	l, err := proc.NewLocal(proc.Options{Containment: proc.Subreaper})
	if err != nil {
		return fail(err)
	}
	p, err := l.Launch(&proc.Spec{Path: "/bin/sh", Argv: []string{"sh", "-c", os.Getenv("WHELK_TEST_COMMAND")}, Dir: "/", Env: withoutProgram()})
	if err != nil {
		return fail(err)
	}
	p.Output().Each(func(s proc.Stream, b []byte) {
		if s == proc.Stdout {
			_, _ = os.Stdout.Write(b)
		}
	})
	<-p.Gone()
	l.Close()
	return p.Exit().Code
}

func fail(err error) int {
	fmt.Println(err)
	return 99
}

func withoutProgram() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, asProgram+"=") {
			env = append(env, e)
		}
	}
	return env
}

// run is one launched command whose output is collected.
type run struct {
	proc.Process
	read sync.WaitGroup
	mu   sync.Mutex
	out  strings.Builder
	err  strings.Builder
	// order has a letter for each piece: o for standard output, p for error.
	order string
}

// start launches text under sh.
func start(t *testing.T, text string) *run {
	t.Helper()
	return launch(t, &proc.Spec{Path: "/bin/sh", Argv: []string{"/bin/sh", "-c", text}, Dir: t.TempDir(), Env: os.Environ()})
}

func launch(t testing.TB, spec *proc.Spec) *run {
	t.Helper()
	p, err := local.Launch(spec)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Process: p}
	r.read.Go(func() {
		p.Output().Each(func(s proc.Stream, b []byte) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if s == proc.Stdout && r.out.Len() > 64<<20 {
				return // a flood that is not looked at
			}
			r.order += strings.Repeat(string(rune('o'+s)), min(len(b), 1))
			[]*strings.Builder{&r.out, &r.err}[s].Write(b)
		})
	})
	t.Cleanup(r.end)
	return r
}

// stdout returns what has come so far.
func (r *run) stdout() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

// end leaves nothing of the run behind.
func (r *run) end() {
	_, _ = r.Signal(syscall.SIGKILL)
	<-r.Gone()
	if in := r.Stdin(); in != nil {
		_ = in.Close()
	}
	r.Output().Close()
	r.read.Wait()
}

// wait waits for the end of the group and of the output.
func (r *run) wait(t testing.TB) (exit proc.Exit, stdout, stderr string) {
	t.Helper()
	within(t, 10*time.Second, "the group to end", r.Gone())
	r.read.Wait()
	return r.Exit(), r.out.String(), r.err.String()
}

func within(t testing.TB, d time.Duration, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatalf("%s: not within %v", what, d)
	}
}

// eventually polls until ok holds, for things that only the kernel knows.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s: not within 5 s", what)
}
