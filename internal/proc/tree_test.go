package proc_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"whelk/internal/proc"
)

// trees are the ways in which processes leave their parent. MARK is replaced
// by a number that finds them again; each must have it in its arguments.
var trees = []struct {
	name, text string
	escapes    bool // beyond the group and the living leader's descent
}{
	{"a plain child", `sleep MARK & sleep MARK`, false},
	{"timeout moves itself to a group of its own (BO-07)", `timeout 100000 sleep MARK; true`, false},
	{"job control gives each job a group (BO-08)", `exec bash -c 'set -m; sleep MARK & sleep MARK & wait'`, false},
	{"setsid (BO-09)", `setsid sleep MARK & wait`, false},
	{"a daemon by double fork (BO-10)", `(setsid sh -c "sleep MARK & exit 0" &) ; sleep MARK`, true},
	{"a daemon with an empty environment", `(env -i setsid sh -c "sleep MARK >/dev/null 2>&1 </dev/null & exit 0" &) ; sleep MARK`, true},
	{"nohup and disown", `exec bash -c 'nohup sleep MARK >/dev/null 2>&1 & disown; sleep MARK'`, false},
	{"SIGTERM ignored", `trap "" TERM; sleep MARK & sleep MARK; sleep MARK`, false},
	{"SIGTERM ignored by a daemon", `(setsid sh -c "trap '' TERM; (sleep MARK; sleep MARK) & exit 0" &) ; sleep MARK`, true},
	{"stopped", `sh -c 'kill -STOP $$; sleep MARK' & sleep MARK`, false},
	{"a stopped daemon", `(setsid sh -c "sh -c 'kill -STOP \$\$; : MARK' & exit 0" &) ; sleep MARK`, true},
	{"forking while it is ended", `spawn() { while :; do setsid sleep MARK & sleep 0.01; done; }; spawn & sleep MARK`, true},
	{"many generations of orphans", `for i in 1 2 3 4 5; do (setsid sh -c "(setsid sh -c 'sleep MARK & exit 0' &); sleep MARK & exit 0" &) ; done; sleep MARK`, true},
}

// mark returns a number of seconds that no other process sleeps.
func mark() string { return strconv.Itoa(100_000_000 + rand.IntN(800_000_000)) }

// alive counts the living processes with the mark in their arguments.
func alive(t testing.TB, mark string) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		stat, _ := os.ReadFile("/proc/" + e.Name() + "/stat")
		if strings.Contains(string(args), mark) && !strings.Contains(string(stat), ") Z ") {
			pids = append(pids, pid)
		}
	}
	return pids
}

