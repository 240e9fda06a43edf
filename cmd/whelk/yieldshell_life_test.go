package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/mcptest"
)

// seedHandle starts a command that goes to the background at once.
func seedHandle(t testing.TB, s *mcptest.Server, command string, more ...Args) string {
	t.Helper()
	a := runSeed(t, s, command, append(more, Args{"yield_ms": 0})...)
	if a.string("status") != "backgrounded" || !strings.Contains(a.string("message"), "execution_id") {
		t.Fatalf("%s: %s", command, a.text)
	}
	return a.string("execution_id")
}

// waitSeed waits for the end of an execution.
func waitSeed(t testing.TB, s *mcptest.Server, id string) seedAnswer {
	t.Helper()
	a := callSeed(t, s, "wait", Args{"execution_id": id})
	if a.string("wait_result") != "exited" {
		t.Fatalf("%s", a.text)
	}
	return a
}

// wantSeedFields checks some fields of an answer.
func wantSeedFields(t testing.TB, what string, a seedAnswer, want map[string]any) {
	t.Helper()
	got := map[string]any{}
	for name := range want {
		if value, ok := a.fields[name]; ok {
			got[name] = value
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\n%s", what, diff, a.text)
	}
}

// Y1: its own document promises that the end of the server ends all commands.
func TestYieldShellEndsItsCommandsWithItself(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*mcptest.Server){
		"end of input": (*mcptest.Server).CloseStdin,
		"SIGTERM":      func(s *mcptest.Server) { s.Signal(syscall.SIGTERM) },
		"SIGINT":       func(s *mcptest.Server) { s.Signal(syscall.SIGINT) },
		"SIGKILL":      func(s *mcptest.Server) { s.Signal(syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startYieldShell(t)
			marker := mcptest.Marker(t)
			seedHandle(t, s, "exec sleep "+marker)
			seedHandle(t, s, "setsid sleep "+marker+" & wait")
			born(t, marker, 3) // a shell waits
			mcptest.Eventually(t, mcptest.Patience, "a guardian starts", func() bool {
				return slices.ContainsFunc(mcptest.Children(s.PID()), isGuardian)
			})
			end(s)
			s.ExitCode(mcptest.Patience)
			mcptest.Eventually(t, mcptest.Patience, "the commands are gone", dead(marker))
		})
	}
}

func isGuardian(pid int) bool {
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && string(args) == "whelk\x00"+guardianVerb+"\x00"
}

// A command that ignores SIGTERM has 10 s. The server itself is gone before.
func TestYieldShellGraceIsTenSeconds(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	began := time.Now()
	a := runSeed(t, s, `trap "" TERM; echo a; sleep 60; sleep 60`, Args{"timeout_ms": 300})
	wantSeedFields(t, "a command that ignores its limit", a, map[string]any{"status": "timed_out", "exit_code": -9.0, "signal": "SIGKILL", "stdout": "a\n"})
	if took := time.Since(began); took < 10*time.Second {
		t.Errorf("SIGKILL after %v", took)
	}
}

// Y2, Y4: what a descendant writes after the shell's exit is in the result, and
// one in a session of its own is ended with the rest.
func TestYieldShellDescendants(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	late := runSeed(t, s, "(sleep 0.5; echo late) & echo first")
	wantSeedFields(t, "a late writer", late, map[string]any{"status": "completed", "exit_code": 0.0, "stdout": "first\nlate\n"})

	marker := mcptest.Marker(t)
	id := seedHandle(t, s, "setsid sleep "+marker+" & wait")
	born(t, marker, 2) // a shell waits
	wantSeedFields(t, "stop", callSeed(t, s, "stop", Args{"execution_id": id}), map[string]any{"stopped": true, "signal": "SIGTERM", "error": nil})
	if !dead(marker)() {
		t.Error("it lives on after the stop")
	}

	id = runSeed(t, s, "sleep 60 & echo started", Args{"yield_ms": 200}).string("execution_id")
	running := callSeed(t, s, "wait", Args{"execution_id": id, "timeout_ms": 100})
	wantSeedFields(t, "the shell has exited", running, map[string]any{
		"status": "running", "exit_code": nil, "signal": nil, "wait_result": "deadline_reached", "max_wait_ms": 100.0,
	})
	callSeed(t, s, "stop", Args{"execution_id": id})
}

// Y5: defunct processes delay nothing, although a shell leaves one behind here.
func TestYieldShellStopsAtOnce(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	for range 3 {
		id := runSeed(t, s, "sleep 60 & sleep 60; true", Args{"yield_ms": 100}).string("execution_id")
		began := time.Now()
		callSeed(t, s, "stop", Args{"execution_id": id})
		atMost(t, "a stop", began, 500*time.Millisecond)
	}
}

