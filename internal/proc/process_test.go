package proc_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"whelk/internal/proc"
)

func TestExitIsTheLeaders(t *testing.T) {
	tests := []struct {
		name, text string
		code       int
		signal     syscall.Signal
	}{
		{"success", "true", 0, 0},
		{"failure", "exit 7", 7, 0},
		{"modulo 256", "exit 300", 44, 0},
		{"killed (BO-36)", "kill -9 $$", -1, syscall.SIGKILL},
		{"terminated (BO-36)", "kill -TERM $$", -1, syscall.SIGTERM},
		{"a child killed inside is the shell's own matter (BO-37)", `sh -c 'kill -9 $$'; exit $?`, 137, 0},
		{"closed output is not the end (BO-60)", "exec >&- 2>&-; sleep 0.1; exit 3", 3, 0},
		{"its own group signalled (BO-81)", "kill -TERM 0", -1, syscall.SIGTERM},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			exit, _, _ := start(t, test.text).wait(t)
			if exit.Code != test.code || exit.Signal != test.signal {
				t.Errorf("exit = %d, %v; want %d, %v", exit.Code, exit.Signal, test.code, test.signal)
			}
		})
	}
}

func TestChildLeadsItsOwnSessionWithoutTerminal(t *testing.T) {
	r := start(t, `cut -d" " -f1,5,6,7 /proc/$$/stat; cat </dev/tty`)
	_, out, errs := r.wait(t)
	pid := strconv.Itoa(r.PID())
	if want := fmt.Sprintf("%s %s %s 0\n", pid, pid, pid); out != want {
		t.Errorf("pid, group, session, tty = %q; want %q", out, want)
	}
	if !strings.Contains(errs, "/dev/tty") {
		t.Errorf("opening the terminal gave %q; want a failure (BO-33)", errs)
	}
}

func TestOutputIsWhole(t *testing.T) {
	t.Run("to the last line (BO-39)", func(t *testing.T) {
		for range 50 {
			_, out, _ := start(t, "seq 1 20000").wait(t)
			if len(out) != 108894 || !strings.HasSuffix(out, "\n20000\n") {
				t.Fatalf("%d bytes, end %q", len(out), out[max(0, len(out)-20):])
			}
		}
	})
	t.Run("both streams at once (BO-21)", func(t *testing.T) {
		_, out, errs := start(t, `head -c 2000000 /dev/zero | tr "\0" e >&2; echo out`).wait(t)
		if out != "out\n" || len(errs) != 2000000 {
			t.Errorf("stdout %q, %d bytes of stderr", out, len(errs))
		}
	})
	t.Run("of a late writer in the group (BO-03)", func(t *testing.T) {
		_, out, _ := start(t, `(sleep 0.2; echo late) & echo first`).wait(t)
		if out != "first\nlate\n" {
			t.Errorf("stdout = %q", out)
		}
	})
}

func TestAFloodOnOneStreamHidesNotTheOther(t *testing.T) {
	r := start(t, `(sleep 0.2; echo heard >&2) & exec yes`)
	eventually(t, "the other stream", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.err.String() == "heard\n"
	})
}

func TestStreamsComeInTheOrderOfTheirWrites(t *testing.T) {
	const runs = 200
	for text, want := range map[string]string{"echo out; echo err >&2": "op", "echo err >&2; echo out": "po"} {
		wrong := 0
		for range runs {
			r := start(t, text)
			r.wait(t)
			if r.order != want {
				wrong++
			}
		}
		// When the reader is held up until all is written, nobody can know.
		if wrong > runs/20 {
			t.Errorf("%s: %d of %d in the wrong order", text, wrong, runs)
		}
	}
}

func TestGoneWaitsForTheGroup(t *testing.T) {
	r := start(t, `sleep 0.3 & echo started`)
	within(t, 5*time.Second, "exit", r.Exited())
	if r.Exit().Code != 0 {
		t.Errorf("exit code %d", r.Exit().Code)
	}
	select {
	case <-r.Gone():
		t.Error("gone while a member of the group sleeps")
	default:
	}
	before := time.Now()
	within(t, 5*time.Second, "gone", r.Gone())
	if took := time.Since(before); took > 2*time.Second {
		t.Errorf("the end of the group was seen after %v", took)
	}
}

