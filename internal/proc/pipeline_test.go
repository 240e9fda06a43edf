package proc_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"whelk/internal/proc"
)

// pipelineOf connects shell texts.
func pipelineOf(t testing.TB, texts ...string) *proc.Spec {
	t.Helper()
	spec := &proc.Spec{Path: "/bin/sh", Argv: []string{"sh", "-c", texts[0]}, Dir: t.TempDir(), Env: os.Environ()}
	for _, text := range texts[1:] {
		spec.Next = append(spec.Next, proc.Stage{Path: "/bin/sh", Argv: []string{"sh", "-c", text}})
	}
	return spec
}

func codes(exits []proc.Exit) (all []int) {
	for _, e := range exits {
		if e.Signal != 0 {
			all = append(all, -int(e.Signal))
			continue
		}
		all = append(all, e.Code)
	}
	return all
}

const sigpipe = -int(syscall.SIGPIPE)

func TestStagesStream(t *testing.T) {
	tests := []struct {
		name     string
		texts    []string
		out, err string
		codes    []int
	}{
		{"what one writes the next reads", []string{"echo a; echo b", "tr ab xy", "sort -r"}, "y\nx\n", "", []int{0, 0, 0}},
		{"a writer without end (M5)", []string{"exec yes", "exec head -n 1"}, "y\n", "", []int{sigpipe, 0}},
		{"more than a pipe holds (M4)", []string{"exec head -c 100000000 /dev/zero", `exec tr '\0' x`, "exec wc -c"}, "100000000\n", "", []int{0, 0, 0}},
		{"bytes that are no text (M8)", []string{`printf '\377\376\0'`, "exec cat"}, "\xff\xfe\x00", "", []int{0, 0}},
		{"a reader that does not read (M12)", []string{"sleep 0.1; exec seq 1 100000", "ls /nope 2>/dev/null; exit 3"}, "", "", []int{sigpipe, 3}},
		{"an early end in the middle", []string{"exec yes", "exit 4", "cat; echo end"}, "end\n", "", []int{sigpipe, 4, 0}},
		{"a failure in front", []string{"exit 5", "cat; exit 6"}, "", "", []int{5, 6}},
		{"one standard error", []string{"echo a >&2", "cat; echo b >&2", "cat; echo out"}, "out\n", "a\nb\n", []int{0, 0, 0}},
		{"the input of the first is empty", []string{"cat", "cat; echo end"}, "end\n", "", []int{0, 0}},
		{"the last is killed", []string{"true", "kill -9 $$"}, "", "", []int{0, -9}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := launch(t, pipelineOf(t, test.texts...))
			exit, out, errs := r.wait(t)
			if out != test.out || errs != test.err {
				t.Errorf("stdout %q, stderr %q; want %q, %q", out, errs, test.out, test.err)
			}
			if got := codes(r.Stages()); !slices.Equal(got, test.codes) {
				t.Errorf("exits %v; want %v", got, test.codes)
			}
			if got := codes([]proc.Exit{exit})[0]; got != test.codes[len(test.codes)-1] {
				t.Errorf("exit %d; want the last stage's", got)
			}
		})
	}
}

func TestStdinGoesIntoTheFirstStage(t *testing.T) { // M6
	spec := pipelineOf(t, "exec cat", "exec wc -c")
	spec.Stdin = true
	r := launch(t, spec)
	if _, err := r.Stdin().Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	_ = r.Stdin().Close()
	if _, out, _ := r.wait(t); strings.TrimSpace(out) != "5" {
		t.Errorf("stdout %q", out)
	}
}