// Y3: stdin_error says what went wrong.
func TestYieldShellNamesWhatBecameOfTheInput(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	a := runSeed(t, s, "head -c 1; exec <&-; sleep 0.2", Args{"stdin": strings.Repeat("x", 200_000)})
	if e := a.string("stdin_error"); a.string("stdout") != "x" || !strings.Contains(e, "200000") {
		t.Errorf("%s", a.text)
	}
}

// Y12: a command whose handle no client has learnt is ended with its call.
func TestYieldShellCancelledCallLeavesNothing(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	marker := mcptest.Marker(t)
	call := s.BeginCall("execute", seedArgs("exec sleep "+marker))
	born(t, marker, 1)
	s.Cancel(call)
	mcptest.Eventually(t, mcptest.Patience, "the command is gone", dead(marker))

	id := seedHandle(t, s, "exec sleep "+mcptest.Marker(t)) // but one that is known goes on
	wait := s.BeginCall("wait", Args{"execution_id": id})
	s.Cancel(wait)
	wantSeedFields(t, "after a cancelled wait", callSeed(t, s, "read", Args{"execution_id": id}), map[string]any{"status": "running"})
}

// Y6, Y9, Y10, and what is kept of cursors.
func TestYieldShellCursors(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	id := runSeed(t, s, `printf 'a\377b\303'`).string("execution_id")
	read := func(args Args) seedAnswer {
		args["execution_id"] = id
		return callSeed(t, s, "read", args)
	}
	wantSeedFields(t, "positions count what was written (Y6)", read(Args{"since_seq": 1}), map[string]any{
		"stdout": "a\uFFFDb\uFFFD", "start_seq": 1.0, "next_seq": 5.0, "latest_seq": 5.0,
	})
	past := read(Args{"since_seq": 99})
	wantSeedFields(t, "past the end (Y9)", past, map[string]any{"stdout": "", "start_seq": 5.0, "next_seq": 5.0})
	if hint := past.string("hint"); !strings.Contains(hint, "99") {
		t.Errorf("the hint is %q", hint)
	}
	wantSeedFields(t, "a tail that is cut (Y10)", read(Args{"tail_lines": 1, "max_output_bytes": 1}), map[string]any{"start_seq": 4.0, "capped": true})

	id = runSeed(t, s, "seq 100", Args{"max_output_bytes": 4}).string("execution_id")
	for _, since := range []int{-5, 0, 1} {
		wantSeedFields(t, "the beginning", read(Args{"since_seq": since, "max_output_bytes": 2}), map[string]any{"stdout": "1\n", "start_seq": 1.0, "next_seq": 3.0})
	}
	wantSeedFields(t, "after the inline snapshot", read(Args{"max_output_bytes": 2}), map[string]any{"stdout": "3\n", "start_seq": 5.0, "capped": true})
	wantSeedFields(t, "a look at the tail", read(Args{"tail_lines": 1}), map[string]any{"stdout": "100\n", "capped": false})
	wantSeedFields(t, "a look at one stream", read(Args{"streams": "stderr"}), map[string]any{"stderr": "", "start_seq": 1.0, "next_seq": 1.0})
	more := read(Args{"max_output_bytes": 2})
	wantSeedFields(t, "goes on", more, map[string]any{"stdout": "4\n", "start_seq": 7.0})
	for _, says := range []string{"read again", "since_seq=9", "execution_id='" + id + "'"} {
		if !strings.Contains(more.string("hint"), says) {
			t.Errorf("the hint %q does not say %s", more.string("hint"), says)
		}
	}
}

func TestYieldShellBuffer(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t, "YIELDSHELL_MAX_BUFFER_BYTES=1000", "YIELDSHELL_MAX_OUTPUT_BYTES=400")
	a := runSeed(t, s, "seq 100000; echo err >&2", Args{"max_output_bytes": 5000})
	wantSeedFields(t, "an overflow", a, map[string]any{"start_seq": 587896.0, "next_seq": 588296.0, "latest_seq": 588900.0, "capped": true, "evicted": true})
	hint := a.string("hint")
	again, raise := strings.Index(hint, "since_seq=588296"), strings.Index(hint, "YIELDSHELL_MAX_BUFFER_BYTES")
	if again < 0 || raise < again {
		t.Errorf("the hint is %q", hint)
	}
	id := a.string("execution_id")
	rest := callSeed(t, s, "read", Args{"execution_id": id})
	wantSeedFields(t, "what follows is whole", rest, map[string]any{"evicted": false, "capped": true})
	wantSeedFields(t, "the other stream", callSeed(t, s, "read", Args{"execution_id": id, "streams": "stderr", "since_seq": 1}), map[string]any{
		"stderr": "err\n", "evicted": false, "start_seq": 588896.0,
	})
}