func TestShortOrphanCostsMilliseconds(t *testing.T) {
	var worst time.Duration
	for range 20 {
		before := time.Now()
		start(t, `(sleep 0.05 &) ; true`).wait(t)
		worst = max(worst, time.Since(before))
	}
	if worst > 600*time.Millisecond {
		t.Errorf("the slowest of 20 took %v (BO-05 allows 600 ms)", worst)
	}
}

func TestHolderInAnotherSessionDoesNotKeepTheGroup(t *testing.T) {
	r := start(t, `setsid sleep 30 & echo $!`)
	within(t, 5*time.Second, "gone", r.Gone())
	var line string
	eventually(t, "the pid line", func() bool {
		line = r.stdout()
		return strings.HasSuffix(line, "\n")
	})
	holder, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(holder, syscall.SIGKILL); err != nil {
		t.Errorf("the holder did not live on: %v", err)
	}
}

func TestSignalReachesTheWholeGroup(t *testing.T) {
	r := start(t, `sleep 30 & sleep 30 & wait`)
	if _, err := r.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	exit, _, _ := r.wait(t)
	if exit.Signal != syscall.SIGTERM {
		t.Errorf("leader ended by %v", exit.Signal)
	}
}

func TestNothingIsSignalledAfterTheGroupWasSeenGone(t *testing.T) {
	r := start(t, "true")
	r.wait(t)
	if _, err := r.Signal(syscall.SIGKILL); !errors.Is(err, proc.ErrGone) {
		t.Errorf("signal after the end = %v; want ErrGone (BO-80)", err)
	}
}

func TestPollTakesAnExitAtOnce(t *testing.T) {
	r := start(t, "exit 5")
	eventually(t, "the exit", func() bool {
		r.Poll()
		select {
		case <-r.Gone():
			return true
		default:
			return false
		}
	})
	if r.Exit().Code != 5 {
		t.Errorf("exit code %d", r.Exit().Code)
	}
}

func TestReaperStealsNoExit(t *testing.T) {
	const runs, parallel = 200, 4
	var wg sync.WaitGroup
	codes := make(chan int, runs)
	for range parallel {
		wg.Go(func() {
			for range runs / parallel {
				r := start(t, `(sleep 0.02 &) ; exit 7`)
				<-r.Exited()
				codes <- r.Exit().Code
			}
		})
	}
	wg.Wait()
	close(codes)
	for code := range codes {
		if code != 7 {
			t.Fatalf("exit code %d (BO-12)", code)
		}
	}
}

func TestOrphansAreReaped(t *testing.T) {
	for range 30 {
		start(t, `(setsid sh -c "sleep 0.02" &) ; true`)
	}
	eventually(t, "no child left (BO-13)", func() bool { return len(children(t)) == 0 })
}

// children are the pids of this process's children, zombies included.
func children(t testing.TB) []string {
	t.Helper()
	var all []string
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		b, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		if err == nil { // a thread may have ended
			all = append(all, strings.Fields(string(b))...)
		}
	}
	return all
}

func TestStdin(t *testing.T) {
	spec := &proc.Spec{Path: "/bin/sh", Argv: []string{"sh", "-c", "cat; echo end"}, Dir: "/", Env: os.Environ()}
	t.Run("none is an empty input", func(t *testing.T) {
		r := launch(t, spec)
		if r.Stdin() != nil {
			t.Error("Stdin is not nil")
		}
		if _, out, _ := r.wait(t); out != "end\n" {
			t.Errorf("stdout = %q (BO-31)", out)
		}
	})
	t.Run("a pipe is written and closed", func(t *testing.T) {
		piped := *spec
		piped.Stdin = true
		r := launch(t, &piped)
		if _, err := r.Stdin().Write([]byte("hi\n")); err != nil {
			t.Fatal(err)
		}
		r.Stdin().Close()
		if _, out, _ := r.wait(t); out != "hi\nend\n" {
			t.Errorf("stdout = %q", out)
		}
	})
	t.Run("a full pipe keeps to the deadline", func(t *testing.T) {
		piped := *spec
		piped.Argv = []string{"sh", "-c", "sleep 30"}
		piped.Stdin = true
		r := launch(t, &piped)
		r.Stdin().SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		n, err := r.Stdin().Write(make([]byte, 1<<20))
		if !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n == 1<<20 {
			t.Errorf("wrote %d, %v; want a part and the deadline", n, err)
		}
	})
}