func TestFilesTakeThePlaceOfPipes(t *testing.T) { // M7
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, []byte("from the file\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name            string
		texts           []string
		inAt, outAt     int // the stage with the file; -1: none
		out, file       string
		firstMayDiePipe bool
	}{
		{"a single program", []string{"exec cat"}, 0, 0, "", "from the file\n", false},
		{"input of the first", []string{"exec cat", "exec tr f F"}, 0, -1, "From the File\n", "", false},
		{"output of the last", []string{"echo x", "exec cat"}, -1, 1, "", "x\n", false},
		{"output of the first: the next reads nothing", []string{"echo x", "cat; echo end"}, -1, 0, "end\n", "x\n", false},
		{"input of the last: the first has no reader", []string{"exec yes", "exec cat"}, 1, -1, "from the file\n", "", true},
		{"in the middle", []string{"true", "exec cat", "cat; echo end"}, 1, 1, "end\n", "from the file\n", false},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			written := filepath.Join(dir, strconv.Itoa(i))
			reader, err := os.Open(in)
			if err != nil {
				t.Fatal(err)
			}
			writer, err := os.OpenFile(written, os.O_WRONLY|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			spec := pipelineOf(t, test.texts...)
			for n := range test.texts {
				ends := [2]**os.File{&spec.In, &spec.Out}
				if n > 0 {
					ends = [2]**os.File{&spec.Next[n-1].In, &spec.Next[n-1].Out}
				}
				if n == test.inAt {
					*ends[0] = reader
				}
				if n == test.outAt {
					*ends[1] = writer
				}
			}
			r := launch(t, spec)
			_ = reader.Close()
			_ = writer.Close()
			_, out, _ := r.wait(t)
			file, err := os.ReadFile(written)
			if err != nil || out != test.out || string(file) != test.file {
				t.Errorf("stdout %q, file %q, %v; want %q, %q", out, file, err, test.out, test.file)
			}
			if test.firstMayDiePipe && codes(r.Stages())[0] != sigpipe {
				t.Errorf("exits %v; want SIGPIPE first", codes(r.Stages()))
			}
		})
	}
}

func TestStagesHaveSessionsOfTheirOwnAndNoOtherDescriptors(t *testing.T) {
	look := `cut -d" " -f1,5,6,7 /proc/$$/stat; exec ls /proc/self/fd` // which has the directory open as 3
	_, out, _ := launch(t, pipelineOf(t, look, "cat; "+look, "cat; "+look)).wait(t)
	stages := strings.SplitAfter(out, "0\n1\n2\n3\n")
	if len(stages) != 4 || stages[3] != "" {
		t.Fatalf("stdout %q", out)
	}
	for i, stage := range stages[:3] {
		fields := strings.Fields(stage)
		if fields[0] != fields[1] || fields[0] != fields[2] || fields[3] != "0" {
			t.Errorf("stage %d: pid, group, session, tty, descriptors = %q", i, fields)
		}
	}
}

func TestEndsOfAPipelineAreThoseOfAllStages(t *testing.T) {
	r := launch(t, pipelineOf(t, "exec sleep 0.4", "exit 2", "sleep 0.2 >/dev/null & exit 3"))
	time.Sleep(100 * time.Millisecond)
	r.Poll()
	select {
	case <-r.Exited():
		t.Error("exited while the first stage runs")
	default:
	}
	if tree := r.Tree(); len(tree) != 2 {
		t.Errorf("tree %v; want both sleeps", tree)
	}
	exit, _, _ := r.wait(t)
	if exit.Code != 3 || len(r.Tree()) != 0 {
		t.Errorf("exit %+v, tree %v", exit, r.Tree())
	}
	if _, err := r.Signal(syscall.SIGTERM); !errors.Is(err, proc.ErrGone) {
		t.Errorf("signal after the end = %v", err)
	}
}

func TestAPollSeesTheEndAtOnce(t *testing.T) {
	for range 50 {
		r := launch(t, pipelineOf(t, "exec sleep 30", "exec cat"))
		if _, err := r.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the death of both", func() bool { return len(r.Tree()) == 0 })
		r.Poll()
		select {
		case <-r.Gone():
		default:
			t.Fatal("not gone after a look")
		}
	}
}

func TestNoStageTakesTheEndOfItsWriterForTheEndOfItsInput(t *testing.T) {
	for range 30 {
		r := launch(t, pipelineOf(t, "exec sleep 30", "exec sleep 30", "cat; echo all of it"))
		eventually(t, "the programs", func() bool { return len(r.Tree()) == 4 })
		if _, err := r.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if exit, out, _ := r.wait(t); out != "" || exit.Signal != syscall.SIGTERM {
			t.Fatalf("stdout %q, exit %+v", out, exit)
		}
	}
}

