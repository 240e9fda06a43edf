package main

import (
	"strings"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

func TestBO29CommandsDoNotReadTheProtocol(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	began := time.Now()
	call := s.BeginExecute("cat; read x; echo rc=$?")
	var pings []*mcptest.Pending
	for range 5 {
		pings = append(pings, s.Begin("ping", nil))
	}
	wantRun(t, call.Result(), "completed", 0, "rc=1\n")
	for _, ping := range pings {
		if m := ping.Wait(); m.Error != nil {
			t.Errorf("ping: %s", m.Raw)
		}
	}
	atMost(t, "all answers", began, 500*time.Millisecond)
}

func TestBO30BigInputPassesThroughAFilter(t *testing.T) {
	s := startServer(t)
	began := time.Now()
	r := s.Execute("cat | wc -c", Args{"stdin": strings.Repeat("x", 1_500_000)})
	atMost(t, "counting", began, 2*time.Second)
	wantRun(t, r, "completed", 0, "1500000\n")

	began = time.Now()
	r = s.Call("execute", Args{"argv": []string{"cat"}, "stdin": strings.Repeat("y", 500_000)})
	atMost(t, "copying", began, 2*time.Second)
	if r.Status() != "completed" || r.Int("exit_code") != 0 || !r.Bool("capped") {
		t.Errorf("%#v", r)
	}
	if n := listed(t, s, r.String("execution_id"))["stdout_bytes"]; n != float64(500_000) {
		t.Errorf("stdout_bytes is %v", n)
	}
}

func TestBO31InputIsClosedUnlessKeptOpen(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	began := time.Now()
	wantRun(t, s.Execute("cat; echo end"), "completed", 0, "end\n")
	atMost(t, "a reader of an empty input", began, 500*time.Millisecond)

	id := s.Background("cat; echo end", Args{"close_stdin": false})
	if r := s.Call("write", Args{"execution_id": id, "input": "hi", "newline": true}); !r.Bool("ok") || r.Int("accepted_bytes") != 3 {
		t.Errorf("%#v", r)
	}
	if r := s.Call("write", Args{"execution_id": id, "input": "", "close_stdin": true}); !r.Bool("ok") {
		t.Errorf("%#v", r)
	}
	began = time.Now()
	wantRun(t, s.Call("wait", Args{"execution_id": id, "since_seq": 1}), "completed", 0, "hi\nend\n")
	atMost(t, "the end after the input's", began, 500*time.Millisecond)
}

func TestInputThatNobodyReadsIsReported(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	r := s.Execute("sleep 0.1", Args{"stdin": strings.Repeat("x", 200_000)})
	wantRun(t, r, "completed", 0, "")
	if !strings.Contains(r.String("stdin_error"), "200000 bytes") {
		t.Errorf("%#v", r)
	}
}

func TestWriteToAClosedInputSaysSo(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	id := s.Background("sleep " + mcptest.Marker(t))
	r := s.Call("write", Args{"execution_id": id, "input": "x"})
	if !r.IsError || r.Bool("ok") || r.String("code") != "stdin_closed" || !strings.Contains(r.String("error"), "close_stdin=false") {
		t.Errorf("%#v", r)
	}
}