func killAll(t testing.TB, mark string) {
	for range 20 {
		left := alive(t, mark)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// stageMark divides the text of a treeProgram into the stages of a pipeline.
const stageMark = "\n||||\n"

// treeProgram runs text in a containment, reads lines from its input, and does
// what they say: TERM, KILL (until nothing is left), tree, quit.
func treeProgram(containment, text string) int {
	kind, err := proc.ParseContainment(containment)
	if err != nil {
		return fail(err)
	}
	l, err := proc.NewLocal(proc.Options{
		Containment: kind,
		Guardian:    &proc.GuardianOptions{Argv: []string{"guardian", "guardian"}, Grace: time.Second},
	})
	if err != nil {
		return fail(err)
	}
	first, rest, _ := strings.Cut(text, stageMark)
	spec := &proc.Spec{Path: "/bin/sh", Argv: []string{"sh", "-c", first}, Dir: "/", Env: os.Environ()}
	for rest != "" {
		first, rest, _ = strings.Cut(rest, stageMark)
		spec.Next = append(spec.Next, proc.Stage{Path: "/bin/sh", Argv: []string{"sh", "-c", first}})
	}
	p, err := l.Launch(spec)
	if err != nil {
		return fail(err)
	}
	go p.Output().Each(func(proc.Stream, []byte) {})
	fmt.Println("started")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch lines.Text() {
		case "TERM":
			_, err := p.Signal(syscall.SIGTERM)
			fmt.Println(err)
		case "KILL":
			for range 500 {
				if _, err := p.Signal(syscall.SIGKILL); errors.Is(err, proc.ErrGone) && len(p.Tree()) == 0 {
					break
				}
				time.Sleep(2 * time.Millisecond)
			}
			<-p.Gone()
			fmt.Println("killed")
		case "tree":
			fmt.Println(len(p.Tree()))
		case "hand over":
			fmt.Println(l.HandOver(500 * time.Millisecond))
		case "quit":
			l.Close()
			fmt.Println("closed")
			return 0
		}
	}
	return 1
}

// contained is a treeProgram at work, spoken to line by line.
type contained struct {
	*run
	t     *testing.T
	lines chan string
}

func startContained(t *testing.T, containment, text string) *contained {
	t.Helper()
	p, err := local.Launch(&proc.Spec{
		Path: "/proc/self/exe", Argv: []string{"tree-program"}, Dir: "/", Stdin: true,
		Env: append(os.Environ(), asProgram+"=tree", "WHELK_TEST_CONTAINMENT="+containment, "WHELK_TEST_COMMAND="+text),
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &contained{run: &run{Process: p}, t: t, lines: make(chan string, 100)}
	rest := ""
	c.read.Go(func() {
		p.Output().Each(func(s proc.Stream, b []byte) {
			if s == proc.Stderr {
				t.Logf("stderr: %s", b)
				return
			}
			rest += string(b)
			for {
				line, after, ok := strings.Cut(rest, "\n")
				if !ok {
					return
				}
				rest = after
				c.lines <- line
			}
		})
	})
	t.Cleanup(func() {
		_ = p.Stdin().Close()
		_, _ = p.Signal(syscall.SIGKILL)
		<-p.Gone()
		p.Output().Close()
		c.read.Wait()
	})
	if got := c.line(); got != "started" {
		if strings.Contains(got, "control group") {
			t.Skipf("kernel: version 2 control groups cannot be used here: %s", got)
		}
		t.Fatalf("the program says %q", got)
	}
	return c
}

func (c *contained) line() string {
	c.t.Helper()
	select {
	case line := <-c.lines:
		return line
	case <-time.After(20 * time.Second):
		c.t.Fatal("no line within 20 s")
		return ""
	}
}

func (c *contained) ask(question string) string {
	c.t.Helper()
	if _, err := c.Stdin().Write([]byte(question + "\n")); err != nil {
		c.t.Fatal(err)
	}
	return c.line()
}

func TestWholeTreesEnd(t *testing.T) {
	for _, containment := range []string{"cgroup", "subreaper", "group"} {
		for _, tree := range trees {
			if containment == "group" && tree.escapes {
				continue // its documented limit
			}
			t.Run(containment+"/"+tree.name, func(t *testing.T) {
				t.Parallel()
				mark := mark()
				t.Cleanup(func() { killAll(t, mark) })
				c := startContained(t, containment, strings.ReplaceAll(tree.text, "MARK", mark))
				eventually(t, "processes", func() bool { return len(alive(t, mark)) >= 2 })
				time.Sleep(50 * time.Millisecond) // orphans are made
				c.ask("TERM")
				c.ask("KILL")
				if containment == "group" {
					// What the signals reached is not seen any more once the
					// leader has gone, and may be a moment behind.
					waitGone(t, 5*time.Second, mark)
				}
				if left := alive(t, mark); len(left) > 0 {
					t.Errorf("%d processes live on", len(left))
				}
				if n := c.ask("tree"); n != "0" {
					t.Errorf("%s members are listed after the end", n)
				}
			})
		}
	}
}

func TestWholeTreesEndWithTheServer(t *testing.T) {
	for _, containment := range []string{"cgroup", "subreaper"} {
		for _, tree := range trees {
			t.Run(containment+"/"+tree.name, func(t *testing.T) {
				t.Parallel()
				mark := mark()
				t.Cleanup(func() { killAll(t, mark) })
				c := startContained(t, containment, strings.ReplaceAll(tree.text, "MARK", mark))
				eventually(t, "processes", func() bool { return len(alive(t, mark)) >= 2 })
				guardian := guardianOf(t, c.PID())
				if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				// Grace 1 s and 2 more, times 3 for a busy machine.
				waitGone(t, 9*time.Second, mark)
				eventually(t, "the guardian's own end", func() bool { return syscall.Kill(guardian, 0) != nil })
			})
		}
	}
}

func waitGone(t *testing.T, within time.Duration, mark string) {
	t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		left := alive(t, mark)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d processes live on after %v", len(left), within)
		}
	}
}

// guardianOf waits for the guardian of a program and returns its pid.
func guardianOf(t *testing.T, pid int) (guardian int) {
	t.Helper()
	eventually(t, "a guardian that waits", func() bool {
		for _, child := range childrenOf(pid) {
			args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
			if string(args) == "guardian\x00guardian\x00" {
				guardian = child
				return true
			}
		}
		return false
	})
	time.Sleep(100 * time.Millisecond) // it reads its order
	return guardian
}

func childrenOf(pid int) (pids []int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for field := range strings.FieldsSeq(string(list)) {
			child, _ := strconv.Atoi(field)
			pids = append(pids, child)
		}
	}
	return pids
}

