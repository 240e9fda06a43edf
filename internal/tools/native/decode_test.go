package native

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/execution"
	"whelk/internal/output"
	"whelk/internal/policy"
)

const (
	ms     = time.Millisecond
	longMs = math.MaxInt64 / int64(ms) // the longest Duration in whole milliseconds
)

func TestMillisecondsNeverOverflow(t *testing.T) {
	tests := []struct {
		ms   int64
		want time.Duration
	}{
		{0, 0},
		{1, ms},
		{-1, -ms},
		{55_000, 55 * time.Second},
		{longMs, time.Duration(longMs) * ms},
		{longMs + 1, time.Duration(longMs) * ms},
		{math.MaxInt64, time.Duration(longMs) * ms},
		{-longMs - 1, -time.Duration(longMs) * ms},
		{math.MinInt64, -time.Duration(longMs) * ms},
	}
	for _, test := range tests {
		if got := fromMilliseconds(test.ms); got != test.want {
			t.Errorf("fromMilliseconds(%d) = %v, want %v", test.ms, got, test.want)
		}
	}
}

func TestYieldStaysWithinTheCeiling(t *testing.T) {
	tests := []struct {
		name           string
		standard, most time.Duration
		asked          any // nil: nothing
		want           time.Duration
	}{
		{"default", 30 * time.Second, 55 * time.Second, nil, 30 * time.Second},
		{"default above the ceiling", 90 * time.Second, 55 * time.Second, nil, 55 * time.Second},
		{"default of zero", 0, 55 * time.Second, nil, 0},
		{"asked", 30 * time.Second, 55 * time.Second, 100, 100 * ms},
		{"asked above the ceiling", 30 * time.Second, 55 * time.Second, 55_001, 55 * time.Second},
		{"asked beyond any clock", 30 * time.Second, 55 * time.Second, int64(math.MaxInt64), 55 * time.Second},
		{"zero", 30 * time.Second, 55 * time.Second, 0, 0},
		{"negative", 30 * time.Second, 55 * time.Second, -1, 0},
		{"beyond any clock in the other direction", 30 * time.Second, 55 * time.Second, int64(math.MinInt64), 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &set{opts: Options{Yield: test.standard, MaxYield: test.most, MaxWait: test.most}}
			args := decoded(t, toolNamed(t, "execute"), map[string]any{"yield_ms": test.asked})
			if got := s.yield(args); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestLimitsZeroIsNoneAndNothingIsTheDefault(t *testing.T) {
	tests := []struct {
		name  string
		asked any
		want  time.Duration
	}{
		{"nothing", nil, 0},
		{"zero", 0, -1},
		{"negative", -1, -1},
		{"one", 1, ms},
		{"an hour", 3_600_000, time.Hour},
		{"beyond any clock", int64(math.MaxInt64), time.Duration(longMs) * ms},
	}
	for _, test := range tests {
		for _, name := range []string{"timeout_ms", "idle_timeout_ms"} {
			t.Run(test.name+" "+name, func(t *testing.T) {
				args := decoded(t, toolNamed(t, "execute"), map[string]any{name: test.asked})
				if got := limit(args, name); got != test.want {
					t.Errorf("%v, want %v", got, test.want)
				}
			})
		}
	}
}

func TestMaxOutputStaysWithinTheCap(t *testing.T) {
	tests := []struct {
		name  string
		asked any
		want  int
	}{
		{"nothing", nil, 20000},
		{"less", 1, 1},
		{"the cap", 20000, 20000},
		{"more", 20001, 20000},
		{"far more", int64(math.MaxInt64), 20000},
		{"zero", 0, 20000},
		{"negative", -1, 20000},
	}
	s := &set{opts: standard()}
	for _, test := range tests {
		for _, tool := range []string{"execute", "read", "wait"} {
			t.Run(test.name+" "+tool, func(t *testing.T) {
				args := decoded(t, toolNamed(t, tool), map[string]any{"max_output_bytes": test.asked})
				if got := s.maxOutput(args); got != test.want {
					t.Errorf("%d, want %d", got, test.want)
				}
			})
		}
	}
}

func TestReadOptions(t *testing.T) {
	const most = 20000
	tests := []struct {
		name      string
		arguments map[string]any
		want      output.ReadOptions
		fault     []string // what the error names
	}{
		{"nothing", nil, output.ReadOptions{Max: most}, nil},
		{"since", map[string]any{"since_seq": 7}, output.ReadOptions{Max: most, Since: 7}, nil},
		{"since zero is the beginning", map[string]any{"since_seq": 0}, output.ReadOptions{Max: most, Since: 1}, nil},
		{"since negative is the beginning", map[string]any{"since_seq": -9}, output.ReadOptions{Max: most, Since: 1}, nil},
		{"since far", map[string]any{"since_seq": int64(math.MaxInt64)}, output.ReadOptions{Max: most, Since: math.MaxInt64}, nil},
		{"tail", map[string]any{"tail_lines": 3}, output.ReadOptions{Max: most, TailLines: 3}, nil},
		{"tail of more lines than an int32", map[string]any{"tail_lines": int64(1) << 40}, output.ReadOptions{Max: most, TailLines: math.MaxInt32}, nil},
		{"both", map[string]any{"streams": "both"}, output.ReadOptions{Max: most}, nil},
		{"stdout", map[string]any{"streams": "stdout"}, output.ReadOptions{Max: most, Streams: output.OnlyStdout}, nil},
		{"stderr", map[string]any{"streams": "stderr", "max_output_bytes": 5}, output.ReadOptions{Max: 5, Streams: output.OnlyStderr}, nil},
		{"other streams", map[string]any{"streams": "STDOUT"}, output.ReadOptions{}, []string{"streams", "'STDOUT'", "stdout"}},
		{"tail of zero", map[string]any{"tail_lines": 0}, output.ReadOptions{}, []string{"tail_lines", "0"}},
		{"tail negative", map[string]any{"tail_lines": -3}, output.ReadOptions{}, []string{"tail_lines", "-3"}},
		{"tail and since", map[string]any{"tail_lines": 1, "since_seq": 1}, output.ReadOptions{}, []string{"tail_lines", "since_seq"}},
	}
	s := &set{opts: Options{MaxOutput: most}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := s.readOptions(decoded(t, toolNamed(t, "read"), test.arguments))
			if test.fault != nil {
				if err == nil || slices.ContainsFunc(test.fault, func(s string) bool { return !strings.Contains(err.Error(), s) }) {
					t.Errorf("error %v, want one about %q", err, test.fault)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestExecuteRequest(t *testing.T) {
	command := "echo hi"
	tests := []struct {
		name      string
		arguments map[string]any
		want      execution.Request
		fault     []string
	}{
		{"command", map[string]any{"command": command}, execution.Request{Command: &command}, nil},
		{"argv", map[string]any{"argv": []string{"a", ""}}, execution.Request{Argv: []string{"a", ""}}, nil},
		{
			"all",
			map[string]any{
				"command": command, "shell": "bash", "cwd": "/", "env": map[string]string{"A": "b"}, "name": "n", "stdin": "in",
				"close_stdin": false, "timeout_ms": 5, "idle_timeout_ms": 0, "side_effects": []string{"NONE"},
			},
			execution.Request{
				Command: &command, Shell: "bash", Dir: "/", Env: map[string]string{"A": "b"}, Name: "n", Input: "in",
				KeepInput: true, Timeout: 5 * ms, IdleTimeout: -1, Effects: []policy.Effect{policy.None},
			},
			nil,
		},
		{"close stdin", map[string]any{"command": command, "close_stdin": true}, execution.Request{Command: &command}, nil},
		{"shell empty", map[string]any{"command": command, "shell": ""}, execution.Request{}, []string{"shell"}},
		{"shell and argv", map[string]any{"argv": []string{"a"}, "shell": "bash"}, execution.Request{}, []string{"shell", "argv"}},
		{"side effects empty", map[string]any{"command": command, "side_effects": []string{}}, execution.Request{}, []string{"side_effects", "NONE"}},
		{"side effects none and others", map[string]any{"command": command, "side_effects": []string{"OTHER", "NONE", "UNKNOWN"}}, execution.Request{}, []string{"NONE", "OTHER, UNKNOWN"}},
		{"side effects none twice", map[string]any{"command": command, "side_effects": []string{"NONE", "NONE"}}, execution.Request{Command: &command, Effects: []policy.Effect{policy.None}}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := executeRequest(decoded(t, toolNamed(t, "execute"), test.arguments))
			if test.fault != nil {
				if err == nil || slices.ContainsFunc(test.fault, func(s string) bool { return !strings.Contains(err.Error(), s) }) {
					t.Errorf("error %v, want one about %q", err, test.fault)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}
