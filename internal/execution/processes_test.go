package execution_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/execution"
	"whelk/internal/output"
	"whelk/internal/proc"
)

// withProcesses returns a supervisor of real processes in a workspace. Only one may be
// there at a time, because its launcher owns all waits of this process.
func withProcesses(t *testing.T, o execution.Options) (sup *execution.Supervisor, dir string) {
	t.Helper()
	local, err := proc.NewLocal(proc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir = workspace(t)
	o.Dir, o.Environ, o.Launcher, o.Retention, o.MaxRetained = dir, os.Environ(), local, time.Hour, 100
	sup = execution.New(o)
	t.Cleanup(func() {
		sup.Close()
		local.Close()
	})
	return sup, dir
}

// ending runs a pipeline to its end.
func ending(t *testing.T, sup *execution.Supervisor, r execution.Request) (n execution.Snapshot, stdout, stderr string) {
	t.Helper()
	e := start(t, sup, r)
	select {
	case <-e.Done():
	case <-time.After(20 * time.Second):
		t.Fatalf("%s has not ended within 20 s", e.Snapshot().Command)
	}
	p := e.Read(output.ReadOptions{Since: 1, Max: 1 << 20})
	return e.Snapshot(), string(p.Stdout), string(p.Stderr)
}

// What mcp-shell-server documents of pipelines and redirections, and got wrong.
func TestPipelinesOfRealPrograms(t *testing.T) {
	sup, dir := withProcesses(t, execution.Options{})
	tests := []struct {
		name, argv, input string
		stdout, stderr    string
		code              int
		file, content     string // written by it
	}{
		{name: "a plain one", argv: "cat in.txt | grep a | wc -l", stdout: "2\n"},
		{name: "half a megabyte through a filter (M4)", argv: `head -c 500000 /dev/zero | tr \0 x | wc -c`, stdout: "500000\n"},
		{name: "a writer without end (M5)", argv: "yes | head -n 1", stdout: "y\n"},
		{name: "early ends one after another (M5)", argv: "seq 1 60000 | sort -r | head -n 1", stdout: "9999\n"},
		{name: "stdin (M6)", argv: "cat | wc -c", input: "hello", stdout: "5\n"},
		{name: "output in the middle (M7)", argv: "echo a > f | cat", file: "f", content: "a\n"},
		{name: "input in the middle (M7)", argv: "echo a | cat < in.txt", stdout: "alpha\nbeta\n"},
		{name: "appending", argv: "echo b >> f | true", file: "f", content: "a\nb\n"},
		{name: "the output of the last", argv: "cat in.txt | sort -r > po", file: "po", content: "beta\nalpha\n"},
		{name: "bytes that are no text (M8)", argv: `printf \377\376 | tee bin`, stdout: "\xff\xfe", file: "bin", content: "\xff\xfe"},
		{name: "a character in pieces", argv: `printf \303\251 | cat`, stdout: "é"},
		{name: "blanks are kept (M9)", argv: `printf \040x\n | cat`, stdout: " x\n"},
		{name: "a program that ends early (M12)", argv: "echo a | ls /nope", stderr: "No such file", code: 2},
		{name: "a failure in front", argv: "cat /nope | wc -l", stdout: "0\n", stderr: "No such file"},
		{name: "a redirection alone", argv: "> o4 echo x", file: "o4", content: "x\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := pipeline(test.argv)
			r.Input = test.input
			n, stdout, stderr := ending(t, sup, r)
			if n.Status != execution.Completed || n.ExitCode != test.code || stdout != test.stdout || !strings.Contains(stderr, test.stderr) || test.stderr == "" && stderr != "" {
				t.Errorf("status %v, exit code %d, stdout %q, stderr %q", n.Status, n.ExitCode, stdout, stderr)
			}
			if test.file == "" {
				return
			}
			b, err := os.ReadFile(filepath.Join(dir, test.file))
			if err != nil || string(b) != test.content {
				t.Errorf("%s has %q, %v; want %q", test.file, b, err, test.content)
			}
		})
	}
}