// Y7, Y8: what has just ended can be addressed; it is trimmed before the next start.
func TestYieldShellRetention(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{"YIELDSHELL_PROCESS_RETENTION_MS=0", "YIELDSHELL_MAX_RETAINED_PROCESSES=0"} {
		s := startYieldShell(t, variable)
		id := runSeed(t, s, "seq 9", Args{"max_output_bytes": 4}).string("execution_id")
		wantSeedFields(t, variable, callSeed(t, s, "read", Args{"execution_id": id, "max_output_bytes": 2}), map[string]any{"stdout": "3\n"})
		runSeed(t, s, "true")
		if e := callSeed(t, s, "read", Args{"execution_id": id}).string("error"); !strings.Contains(e, "Unknown execution_id: "+id) {
			t.Errorf("%s: %q after another start", variable, e)
		}
	}
	s := startYieldShell(t, "YIELDSHELL_MAX_RETAINED_PROCESSES=2")
	for _, command := range []string{"echo 1", "echo 2", "echo 3"} {
		runSeed(t, s, command)
	}
	var commands []string
	for _, entry := range callSeed(t, s, "ps", nil).fields["executions"].([]any) {
		commands = append(commands, entry.(map[string]any)["command"].(string))
	}
	if diff := cmp.Diff([]string{"echo 3", "echo 2"}, commands); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestYieldShellLimits(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t, "YIELDSHELL_MAX_PROCESSES=1", "YIELDSHELL_DEFAULT_YIELD_MS=100", "YIELDSHELL_MAX_YIELD_MS=200", "YIELDSHELL_DEFAULT_TIMEOUT_MS=700")
	began := time.Now()
	a := runSeed(t, s, "sleep 60; echo no", Args{"yield_ms": 50_000})
	wantSeedFields(t, "the longest yield", a, map[string]any{"status": "backgrounded"})
	atMost(t, "a yield of 200 ms", began, 300*time.Millisecond)
	full := runSeed(t, s, "true")
	wantSeedFields(t, "one too many", full, map[string]any{"status": "failed_to_start"})
	if !strings.Contains(full.string("error"), "limit (1)") {
		t.Errorf("%s", full.text)
	}
	wantSeedFields(t, "the default limit", waitSeed(t, s, a.string("execution_id")), map[string]any{"status": "timed_out", "exit_code": -15.0, "signal": "SIGTERM"})

	began = time.Now()
	wantSeedFields(t, "the default yield", runSeed(t, s, "sleep 60", Args{"timeout_ms": 400}), map[string]any{"status": "backgrounded"})
	atMost(t, "a yield of 100 ms", began, 200*time.Millisecond)
}

func TestYieldShellMayNotWaitAtAll(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t, "YIELDSHELL_MAX_YIELD_MS=0")
	wantSeedFields(t, "a yield", runSeed(t, s, "sleep 60", Args{"yield_ms": 50_000}), map[string]any{"status": "backgrounded"})
}

func TestYieldShellNoLimitIsNone(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t, "YIELDSHELL_DEFAULT_TIMEOUT_MS=100")
	for _, limit := range []int{0, -1} {
		wantSeedFields(t, "no limit", runSeed(t, s, "sleep 0.4; echo x", Args{"timeout_ms": limit}), map[string]any{"status": "completed", "stdout": "x\n"})
	}
}

func TestYieldShellWriteAndStop(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	id := seedHandle(t, s, "cat; echo END", Args{"close_stdin": false, "stdin": "first\n", "name": "a cat"})
	write := func(input string, more Args) seedAnswer {
		args := Args{"execution_id": id, "input": input}
		maps.Copy(args, more)
		return callSeed(t, s, "write", args)
	}
	for _, more := range []Args{nil, {"newline": true}, {"close_stdin": true}} {
		wantSeedFields(t, "a write", write("é", more), map[string]any{"ok": true})
	}
	wantSeedFields(t, "all of it", waitSeed(t, s, id), map[string]any{"stdout": "first\néé\néEND\n", "status": "completed"})
	refused := write("x", nil)
	if wantSeedFields(t, "a write after the end", refused, map[string]any{"ok": false}); refused.string("error") == "" {
		t.Errorf("%s", refused.text)
	}

	for _, signal := range []string{"TERM", "sigterm", "SIGINT", "SIGKILL", "SIGRTMIN"} {
		id := seedHandle(t, s, "exec sleep 60")
		a := callSeed(t, s, "stop", Args{"execution_id": id, "signal": signal, "force_after_ms": 400})
		wantSeedFields(t, "the name as it was given", a, map[string]any{"stopped": true, "signal": signal, "error": nil})
		wantSeedFields(t, "afterwards", callSeed(t, s, "read", Args{"execution_id": id}), map[string]any{"status": "stopped"})
	}
	id = runSeed(t, s, `trap 'echo bye; exit 0' TERM; while :; do sleep 0.02; done`, Args{"yield_ms": 200}).string("execution_id")
	for _, signal := range []string{"15", "", "sigusr9"} {
		a := callSeed(t, s, "stop", Args{"execution_id": id, "signal": signal})
		if wantSeedFields(t, "no signal", a, map[string]any{"stopped": false}); !strings.Contains(a.string("error"), "'"+signal+"'") {
			t.Errorf("%s", a.text)
		}
	}
	callSeed(t, s, "stop", Args{"execution_id": id})
	wantSeedFields(t, "one that ends in order", callSeed(t, s, "read", Args{"execution_id": id}), map[string]any{
		"status": "stopped", "exit_code": 0.0, "signal": nil, "stdout": "bye\n",
	})
}

