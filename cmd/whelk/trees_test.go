package main

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// treeShapes are the ways in which processes leave their parent. MARK is
// replaced by a number that finds them again; each has it in its arguments.
var treeShapes = []struct {
	name, text string
	escapes    bool // from a containment that knows the group alone
}{
	{"plain children", `sleep MARK & sleep MARK`, false},
	{"timeout in a group of its own (BO-07)", `timeout 100000 sleep MARK; true`, false},
	{"job control (BO-08)", `exec bash -c 'set -m; sleep MARK & sleep MARK & wait'`, false},
	{"setsid (BO-09)", `setsid sleep MARK & wait`, false},
	{"a double fork (BO-10)", `(setsid sh -c "sleep MARK & exit 0" &) ; sleep MARK`, true},
	{"a daemon with nothing of ours", `(env -i setsid sh -c "sleep MARK >/dev/null 2>&1 </dev/null & exit 0" &) ; sleep MARK`, true},
	{"nohup and disown", `exec bash -c 'nohup sleep MARK >/dev/null 2>&1 & disown; sleep MARK'`, false},
	{"SIGTERM ignored (BO-63)", `trap "" TERM; sleep MARK & sleep MARK; sleep MARK`, false},
	{"SIGTERM ignored by a daemon", `(setsid sh -c "trap '' TERM; (sleep MARK; sleep MARK) & exit 0" &) ; sleep MARK`, true},
	{"stopped", `sh -c 'kill -STOP $$; sleep MARK' & sleep MARK`, false},
	{"a stopped daemon", `(setsid sh -c "sh -c 'kill -STOP \$\$; : MARK' & exit 0" &) ; sleep MARK`, true},
	{"forking while it is ended", `spawn() { while :; do setsid sleep MARK & sleep 0.05; done; }; spawn & sleep MARK`, true},
	{"generations of orphans", `for i in 1 2 3; do (setsid sh -c "(setsid sh -c 'sleep MARK & exit 0' &); sleep MARK & exit 0" &) ; done; sleep MARK`, true},
}

// tree is a shape at work.
type tree struct {
	name, mark string
	call       *mcptest.Pending // of an execute that has not been answered
	handle     string
}

// treeEndings are the ways in which a tree is ended. begin gives the arguments
// of execute; end ends all trees, which all live.
var treeEndings = []struct {
	name  string
	begin mcptest.Args
	end   func(*testing.T, *mcptest.Server, []*tree)
}{
	{"stop", mcptest.Args{"yield_ms": 0}, func(t *testing.T, s *mcptest.Server, trees []*tree) {
		for _, g := range trees {
			g.call = s.BeginCall("stop", mcptest.Args{"execution_id": g.handle, "force_after_ms": 1000})
		}
		for _, g := range trees {
			r := g.call.Result()
			if !r.Bool("stopped") || r.Int("reaped") < 2 || r.Has("survivors") {
				t.Errorf("%s: %#v", g.name, r)
			}
			if left := mcptest.Alive(g.mark); len(left) > 0 {
				t.Errorf("%s: %d live on when stop has answered", g.name, len(left))
			}
		}
	}},
	{"runtime limit", mcptest.Args{"yield_ms": 0, "timeout_ms": 3000}, nil},
	{"idle limit", mcptest.Args{"yield_ms": 0, "idle_timeout_ms": 3000}, nil},
	{"cancel", mcptest.Args{"yield_ms": 50000}, func(t *testing.T, s *mcptest.Server, trees []*tree) {
		for _, g := range trees {
			s.Cancel(g.call)
		}
	}},
	{"end of input", mcptest.Args{"yield_ms": 0}, func(t *testing.T, s *mcptest.Server, _ []*tree) {
		s.CloseStdin()
		s.ExitCode(3 * 3500 * time.Millisecond)
	}},
	{"SIGTERM (BO-15)", mcptest.Args{"yield_ms": 0}, func(t *testing.T, s *mcptest.Server, _ []*tree) {
		s.Signal(syscall.SIGTERM)
		s.ExitCode(3 * 2 * time.Second)
	}},
	{"SIGKILL (BO-14)", mcptest.Args{"yield_ms": 0}, func(t *testing.T, s *mcptest.Server, _ []*tree) {
		s.Signal(syscall.SIGKILL)
	}},
}

// treeSlots bounds how many servers have their trees at once: each has some
// sixty processes, and one that makes more.
var treeSlots = make(chan struct{}, 3)

