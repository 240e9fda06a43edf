package main

import (
	"testing"
	"time"

	"whelk/internal/mcptest"
)

func TestBO77EndedExecutionsAreBounded(t *testing.T) {
	s := startServer(t, "--max-retained", "10", "--retention", "2s")
	marker := mcptest.Marker(t)
	running := s.Background("echo kept; sleep " + marker)
	const command = `head -c 200000 /dev/zero | tr "\0" x`
	first := s.Execute(command).String("execution_id")
	const warmUp, runs, width = 40, 100, 4 // the case has 300
	many(s, warmUp, width, command)
	before := mcptest.UsageOf(t, s.PID())
	many(s, runs, width, command)
	if after := mcptest.UsageOf(t, s.PID()); !raceEnabled && after.RSS > before.RSS+10<<20 {
		t.Errorf("memory: %d KiB, then %d KiB", before.RSS>>10, after.RSS>>10)
	}
	ended := 0
	for _, e := range executions(t, s) {
		if e["status"] != "running" {
			ended++
		}
	}
	if ended == 0 || ended > 10 {
		t.Errorf("%d ended executions are listed", ended)
	}
	for _, tool := range []string{"read", "wait", "stop"} {
		wantUnknown(t, s.Call(tool, Args{"execution_id": first}), first)
	}
	if r := s.Call("read", Args{"execution_id": running, "since_seq": 1}); r.Status() != "running" || r.Stdout() != "kept\n" {
		t.Errorf("a running execution was dropped: %#v", r)
	}
}

func TestEndedExecutionsAgeAndAreRemovedAtTheNextStart(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--retention", "300ms")
	old := s.Execute("echo old").String("execution_id")
	began := time.Now()
	wantRun(t, s.Call("read", Args{"execution_id": old, "since_seq": 1}), "completed", 0, "old\n")
	wantRun(t, s.Execute("sleep 0.4"), "completed", 0, "")
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Fatalf("only %v have passed", took)
	}
	s.Execute("true")
	wantUnknown(t, s.Call("read", Args{"execution_id": old}), old)
}

func TestLiveExecutionsAreBounded(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--max-executions", "2")
	first := s.Background("sleep 60")
	// A shell that has exited counts as long as its children live.
	second := s.Execute("sleep 60 & exit 0", Args{"yield_ms": 100})
	if second.Status() != "backgrounded" {
		t.Fatalf("%#v", second)
	}
	r := s.Execute("touch ran")
	wantRefused(t, r, "2", "stop one")
	if r.Status() != "failed_to_start" || r.String("code") != "limit_exceeded" {
		t.Errorf("%#v", r)
	}
	s.Call("stop", Args{"execution_id": first})
	wantRun(t, s.Execute("ls"), "completed", 0, "")
	s.Call("stop", Args{"execution_id": second.String("execution_id")})
}