func TestCloseEndsReadingWhileTheWriterGoesOn(t *testing.T) {
	r := start(t, "exec yes")
	eventually(t, "output", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.out.Len() > 0
	})
	r.Output().Close()
	exit, _, _ := r.wait(t)
	if exit.Signal != syscall.SIGPIPE {
		t.Errorf("the writer ended by %v, %d", exit.Signal, exit.Code)
	}
}

func TestWaitingTakesNoThread(t *testing.T) {
	const n = 100
	before := threads(t)
	for range n {
		start(t, "exec sleep 30")
	}
	if grown := threads(t) - before; grown > 8 {
		t.Errorf("%d processes took %d more threads", n, grown)
	}
}

func threads(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func descriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestNothingGrows(t *testing.T) {
	text := `head -c 200000 /dev/zero | tr "\0" x`
	nothingGrows(t, func() *run { return start(t, text) })
}

// nothingGrows runs commands to their ends and looks at what the process holds
// (BO-46).
func nothingGrows(t *testing.T, start func() *run) {
	t.Helper()
	round := func(n int) {
		for range n {
			r := start()
			r.wait(t)
			r.end()
		}
	}
	round(10)
	fds, tasks := descriptors(t), threads(t)
	round(100)
	if now := descriptors(t); now > fds+2 {
		t.Errorf("descriptors grew from %d to %d", fds, now)
	}
	if now := threads(t); now > tasks+4 {
		t.Errorf("threads grew from %d to %d", tasks, now)
	}
}

func TestRefusedStartSaysWhy(t *testing.T) {
	dir := t.TempDir()
	noInterpreter := dir + "/script"
	noFormat := dir + "/data"
	notExecutable := dir + "/plain"
	for name, content := range map[string]string{noInterpreter: "#!/nowhere/sh\n", noFormat: "\x00\x01", notExecutable: "#!/bin/sh\n"} {
		if err := os.WriteFile(name, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(notExecutable, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		argv       []string
		want       error
		says       string
	}{
		{"missing", dir + "/none", []string{"none"}, syscall.ENOENT, "no such file"},
		{"missing interpreter", noInterpreter, []string{"script"}, syscall.ENOENT, "interpreter"},
		{"no format", noFormat, []string{"data"}, syscall.ENOEXEC, "#!"},
		{"not executable", notExecutable, []string{"plain"}, syscall.EACCES, "permission denied"},
		{"argument too long (BO-54)", "/bin/echo", []string{"echo", strings.Repeat("x", 140000)}, syscall.E2BIG, "131072"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fds := descriptors(t)
			_, err := local.Launch(&proc.Spec{Path: test.path, Argv: test.argv, Dir: "/", Stdin: true})
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.path) {
				t.Errorf("error %q; want %v, %q and the path", err, test.want, test.says)
			}
			if now := descriptors(t); now != fds {
				t.Errorf("%d descriptors before, %d after", fds, now)
			}
		})
	}
}

func TestDescriptorLimitIsNamed(t *testing.T) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	low := syscall.Rlimit{Cur: uint64(descriptors(t) + 3), Max: old.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old) })
	_, err := local.Launch(&proc.Spec{Path: "/bin/true", Argv: []string{"true"}, Dir: "/"})
	if !errors.Is(err, syscall.EMFILE) || !strings.Contains(err.Error(), "RLIMIT_NOFILE") {
		t.Errorf("error %q; want the limit's name (BO-45)", err)
	}
}