// A pipeline is ended as a whole, with what has left its groups (M13).
func TestWholePipelinesEnd(t *testing.T) {
	stages := []string{
		`(setsid sleep MARK &) ; sleep MARK`,
		`trap "" TERM; sleep MARK & sleep MARK`,
		`timeout 100000 sleep MARK; true`,
	}
	for _, containment := range []string{"cgroup", "subreaper", "group"} {
		t.Run(containment, func(t *testing.T) {
			t.Parallel()
			mark := mark()
			t.Cleanup(func() { killAll(t, mark) })
			texts := slices.Clone(stages)
			if containment == "group" {
				texts[0] = "sleep MARK & wait" // a daemon is beyond it
			}
			c := startContained(t, containment, strings.ReplaceAll(strings.Join(texts, stageMark), "MARK", mark))
			eventually(t, "processes", func() bool { return len(alive(t, mark)) >= 5 })
			time.Sleep(50 * time.Millisecond) // orphans are made
			c.ask("TERM")
			c.ask("KILL")
			waitGone(t, 5*time.Second, mark)
			if n := c.ask("tree"); n != "0" {
				t.Errorf("%s members are listed after the end", n)
			}
		})
	}
	for _, containment := range []string{"cgroup", "subreaper"} {
		t.Run(containment+", with the server", func(t *testing.T) {
			t.Parallel()
			mark := mark()
			t.Cleanup(func() { killAll(t, mark) })
			c := startContained(t, containment, strings.ReplaceAll(strings.Join(stages, stageMark), "MARK", mark))
			eventually(t, "processes", func() bool { return len(alive(t, mark)) >= 5 })
			guardian := guardianOf(t, c.PID())
			if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			waitGone(t, 9*time.Second, mark)
			eventually(t, "the guardian's own end", func() bool { return syscall.Kill(guardian, 0) != nil })
		})
	}
}

func TestAStageThatCannotBeStartedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	noFormat := filepath.Join(dir, "data")
	if err := os.WriteFile(noFormat, []byte("\x00\x01"), 0o755); err != nil {
		t.Fatal(err)
	}
	mark := mark()
	t.Cleanup(func() { killAll(t, mark) })
	for at := range 3 {
		t.Run(fmt.Sprintf("stage %d", at), func(t *testing.T) {
			spec := pipelineOf(t, "exec sleep "+mark, "(setsid sleep "+mark+" &); exec sleep "+mark, "exec sleep "+mark)
			spec.Stdin = true
			if at == 0 {
				spec.Path = noFormat
			} else {
				spec.Next[at-1].Path = noFormat
			}
			fds := descriptors(t)
			_, err := local.Launch(spec)
			if !errors.Is(err, syscall.ENOEXEC) || !strings.Contains(err.Error(), noFormat) {
				t.Fatalf("error %v", err)
			}
			if left := alive(t, mark); len(left) > 0 {
				t.Errorf("%d processes live on", len(left))
			}
			eventually(t, "the descriptors of before", func() bool { return descriptors(t) <= fds })
		})
	}
}

func TestNothingGrowsByPipelines(t *testing.T) {
	nothingGrows(t, func() *run {
		return launch(t, pipelineOf(t, "exec yes", "exec head -c 200000", "exec cat"))
	})
}

func TestAPipelineBeyondTheDescriptorLimitLeavesNothing(t *testing.T) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	mark := mark()
	t.Cleanup(func() { killAll(t, mark) })
	spec := pipelineOf(t, "exec sleep "+mark, "exec sleep "+mark, "exec sleep "+mark)
	spec.Stdin = true
	for more := 1; ; more++ { // descriptors that it may have: it fails at each step in turn
		fds := descriptors(t)
		limit := syscall.Rlimit{Cur: uint64(fds + more), Max: old.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		p, err := local.Launch(spec)
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
			t.Fatal(err)
		}
		if err == nil {
			(&run{Process: p}).end()
			return
		}
		if !errors.Is(err, syscall.EMFILE) || more > 40 {
			t.Fatalf("with %d descriptors: %v", more, err)
		}
		if left := alive(t, mark); len(left) > 0 {
			t.Fatalf("with %d descriptors %d processes live on", more, len(left))
		}
		eventually(t, "the descriptors of before", func() bool { return descriptors(t) <= fds })
	}
}
