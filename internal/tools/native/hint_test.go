package native

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/execution"
	"whelk/internal/output"
)

func TestHintsNameTheNextCall(t *testing.T) {
	tests := []struct {
		name     string
		options  output.ReadOptions
		page     output.Page
		says     []string // in this order
		saysNone []string
	}{
		{"a whole page", output.ReadOptions{}, output.Page{Start: 1, Next: 9, Latest: 9}, nil, nil},
		{"more of the other stream", output.ReadOptions{Streams: output.OnlyStdout}, output.Page{Start: 1, Next: 9, Latest: 20}, nil, nil},
		{"capped", output.ReadOptions{}, output.Page{Start: 1, Next: 9, Latest: 20, Capped: true}, []string{"since_seq=9", "a1"}, []string{"buffer"}},
		{"capped out of band", output.ReadOptions{Since: 3}, output.Page{Start: 3, Next: 9, Latest: 20, Capped: true}, []string{"since_seq=9", "a1"}, []string{"again", "streams"}},
		{"capped stdout", output.ReadOptions{Streams: output.OnlyStdout}, output.Page{Start: 3, Next: 9, Latest: 20, Capped: true}, []string{"since_seq=9", "streams=stdout", "a1"}, []string{"again"}},
		{"capped stderr", output.ReadOptions{Since: 3, Streams: output.OnlyStderr}, output.Page{Start: 3, Next: 9, Latest: 20, Capped: true}, []string{"since_seq=9", "streams=stderr", "a1"}, []string{"again"}},
		{"capped tail", output.ReadOptions{TailLines: 5}, output.Page{Start: 15, Next: 20, Latest: 20, Capped: true}, []string{"15", "max_output_bytes", "a1"}, []string{"since_seq=20"}},
		{"evicted", output.ReadOptions{}, output.Page{Start: 5, Next: 9, Latest: 9, Evicted: true, EvictedBytes: 4}, []string{"4 bytes", "--buffer", "WHELK_BUFFER"}, []string{"since_seq"}},
		{"evicted, nobody knows how much", output.ReadOptions{Streams: output.OnlyStderr}, output.Page{Start: 5, Next: 9, Latest: 9, Evicted: true}, []string{"--buffer"}, []string{"0 bytes"}},
		{"capped and evicted", output.ReadOptions{}, output.Page{Start: 5, Next: 9, Latest: 20, Capped: true, Evicted: true, EvictedBytes: 4}, []string{"since_seq=9", "4 bytes", "--buffer"}, nil},
		{"past the end", output.ReadOptions{Since: 99}, output.Page{Start: 9, Next: 9, Latest: 9, Clamped: true}, []string{"99", "9"}, []string{"buffer"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := hint("a1", test.options, test.page, Native)
			if (got == "") != (test.says == nil) {
				t.Errorf("hint %q", got)
			}
			rest := got
			for _, part := range test.says {
				_, after, ok := strings.Cut(rest, part)
				if !ok {
					t.Errorf("hint %q does not say %q, or not in its place", got, part)
				}
				rest = after
			}
			if slices.ContainsFunc(test.saysNone, func(s string) bool { return strings.Contains(got, s) }) {
				t.Errorf("hint %q says one of %q", got, test.saysNone)
			}
		})
	}
}

func TestBackgroundMessageSaysWhatRuns(t *testing.T) {
	tests := []struct {
		name     string
		snapshot execution.Snapshot
		outcome  execution.Outcome
		says     string
	}{
		{"running", execution.Snapshot{}, execution.Deadline, "background"},
		{"shell has exited", execution.Snapshot{ShellExited: true, ExitCode: 3}, execution.Deadline, "3"},
		{"shutdown", execution.Snapshot{ShellExited: true}, execution.ShuttingDown, "shutting down"},
	}
	for _, test := range tests {
		if got := backgroundMessage(test.snapshot, test.outcome); !strings.Contains(got, test.says) {
			t.Errorf("%s: %q, want %q in it", test.name, got, test.says)
		}
	}
}

func TestWaitResult(t *testing.T) {
	tests := []struct {
		ended   bool
		outcome execution.Outcome
		want    string
	}{
		{true, execution.Ended, "exited"},
		{true, execution.Deadline, "exited"}, // it ended between the deadline and the look
		{false, execution.Deadline, "deadline_reached"},
		{false, execution.ShuttingDown, "server_shutting_down"},
	}
	for _, test := range tests {
		if got := waitResult(execution.Snapshot{Ended: test.ended}, test.outcome); got != test.want {
			t.Errorf("ended %v, outcome %v: %s, want %s", test.ended, test.outcome, got, test.want)
		}
	}
}