func TestOnlyRealFailuresOfStagesCount(t *testing.T) {
	sup, _ := withProcesses(t, execution.Options{})
	n, _, _ := ending(t, sup, pipeline("yes | cat /nope | head -n 1"))
	want := []execution.StageExit{
		{Name: "yes", ExitCode: -13, Signal: syscall.SIGPIPE}, {Name: "cat", ExitCode: 1, Failed: true}, {Name: "head"},
	}
	if diff := cmp.Diff(want, n.Stages); diff != "" || n.ExitCode != 0 {
		t.Errorf("exit code %d, stages (-want +got):\n%s", n.ExitCode, diff)
	}
}

// marked is a pipeline that goes on forever, with grandchildren, each of which
// sleeps seconds that nobody else does.
func marked(seconds string) execution.Request {
	sleeps := "sleep " + seconds + " & sleep " + seconds
	return execution.Request{Operators: true, Argv: []string{
		"sh", "-c", sleeps, "|", "sh", "-c", "(setsid sleep " + seconds + " &); " + sleeps, "|", "cat",
	}}
}

// sleeping counts the processes that sleep so many seconds.
func sleeping(t *testing.T, seconds string) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if args, _ := os.ReadFile(file); string(args) == "sleep\x00"+seconds+"\x00" {
			n++
		}
	}
	return n
}

// A pipeline ends as a whole, with all that descends from it (M3, M13).
func TestPipelinesEndAsAWhole(t *testing.T) {
	seconds := func(i int) string { return fmt.Sprintf("%d.%d", 7_000_000+i, os.Getpid()) }
	started := func(t *testing.T, sup *execution.Supervisor, i int, r execution.Request) *execution.Execution {
		e := start(t, sup, r)
		for deadline := time.Now().Add(5 * time.Second); sleeping(t, seconds(i)) < 5; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("it does not get going")
			}
		}
		return e
	}
	t.Run("by a stop", func(t *testing.T) {
		sup, _ := withProcesses(t, execution.Options{})
		e := started(t, sup, 1, marked(seconds(1)))
		r, err := e.Stop(t.Context(), execution.StopOptions{Force: 2 * time.Second})
		if err != nil || r.Snapshot.Status != execution.Stopped || r.Ended < 8 || len(r.Snapshot.Stages) != 3 {
			t.Errorf("receipt %+v, %v", r, err)
		}
		if n := sleeping(t, seconds(1)); n > 0 {
			t.Errorf("%d processes live on", n)
		}
	})
	t.Run("by its runtime limit", func(t *testing.T) {
		sup, _ := withProcesses(t, execution.Options{Grace: time.Second})
		r := marked(seconds(2))
		r.Timeout = 500 * time.Millisecond
		e := started(t, sup, 2, r)
		<-e.Done()
		if n := e.Snapshot(); n.Status != execution.TimedOut || n.Limit != "timeout" {
			t.Errorf("snapshot %+v", n)
		}
		if n := sleeping(t, seconds(2)); n > 0 {
			t.Errorf("%d processes live on", n)
		}
	})
	t.Run("by the end of the server", func(t *testing.T) {
		sup, _ := withProcesses(t, execution.Options{Grace: time.Second})
		e := started(t, sup, 3, marked(seconds(3)))
		sup.Close()
		if n := e.Snapshot(); n.Status != execution.Stopped {
			t.Errorf("snapshot %+v", n)
		}
		if n := sleeping(t, seconds(3)); n > 0 {
			t.Errorf("%d processes live on", n)
		}
	})
}

func TestPipelinesLeaveNoDescriptor(t *testing.T) {
	sup, _ := withProcesses(t, execution.Options{})
	round := func(n int) {
		for i := range n {
			ending(t, sup, pipeline("cat < in.txt | sort | head -n 1 > out"+strconv.Itoa(i)))
		}
	}
	round(5)
	before := descriptors(t)
	round(30)
	if now := descriptors(t); now > before+2 {
		t.Errorf("descriptors grew from %d to %d", before, now)
	}
}