// No call blocks longer than 55 s, of which the operator can only take away here.
func TestYieldShellCallsEndInTime(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t, "WHELK_MAX_WAIT=1s")
	id := seedHandle(t, s, "exec sleep 60", Args{"close_stdin": false})
	began := time.Now()
	a := callSeed(t, s, "write", Args{"execution_id": id, "input": strings.Repeat("x", 200_000)})
	if wantSeedFields(t, "a write that nobody takes", a, map[string]any{"ok": false}); !strings.Contains(a.string("error"), "of 200000 bytes") {
		t.Errorf("%s", a.text)
	}
	wantSeedFields(t, "a wait", callSeed(t, s, "wait", Args{"execution_id": id, "timeout_ms": 99_999}), map[string]any{
		"wait_result": "deadline_reached", "max_wait_ms": 1000.0, "status": "running",
	})
	wantSeedFields(t, "a negative wait", callSeed(t, s, "wait", Args{"execution_id": id, "timeout_ms": -1}), map[string]any{"max_wait_ms": 0.0})
	wantSeedFields(t, "a yield", runSeed(t, s, "sleep 60", Args{"yield_ms": 99_999}), map[string]any{"status": "backgrounded"})
	atMost(t, "all of it", began, 3500*time.Millisecond)
}

func TestYieldShellLists(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	quiet := seedHandle(t, s, "exec sleep 60", Args{"name": "quiet"})
	loud := runSeed(t, s, "printf ab; printf c >&2; exit 4").string("execution_id")
	entries := func(args Args) (list []seedAnswer) {
		for _, entry := range callSeed(t, s, "ps", args).fields["executions"].([]any) {
			list = append(list, seedAnswer{fields: entry.(map[string]any)})
		}
		return list
	}
	list := entries(nil)
	if len(list) != 2 {
		t.Fatalf("%d executions", len(list))
	}
	wantSeedFields(t, "the newest", list[0], map[string]any{
		"execution_id": loud, "name": nil, "status": "completed", "exit_code": 4.0, "signal": nil,
		"stdout_bytes": 2.0, "stderr_bytes": 1.0, "latest_seq": 4.0, "stdin_error": nil,
	})
	wantSeedFields(t, "the oldest", list[1], map[string]any{
		"execution_id": quiet, "name": "quiet", "command": "exec sleep 60", "status": "running", "exit_code": nil, "ended_at": nil,
		"stdout_bytes": 0.0, "last_output_at": nil, "idle_ms": nil, "latest_seq": 1.0,
	})
	for _, name := range []string{"started_at", "ended_at", "last_output_at"} {
		at, _ := list[0].fields[name].(float64)
		if age := time.Since(time.UnixMilli(int64(at * 1000))); age < 0 || age > mcptest.Patience {
			t.Errorf("%s is %v", name, list[0].fields[name])
		}
	}
	for _, test := range []struct {
		args Args
		want int
	}{{Args{"include_completed": false}, 1}, {Args{"limit": 1}, 1}, {Args{"limit": -2}, 0}} {
		if n := len(entries(test.args)); n != test.want {
			t.Errorf("%v: %d executions, want %d", test.args, n, test.want)
		}
	}
	wantSeedFields(t, "young ones stay", callSeed(t, s, "cleanup", nil), map[string]any{"removed": 0.0})
	wantSeedFields(t, "the other kind stays", callSeed(t, s, "cleanup", Args{"stopped_older_than_ms": 0}), map[string]any{"removed": 0.0})
	wantSeedFields(t, "a negative age", callSeed(t, s, "cleanup", Args{"completed_older_than_ms": -1}), map[string]any{"removed": 0.0})
	wantSeedFields(t, "old ones go", callSeed(t, s, "cleanup", Args{"completed_older_than_ms": 0}), map[string]any{"removed": 1.0})
	if list := entries(nil); len(list) != 1 || list[0].string("execution_id") != quiet {
		t.Errorf("%v is left", list)
	}
}