// TestNoProcessOutlivesItsEnding: grace 1 s, and 2 s more; three times that for
// a busy machine.
func TestNoProcessOutlivesItsEnding(t *testing.T) {
	const bound = slack * 3 * time.Second
	for _, containment := range []string{"cgroup", "subreaper", "group"} {
		for _, ending := range treeEndings {
			t.Run(containment+"/"+ending.name, func(t *testing.T) {
				t.Parallel()
				treeSlots <- struct{}{}
				defer func() { <-treeSlots }()
				s := mcptest.Start(t, mcptest.Options{Args: []string{"--result", "structured", "--grace", "1s", "--containment", containment}})
				if r := s.Execute("true"); r.IsError && containment == "cgroup" {
					t.Skipf("kernel: version 2 control groups cannot be used here: %s", r.String("error"))
				}
				escapes := containment != "group" || ending.name == "SIGKILL (BO-14)"
				trees := growTrees(t, s, ending.begin, escapes)
				if ending.end != nil {
					ending.end(t, s, trees)
				}
				deadline := time.Now().Add(bound)
				for living := trees; len(living) > 0; time.Sleep(50 * time.Millisecond) {
					alive := aliveByMark(t)
					living = slices.DeleteFunc(living, func(g *tree) bool { return alive[g.mark] == 0 })
					if time.Now().After(deadline) {
						for _, g := range living {
							t.Errorf("%s: %d live on", g.name, alive[g.mark])
						}
						return
					}
				}
			})
		}
	}
}

// aliveByMark counts the living processes of all markers in one look.
func aliveByMark(t *testing.T) map[string]int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	marks := regexp.MustCompile(`[0-9]{9}`)
	counts := make(map[string]int)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if mark := marks.FindString(string(args)); mark != "" && mcptest.State(pid) != 'Z' {
			counts[mark]++
		}
	}
	return counts
}

// growTrees starts all trees and waits until they have grown.
func growTrees(t *testing.T, s *mcptest.Server, begin mcptest.Args, escapes bool) []*tree {
	t.Helper()
	var trees []*tree
	for _, shape := range treeShapes {
		if shape.escapes && !escapes {
			continue // the documented limit of this containment
		}
		g := &tree{name: shape.name, mark: mcptest.Marker(t)}
		g.call = s.BeginExecute(strings.ReplaceAll(shape.text, "MARK", g.mark), begin)
		trees = append(trees, g)
	}
	if begin["yield_ms"] == 0 {
		for _, g := range trees {
			g.handle = g.call.Result().String("execution_id")
		}
	}
	// Each has been seen with two processes once: a limit may have ended it
	// since.
	growing := slices.Clone(trees)
	for deadline := time.Now().Add(mcptest.Patience); len(growing) > 0; time.Sleep(20 * time.Millisecond) {
		alive := aliveByMark(t)
		growing = slices.DeleteFunc(growing, func(g *tree) bool { return alive[g.mark] >= 2 })
		if time.Now().After(deadline) {
			t.Fatalf("%d trees have not grown, among them %s", len(growing), growing[0].name)
		}
	}
	time.Sleep(100 * time.Millisecond) // the intermediate parents die
	return trees
}

func TestDetachedDaemonLivesOnAndCanBeStopped(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	mark := mcptest.Marker(t)
	r := s.Execute("setsid sleep " + mark + " >/dev/null 2>&1 & echo started")
	if r.Status() != "completed" || r.Stdout() != "started\n" {
		t.Fatalf("%#v", r)
	}
	id := r.String("execution_id")
	mcptest.Eventually(t, mcptest.Patience, "the daemon", func() bool { return len(mcptest.Alive(mark)) == 1 })
	time.Sleep(time.Second)
	if len(mcptest.Alive(mark)) != 1 {
		t.Fatal("the daemon was ended with its command")
	}
	listed := s.Call("ps", mcptest.Args{}).Fields["executions"].([]any)[0].(map[string]any)
	detached, _ := listed["detached"].([]any)
	if listed["execution_id"] != id || listed["status"] != "completed" || len(detached) != 1 || detached[0].(map[string]any)["name"] != "sleep" {
		t.Errorf("listed as %v", listed)
	}
	if r := s.Call("stop", mcptest.Args{"execution_id": id}); !r.Bool("stopped") || r.Int("reaped") != 1 || r.Status() != "completed" {
		t.Errorf("%#v", r)
	}
	if len(mcptest.Alive(mark)) != 0 {
		t.Error("the daemon outlived its stop")
	}
	if r := s.Call("stop", mcptest.Args{"execution_id": id}); r.Bool("stopped") || r.String("code") != "not_running" {
		t.Errorf("a second stop: %#v", r)
	}
}