func TestGuardian(t *testing.T) {
	t.Run("finishes the grace of an orderly end", func(t *testing.T) {
		mark := mark()
		t.Cleanup(func() { killAll(t, mark) })
		c := startContained(t, "subreaper", strings.ReplaceAll(`trap "" TERM; sleep MARK; sleep MARK`, "MARK", mark))
		guardianOf(t, c.PID())
		if got := c.ask("hand over"); got != "true" {
			t.Fatalf("handed over: %s", got)
		}
		_ = syscall.Kill(c.PID(), syscall.SIGKILL)
		time.Sleep(300 * time.Millisecond)
		if len(alive(t, mark)) == 0 {
			t.Error("killed before the rest of the grace (500 ms) was over")
		}
		waitGone(t, 6*time.Second, mark)
	})
	t.Run("is dismissed by an end with nothing left", func(t *testing.T) {
		c := startContained(t, "subreaper", "true")
		guardian := guardianOf(t, c.PID())
		if got := c.ask("quit"); got != "closed" {
			t.Fatal(got)
		}
		eventually(t, "its end", func() bool { return syscall.Kill(guardian, 0) != nil })
	})
	t.Run("is small and knows nothing", func(t *testing.T) {
		c := startContained(t, "subreaper", "sleep 5")
		guardian := guardianOf(t, c.PID())
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", guardian))
		if err != nil || string(environ) != "GOMAXPROCS=1\x00" {
			t.Errorf("environment %q, %v", environ, err)
		}
		// At its start it looks at its own memory, to give back what it can.
		eventually(t, "a guardian that holds nothing", func() bool { return len(heldBy(t, guardian)) == 0 })
		eventually(t, "a guardian of at most 4 MiB (PSS)", func() bool { return pssOf(t, guardian) <= 4<<20 || raceEnabled })
	})
	t.Run("spares what is not the server's", func(t *testing.T) {
		mark := mark()
		t.Cleanup(func() { killAll(t, mark) })
		stranger := start(t, "exec sleep "+mark) // of another server: this one
		c := startContained(t, "subreaper", "exec sleep "+mark)
		guardianOf(t, c.PID())
		_ = syscall.Kill(c.PID(), syscall.SIGKILL)
		eventually(t, "one left", func() bool { return len(alive(t, mark)) == 1 })
		time.Sleep(1500 * time.Millisecond) // the grace is over
		if left := alive(t, mark); len(left) != 1 || left[0] != stranger.PID() {
			t.Errorf("left %v; want %d", left, stranger.PID())
		}
	})
}

// heldBy are the open files of a guardian beyond the three that it is given.
func heldBy(t *testing.T, guardian int) (held []string) {
	t.Helper()
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", guardian))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", guardian, fd.Name()))
		// Go's runtime itself watches the processor share of its group.
		runtime := strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/sys/fs/cgroup/")
		if n, _ := strconv.Atoi(fd.Name()); n > 2 && !runtime {
			held = append(held, to)
		}
	}
	return held
}

func pssOf(t *testing.T, pid int) (bytes int64) {
	t.Helper()
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(rollup), "\n") {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	t.Fatal("no Pss")
	return 0
}

func TestTreeAfterTheEndIsWhatWasLeftOnPurpose(t *testing.T) {
	mark := mark()
	t.Cleanup(func() { killAll(t, mark) })
	r := start(t, `setsid sleep `+mark+` >/dev/null 2>&1 & echo started`)
	r.wait(t)
	eventually(t, "sleep in the tree", func() bool {
		tree := r.Tree()
		return len(tree) == 1 && tree[0].Name == "sleep" && len(alive(t, mark)) == 1
	})
	if left := alive(t, mark); len(left) != 1 || left[0] != r.Tree()[0].PID {
		t.Fatalf("tree %v, alive %v", r.Tree(), left)
	}
	if _, err := r.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	eventually(t, "its end", func() bool { return len(r.Tree()) == 0 && len(alive(t, mark)) == 0 })
	if _, err := r.Signal(syscall.SIGKILL); !errors.Is(err, proc.ErrGone) {
		t.Errorf("signal after all ended = %v", err)
	}
}

func TestTreesOfDifferentCommandsAreKeptApart(t *testing.T) {
	one, two := mark(), mark()
	t.Cleanup(func() { killAll(t, one); killAll(t, two) })
	daemon := `(setsid sh -c "sleep MARK >/dev/null 2>&1 & exit 0" &); sleep 0.1`
	a := start(t, strings.ReplaceAll(daemon, "MARK", one))
	b := start(t, strings.ReplaceAll(daemon, "MARK", two))
	a.wait(t)
	b.wait(t)
	if _, err := a.Signal(syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	eventually(t, "the end of the first", func() bool { return len(alive(t, one)) == 0 })
	if len(alive(t, two)) != 1 || len(b.Tree()) != 1 {
		t.Errorf("the other command's daemon: alive %v, tree %v", alive(t, two), b.Tree())
	}
}

func TestWhoTookOffItsLabelIsAStray(t *testing.T) {
	mark := mark()
	t.Cleanup(func() { killAll(t, mark) })
	r := launch(t, &proc.Spec{Path: "/bin/bash", Argv: []string{"bash", "-c", `ulimit -S -x 77; (setsid sleep ` + mark + ` >/dev/null 2>&1 &)`}, Dir: "/", Env: os.Environ()})
	r.wait(t)
	if tree := r.Tree(); len(tree) != 0 {
		t.Errorf("tree %v", tree)
	}
	eventually(t, "the stray", func() bool { return len(local.Strays()) == 1 && len(alive(t, mark)) == 1 })
	strays := local.Strays()
	if strays[0].PID != alive(t, mark)[0] {
		t.Fatalf("strays %v, alive %v", strays, alive(t, mark))
	}
	local.SignalStrays(syscall.SIGKILL)
	eventually(t, "its end", func() bool { return len(alive(t, mark)) == 0 })
}
