package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// neverAnswered fails the test if a cancelled call is answered. It asks only
// after whatever was on its way has arrived.
func neverAnswered(t testing.TB, s *mcptest.Server, p *mcptest.Pending) {
	t.Helper()
	s.Begin("ping", nil).Wait()
	select {
	case m := <-p.Arrived():
		t.Errorf("answered after the cancellation: %s", m.Raw)
	default:
	}
}

func TestBO67CancelledCommandIsEnded(t *testing.T) {
	t.Parallel()
	for name, prefix := range map[string]string{"gently": "", "by force": `trap "" TERM; `} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			marker := mcptest.Marker(t)
			call := s.BeginExecute(prefix + "sleep " + marker + "; echo x")
			born(t, marker, 2) // the shell and its sleep
			s.Cancel(call)
			s.Cancel(call)
			eventually(t, 2*time.Second, "the command is gone", dead(marker))
			eventually(t, time.Second, "ps says stopped", func() bool {
				list := executions(t, s)
				return len(list) == 1 && list[0]["status"] == "stopped"
			})
			neverAnswered(t, s, call)
		})
	}
}

func TestCancelledWaitLeavesTheCommandAlone(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	marker := mcptest.Marker(t)
	id := s.Background("echo begun; sleep " + marker)
	for _, tool := range []string{"wait", "read", "ps"} {
		call := s.BeginCall(tool, Args{"execution_id": id})
		if tool == "ps" {
			call = s.BeginCall(tool, nil)
		}
		s.Cancel(call)
		if tool == "wait" {
			neverAnswered(t, s, call)
		}
	}
	if len(mcptest.Alive(marker)) == 0 || listed(t, s, id)["status"] != "running" {
		t.Error("the command has ended")
	}
	if r := s.Call("stop", Args{"execution_id": id}); !r.Bool("stopped") {
		t.Errorf("%#v", r)
	}
}

func TestCancelOfNothingIsHarmless(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	ended := s.BeginExecute("echo ended")
	wantRun(t, ended.Result(), "completed", 0, "ended\n")
	s.Cancel(ended)
	for _, params := range []string{`{"requestId":987654}`, `{"requestId":"x"}`, `{"requestId":null}`, `{}`, `null`, `[]`, `{"requestId":{}}`} {
		s.Raw(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + "}\n")
	}
	wantRun(t, s.Execute("echo on"), "completed", 0, "on\n")
	if strays := s.Strays(); len(strays) > 0 {
		t.Errorf("a notification was answered: %s", strays[0].Raw)
	}
}

func TestIDOfACancelledCallCanBeUsedAgain(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	line := func(command string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":501,"method":"tools/call","params":{"name":"execute","arguments":{"command":%q}}}`+"\n", command)
	}
	marker := mcptest.Marker(t)
	answer := s.Expect("501")
	s.Raw(line("sleep " + marker))
	born(t, marker, 1)
	s.Raw(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":501}}` + "\n" + line("echo second"))
	wantRun(t, answer.Result(), "completed", 0, "second\n")
	eventually(t, 2*time.Second, "the first command is gone", dead(marker))
}

func TestBO68StopsAreExact(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	marker := mcptest.Marker(t)
	r := s.Execute("sleep "+marker, Args{"yield_ms": 50})
	id, pid := r.String("execution_id"), r.Int("process_id")
	first, second := s.BeginCall("stop", Args{"execution_id": id}), s.BeginCall("stop", Args{"execution_id": id})
	stopped := 0
	for _, r := range []*mcptest.Result{first.Result(), second.Result()} {
		switch {
		case r.Bool("stopped") && r.Status() == "stopped":
			stopped++
		case r.IsError && r.String("code") == "not_running" && strings.Contains(r.String("error"), "stopped"):
			// It came after the end that the other had caused.
		default:
			t.Errorf("%#v", r)
		}
	}
	if stopped == 0 || !dead(marker)() {
		t.Errorf("%d stops succeeded; alive: %v", stopped, mcptest.Alive(marker))
	}
	for _, late := range []struct {
		tool string
		more Args
	}{{"stop", Args{}}, {"stop", Args{"signal": "SIGKILL"}}, {"write", Args{"input": "x"}}} {
		late.more["execution_id"] = id
		r := s.Call(late.tool, late.more)
		if !r.IsError || r.String("code") != "not_running" || !strings.Contains(r.String("error"), "status: stopped") {
			t.Errorf("%s after the end: %#v", late.tool, r)
		}
	}
	for _, unknown := range []any{"nope", fmt.Sprint(pid), pid, 0, ""} {
		for _, tool := range []string{"stop", "read", "wait"} {
			wantUnknown(t, s.Call(tool, Args{"execution_id": unknown}), unknown)
		}
	}
}

// wantUnknown checks the error about a handle that is none. A number is named
// as what it is: no handle is one.
func wantUnknown(t testing.TB, r *mcptest.Result, handle any) {
	t.Helper()
	text, isText := handle.(string)
	code, says := "unknown_execution", text
	if !isText {
		code, says = "invalid_argument", fmt.Sprintf("execution_id: expected a string, received %v", handle)
	}
	if !r.IsError || r.String("code") != code || !strings.Contains(r.String("error"), says) || isText && r.Fields["execution_id"] != handle {
		t.Errorf("want %s, %q: %#v", code, says, r)
	}
}

func TestStopTellsHowItWent(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for name, c := range map[string]struct {
		command string
		args    Args
		code    int64
		forced  bool
	}{
		"term": {"sleep 60", Args{}, -15, false},
		// Dash loses a SIGINT that comes while it starts a child: exec.
		"named without sig": {"exec sleep 60", Args{"signal": "int"}, -2, false},
		"kill":              {"sleep 60", Args{"signal": "SIGKILL"}, -9, false},
		"at once by force":  {`trap "" TERM; echo ready; while :; do sleep 1; done`, Args{"force_after_ms": 0}, -9, true},
		"stopped process":   {"kill -STOP $$", Args{}, -15, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.args["execution_id"] = s.Background(c.command)
			r := s.Call("stop", c.args)
			if !r.Bool("stopped") || r.Int("exit_code") != c.code || r.Bool("forced") != c.forced || r.Status() != "stopped" {
				t.Errorf("%#v", r)
			}
		})
	}
	id := s.Background("sleep 60")
	if r := s.Call("stop", Args{"execution_id": id, "signal": "SIGNONE"}); !r.IsError || !strings.Contains(r.String("error"), "SIGNONE") {
		t.Errorf("%#v", r)
	}
	if status := listed(t, s, id)["status"]; status != "running" {
		t.Errorf("%v after an invalid signal", status)
	}
}