func TestDetachedDaemonAndTheEndOfTheServer(t *testing.T) {
	for _, onExit := range []string{"stop", "keep-detached"} {
		for _, ending := range []string{"end of input", "SIGKILL"} {
			t.Run(onExit+"/"+ending, func(t *testing.T) {
				t.Parallel()
				s := mcptest.Start(t, mcptest.Options{Args: []string{"--result", "structured", "--grace", "500ms", "--on-exit", onExit}})
				daemon, live := mcptest.Marker(t), mcptest.Marker(t)
				s.Execute("setsid sleep " + daemon + " >/dev/null 2>&1 & echo started")
				s.Background("setsid sleep " + live + " & wait")
				for _, mark := range []string{daemon, live} {
					mcptest.Eventually(t, mcptest.Patience, "processes", func() bool { return len(mcptest.Alive(mark)) >= 1 })
				}
				time.Sleep(200 * time.Millisecond) // the guardian is there
				if ending == "SIGKILL" {
					s.Signal(syscall.SIGKILL)
				} else {
					s.CloseStdin()
				}
				mcptest.Eventually(t, mcptest.Patience, "the end of what was live", func() bool { return len(mcptest.Alive(live)) == 0 })
				<-s.Exited()
				time.Sleep(2 * time.Second) // the guardian's grace is over
				if lives := len(mcptest.Alive(daemon)) > 0; lives != (onExit == "keep-detached") {
					t.Errorf("the daemon lives: %v", lives)
				}
			})
		}
	}
}

func TestServerIsGoneBeforeClientsKillIt(t *testing.T) {
	for _, ending := range []string{"end of input", "SIGTERM"} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			s := mcptest.Start(t, mcptest.Options{Args: []string{"--result", "structured", "--grace", "4s"}})
			mark := mcptest.Marker(t)
			s.Background(`trap "" TERM; sleep ` + mark + `; sleep ` + mark)
			mcptest.Eventually(t, mcptest.Patience, "processes", func() bool { return len(mcptest.Alive(mark)) >= 2 })
			time.Sleep(300 * time.Millisecond) // the guardian is there
			began := time.Now()
			if ending == "SIGTERM" {
				s.Signal(syscall.SIGTERM)
			} else {
				s.CloseStdin()
			}
			if code := s.ExitCode(3500 * time.Millisecond); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if left := len(mcptest.Alive(mark)); left == 0 && time.Since(began) < 3*time.Second {
				t.Error("the command did not get its grace")
			}
			mcptest.Eventually(t, mcptest.Patience, "the end of the command", func() bool { return len(mcptest.Alive(mark)) == 0 })
		})
	}
}

func TestExitWithParent(t *testing.T) {
	// A wrapper is killed whose client keeps the server's input open (BO-18).
	for _, option := range []bool{true, false} {
		name := "without the option it waits, idly"
		if option {
			name = "with the option it ends with its commands"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--result", "structured", "--grace", "1s"}
			if option {
				args = append(args, "--exit-with-parent")
			}
			s := mcptest.Start(t, mcptest.Options{
				Args: args,
				Wrap: []string{"/bin/sh", "-c", `exec 3<&0; "$@" <&3 3<&- & wait`, "sh"},
			})
			mark := mcptest.Marker(t)
			s.Background("sleep " + mark + " & sleep " + mark)
			mcptest.Eventually(t, mcptest.Patience, "processes", func() bool { return len(mcptest.Alive(mark)) >= 2 })
			s.Signal(syscall.SIGKILL) // the shell
			if option {
				mcptest.Eventually(t, 3*6*time.Second, "the end of the commands", func() bool { return len(mcptest.Alive(mark)) == 0 })
				return
			}
			time.Sleep(2 * time.Second)
			if len(mcptest.Alive(mark)) < 2 {
				t.Error("the commands were ended")
			}
			if r := s.Execute("echo alive"); r.Stdout() != "alive\n" {
				t.Errorf("%#v", r)
			}
		})
	}
}
