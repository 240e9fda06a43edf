package main

import (
	"syscall"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

func TestBO01BackgroundChildDelaysNoAnswer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	marker := mcptest.Marker(t)
	began := time.Now()
	r := s.Execute("sleep "+marker+" & echo started", Args{"yield_ms": 1000})
	atMost(t, "the answer", began, 1500*time.Millisecond)
	if r.IsError || r.Status() != "backgrounded" || r.Stdout() != "started\n" || r.Int("shell_exit_code") != 0 {
		t.Errorf("%#v", r)
	}
	id := r.String("execution_id")
	if status := listed(t, s, id)["status"]; status != "running" {
		t.Errorf("%v while a child lives", status)
	}
	if r := s.Call("wait", Args{"execution_id": id, "timeout_ms": 200}); r.String("wait_result") != "deadline_reached" {
		t.Errorf("wait while a child lives: %#v", r)
	}
	kill(t, marker)
	began = time.Now()
	r = s.Call("wait", Args{"execution_id": id, "since_seq": 1})
	atMost(t, "the end after the child's", began, 500*time.Millisecond)
	wantRun(t, r, "completed", 0, "started\n")
}

// kill ends the processes with the marker.
func kill(t testing.TB, marker string) {
	t.Helper()
	pids := mcptest.Alive(marker)
	if len(pids) == 0 {
		t.Fatal("no process has the marker")
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestBO02HolderInAnotherSessionDelaysNoAnswer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	marker := mcptest.Marker(t)
	began := time.Now()
	r := s.Execute("setsid sleep "+marker+" & echo started", Args{"timeout_ms": 2000 * slack})
	atMost(t, "the answer", began, 1500*time.Millisecond)
	wantRun(t, r, "completed", 0, "started\n")
}

func TestBO02HolderInAnotherSessionDelaysNoShutdown(t *testing.T) {
	t.Parallel()
	marker := mcptest.Marker(t)
	s := mcptest.Start(t, mcptest.Options{Args: []string{"--result", "structured", "--grace", "1s"}})
	s.Execute("setsid sleep " + marker + " & echo started")
	began := time.Now()
	s.CloseStdin()
	if code := s.ExitCode(mcptest.Patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
	atMost(t, "the server's end", began, time.Second)
	if !dead(marker)() {
		t.Error("the holder outlived the server")
	}
}

func TestBO03OutputOfProcessSubstitutionIsComplete(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	began := time.Now()
	r := s.Execute("exec > >(sleep 0.4; cat); echo tail-line", Args{"shell": "bash"})
	atMost(t, "the answer", began, 2500*time.Millisecond)
	wantRun(t, r, "completed", 0, "tail-line\n")
}

func TestBO04HeldPipeChangesNoExitCode(t *testing.T) {
	t.Parallel()
	for command, code := range map[string]int64{"exit 0": 0, "exit 5": 5} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			marker := mcptest.Marker(t)
			r := s.Execute("sleep "+marker+" >&2 & "+command, Args{"yield_ms": 500})
			if r.IsError || r.Status() != "backgrounded" || r.Int("shell_exit_code") != code {
				t.Errorf("while the pipe is held: %#v", r)
			}
			kill(t, marker)
			wantRun(t, s.Call("wait", Args{"execution_id": r.String("execution_id")}), "completed", code, "")
		})
	}
}

func TestBO05ShortOrphanCostsNothing(t *testing.T) {
	s := startServer(t)
	const runs = 30
	var took []time.Duration
	for range runs {
		began := time.Now()
		wantRun(t, s.Execute("(sleep 0.05 &) ; true"), "completed", 0, "")
		took = append(took, time.Since(began))
	}
	wantTimes(t, took, 250*time.Millisecond, 600*time.Millisecond)
}

func TestBO06EscapedHolderDelaysNoEnd(t *testing.T) {
	t.Parallel()
	command := func(t *testing.T) (text, inGroup string) {
		inGroup = mcptest.Marker(t)
		return "echo begun; setsid sleep " + mcptest.Marker(t) + " & sleep " + inGroup, inGroup
	}
	const bound = time.Second + 1500*time.Millisecond // grace and the case's own
	t.Run("stop", func(t *testing.T) {
		t.Parallel()
		s := startServer(t)
		text, inGroup := command(t)
		id := s.Background(text)
		born(t, inGroup, 1)
		began := time.Now()
		r := s.Call("stop", Args{"execution_id": id})
		atMost(t, "stop", began, bound)
		if !r.Bool("stopped") || r.Status() != "stopped" {
			t.Errorf("%#v", r)
		}
		if out, _ := readAll(t, s, id); out != "begun\n" {
			t.Errorf("output %q", out)
		}
	})
	t.Run("limit", func(t *testing.T) {
		t.Parallel()
		s := startServer(t)
		text, _ := command(t)
		began := time.Now()
		r := s.Execute(text, Args{"timeout_ms": 1000})
		atMost(t, "the answer", began, time.Second+bound)
		if r.Status() != "timed_out" || r.Stdout() != "begun\n" {
			t.Errorf("%#v", r)
		}
	})
}