func TestExitIsNullWhileItRuns(t *testing.T) {
	tests := []struct {
		name     string
		snapshot execution.Snapshot
		want     string
	}{
		{"running", execution.Snapshot{}, `{"exit_code":null,"signal":null}`},
		{"shell has exited", execution.Snapshot{ShellExited: true, ExitCode: 3}, `{"exit_code":null,"signal":null,"shell_exit_code":3}`},
		{"exit", execution.Snapshot{Ended: true, ExitCode: 3}, `{"exit_code":3,"signal":null}`},
		{"signal", execution.Snapshot{Ended: true, ExitCode: -9, Signal: syscall.SIGKILL}, `{"exit_code":-9,"signal":"SIGKILL"}`},
		{"limit", execution.Snapshot{Ended: true, ExitCode: -15, Signal: syscall.SIGTERM, Limit: "timeout"}, `{"exit_code":-15,"signal":"SIGTERM","limit_exceeded":"timeout"}`},
		{"stdin", execution.Snapshot{Ended: true, StdinError: "lost"}, `{"exit_code":0,"signal":null,"stdin_error":"lost"}`},
		{"secrets", execution.Snapshot{Ended: true, Redactions: 2}, `{"exit_code":0,"signal":null,"redactions":2}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := string(new(answer).addExit(test.snapshot).addRest(test.snapshot).json())
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPageFieldsFollowTheStreams(t *testing.T) {
	page := output.Page{Stdout: []byte("o"), Stderr: []byte("e"), Start: 1, Next: 3, Latest: 4, Capped: true}
	tests := []struct {
		name    string
		streams output.Streams
		want    string
	}{
		{"both", 0, `{"stdout":"o","stderr":"e"}`},
		{"stdout", output.OnlyStdout, `{"stdout":"o"}`},
		{"stderr", output.OnlyStderr, `{"stderr":"e"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := string(new(answer).addStreams(output.ReadOptions{Streams: test.streams}, page).json())
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestListedExecution(t *testing.T) {
	started := time.Unix(1_700_000_000, 500_000_000)
	n := execution.Snapshot{
		ID: "a1", PID: 42, Command: "sleep 1", Dir: "/tmp", Started: started, Duration: 1500 * ms,
		Output: output.Stats{Latest: 1},
	}
	running := `{"execution_id":"a1","process_id":42,"name":null,"command":"sleep 1","cwd":"/tmp","status":"running",` +
		`"exit_code":null,"signal":null,"started_at":1700000000.5,"ended_at":null,"duration_ms":1500.0,"stdout_bytes":0,"stderr_bytes":0,` +
		`"last_output_at":null,"idle_ms":null,"latest_seq":1,"stdin_error":null}`
	if diff := cmp.Diff(running, string(listed(n).json())); diff != "" {
		t.Errorf("running (-want +got):\n%s", diff)
	}
	n.Ended, n.Status, n.ExitCode, n.Signal, n.Limit = true, execution.TimedOut, -15, syscall.SIGTERM, "timeout"
	n.Name, n.EndedAt, n.CPU, n.StdinError = "nap", started.Add(1500*ms), 2*ms, "lost"
	ended := `{"execution_id":"a1","process_id":42,"name":"nap","command":"sleep 1","cwd":"/tmp","status":"timed_out",` +
		`"exit_code":-15,"signal":"SIGTERM","started_at":1700000000.5,"ended_at":1700000002.0,"duration_ms":1500.0,"stdout_bytes":0,"stderr_bytes":0,` +
		`"last_output_at":null,"idle_ms":null,"latest_seq":1,"stdin_error":"lost","cpu_ms":2.0,"limit_exceeded":"timeout"}`
	if diff := cmp.Diff(ended, string(listed(n).json())); diff != "" {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
}

func TestIdleIsTheTimeSinceTheLastOutput(t *testing.T) {
	if got := idle(execution.Snapshot{}); got != nil {
		t.Errorf("idle %v without any output", got)
	}
	n := execution.Snapshot{Output: output.Stats{LastOutput: time.Now().Add(-time.Minute)}}
	if got, ok := idle(n).(float64); !ok || got < 60_000 || got > 120_000 {
		t.Errorf("idle %v a minute after the last output", idle(n))
	}
}
