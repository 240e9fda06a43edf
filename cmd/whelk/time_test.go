package main

import (
	"syscall"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

func TestBO62FastCommandDoesNotWaitForTheYield(t *testing.T) {
	s := startServer(t)
	var took []time.Duration
	for range 50 {
		began := time.Now()
		wantRun(t, s.Execute("echo x", Args{"yield_ms": 30_000}), "completed", 0, "x\n")
		took = append(took, time.Since(began))
	}
	wantTimes(t, took, 100*time.Millisecond, 500*time.Millisecond)
}

func TestBO63NoEndedStatusWhileAProcessLives(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	marker := mcptest.Marker(t)
	began := time.Now()
	call := s.BeginExecute(`trap "" TERM; sleep `+marker+"; sleep "+marker, Args{"timeout_ms": 1000, "yield_ms": 5000})
	// Of two threads the command's may be the faster one: then it is not listed yet.
	eventually(t, time.Second, "the command is listed", func() bool { return len(executions(t, s)) == 1 })
	ended := false
	for !ended {
		status := executions(t, s)[0]["status"]
		ended = status != "running"
		if ended && len(mcptest.Alive(marker)) > 0 {
			t.Fatalf("%v while %v live", status, mcptest.Alive(marker))
		}
		atMost(t, "the end", began, time.Second+time.Second+time.Second) // limit, grace and the case's own
		time.Sleep(50 * time.Millisecond)                                // the pace of the poll
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("no grace: ended after %v", took)
	}
	if r := call.Result(); r.Status() != "timed_out" || r.String("limit_exceeded") != "timeout" {
		t.Errorf("%#v", r)
	}
}

func TestBO64SuspendedServerSeesTheTrueEnd(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	call := s.BeginExecute("sleep 2; echo done", Args{"timeout_ms": 3000})
	time.Sleep(time.Second) // the case's own moments: the suspension is from 1 s to 5 s
	s.Signal(syscall.SIGSTOP)
	time.Sleep(4 * time.Second)
	s.Signal(syscall.SIGCONT)
	wantRun(t, call.Result(), "completed", 0, "done\n")
}

func TestBO65LimitIsExactAndSaneAtItsEnds(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, limit := range []int64{700, 1} {
		began := time.Now()
		r := s.Execute("sleep 5", Args{"timeout_ms": limit})
		atMost(t, "the limit", began, time.Duration(limit)*time.Millisecond+500*time.Millisecond)
		if took := time.Since(began); took < time.Duration(limit)*time.Millisecond {
			t.Errorf("limit of %d ms: ended after %v", limit, took)
		}
		if r.Status() != "timed_out" || r.String("signal") != "SIGTERM" {
			t.Errorf("%#v", r)
		}
	}
	for _, limit := range []any{0, -1, 10_000_000_000_000, int64(1<<63 - 1), "9223372036854775807"} {
		r := s.Execute("sleep 0.2; echo hi", Args{"timeout_ms": limit})
		wantRun(t, r, "completed", 0, "hi\n")
	}
}

func TestLimitCountsFromTheStartAlsoInTheBackground(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	began := time.Now()
	id := s.Background("sleep 30", Args{"timeout_ms": 1000})
	r := s.Call("wait", Args{"execution_id": id})
	if took := time.Since(began); took < time.Second || r.Status() != "timed_out" {
		t.Errorf("after %v: %#v", took, r)
	}
	atMost(t, "the limit", began, 1500*time.Millisecond)
}

func TestIdleLimitEndsOnlySilentCommands(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	r := s.Execute("for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done", Args{"idle_timeout_ms": 1500})
	wantRun(t, r, "completed", 0, "1\n2\n3\n4\n5\n6\n")
	r = s.Execute("echo begun; sleep 30", Args{"idle_timeout_ms": 500})
	if r.Status() != "timed_out" || r.String("limit_exceeded") != "idle_timeout" || r.Stdout() != "begun\n" {
		t.Errorf("%#v", r)
	}
}

func TestBO66CallsEndBeforeClientsGiveUp(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--max-wait", "1s")
	marker := mcptest.Marker(t)
	began := time.Now()
	r := s.Execute("sleep "+marker, Args{"yield_ms": 3_600_000})
	atMost(t, "execute", began, time.Second)
	if took := time.Since(began); took < time.Second || r.Status() != "backgrounded" {
		t.Errorf("after %v: %#v", took, r)
	}
	id := r.String("execution_id")
	began = time.Now()
	r = s.Call("wait", Args{"execution_id": id, "timeout_ms": 3_600_000})
	atMost(t, "wait", began, time.Second)
	if r.String("wait_result") != "deadline_reached" || r.Int("max_wait_ms") != 1000 {
		t.Errorf("%#v", r)
	}
}

func TestBO66NeverMoreThan55SecondsUnlessToldSo(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	r := s.Execute("true")
	r = s.Call("wait", Args{"execution_id": r.String("execution_id"), "timeout_ms": 3_600_000})
	if r.Int("max_wait_ms") != 55_000 {
		t.Errorf("%#v", r)
	}
}

func TestBO66ProgressKeepsACallAlive(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	call := func(id, token string) *mcptest.Pending {
		p := s.Expect(id)
		s.Raw(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{` + token +
			`"name":"execute","arguments":{"command":"sleep 11"}}}` + "\n")
		return p
	}
	with := call(`"with"`, `"_meta":{"progressToken":"token-1"},`)
	without := call(`"without"`, "")
	end := with.Wait()
	without.Wait()
	s.Begin("ping", nil).Wait() // whatever was on its way has arrived
	last := 0.0
	notes := s.Notifications()
	for _, note := range notes {
		p := progressOf(t, note)
		if p.ProgressToken != "token-1" || p.Progress <= last || note.At > end.At || p.Message == "" {
			t.Errorf("after %v: %s", last, note.Raw)
		}
		last = p.Progress
	}
	if len(notes) != 2 || last < 10 {
		t.Errorf("%d notifications in 11 s, the last at %v", len(notes), last)
	}
}

type progress struct {
	ProgressToken any
	Progress      float64
	Message       string
}

func progressOf(t testing.TB, m *mcptest.Message) progress {
	t.Helper()
	var p progress
	if m.Method != "notifications/progress" {
		t.Fatalf("%s", m.Raw)
	}
	unmarshal(t, m.Params, &p)
	return p
}
