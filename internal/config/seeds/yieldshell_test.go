package seeds

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// yieldShellDefaults are those of the seed's table of variables.
func yieldShellDefaults() YieldShell {
	return YieldShell{
		MaxOutput: 20000, Buffer: 262144, MaxExecutions: 50,
		Yield: 30 * time.Second, MaxYield: 5 * time.Minute, Timeout: time.Hour, Retention: time.Hour, MaxRetained: 100,
	}
}

func TestYieldShellVariables(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		environ []string
		change  func(*YieldShell) // of the defaults
	}{
		{"none", nil, nil},
		{"all empty", []string{
			"YIELDSHELL_DEFAULT_CWD=", "YIELDSHELL_ALLOWED_CWDS=", "YIELDSHELL_MAX_OUTPUT_BYTES=", "YIELDSHELL_DENY_COMMAND_REGEX=",
			"YIELDSHELL_ALLOW_COMMAND_REGEX=", "YIELDSHELL_REDACT_ENV_REGEX=", "MCP_YIELDSHELL_BLOCKED_SIDE_EFFECTS=",
		}, nil},
		{"others", []string{"PATH=/bin", "YIELDSHELL_NO_SUCH=1", "nothing"}, nil},

		{"directory", []string{"YIELDSHELL_DEFAULT_CWD=/srv"}, func(s *YieldShell) { s.Dir = "/srv" }},
		{"relative directory", []string{"YIELDSHELL_DEFAULT_CWD=a/b"}, func(s *YieldShell) { s.Dir = filepath.Join(here, "a/b") }},
		{"roots", []string{"YIELDSHELL_ALLOWED_CWDS=/a:b:/c d"}, func(s *YieldShell) { s.Roots = []string{"/a", filepath.Join(here, "b"), "/c d"} }},
		{"roots, none", []string{"YIELDSHELL_ALLOWED_CWDS=: :"}, nil},

		{"output", []string{"YIELDSHELL_MAX_OUTPUT_BYTES=10"}, func(s *YieldShell) { s.MaxOutput = 10 }},
		{"output over the default", []string{"YIELDSHELL_MAX_OUTPUT_BYTES=1000000"}, func(s *YieldShell) { s.MaxOutput = 1000000 }},
		{"blanks around a number", []string{"YIELDSHELL_MAX_OUTPUT_BYTES= 10 "}, func(s *YieldShell) { s.MaxOutput = 10 }},
		{"a sign", []string{"YIELDSHELL_MAX_OUTPUT_BYTES=+10"}, func(s *YieldShell) { s.MaxOutput = 10 }},
		{"digits in groups", []string{"YIELDSHELL_MAX_BUFFER_BYTES=1_000_000"}, func(s *YieldShell) { s.Buffer = 1000000 }},
		{"executions", []string{"YIELDSHELL_MAX_PROCESSES=2"}, func(s *YieldShell) { s.MaxExecutions = 2 }},
		{"yield", []string{"YIELDSHELL_DEFAULT_YIELD_MS=200"}, func(s *YieldShell) { s.Yield = 200 * time.Millisecond }},
		{"yield, at once", []string{"YIELDSHELL_DEFAULT_YIELD_MS=0"}, func(s *YieldShell) { s.Yield = 0 }},
		{"longest yield", []string{"YIELDSHELL_MAX_YIELD_MS=100"}, func(s *YieldShell) { s.MaxYield = 100 * time.Millisecond }},
		{"longest yield, none", []string{"YIELDSHELL_MAX_YIELD_MS=0"}, func(s *YieldShell) { s.MaxYield = 0 }},
		{"timeout", []string{"YIELDSHELL_DEFAULT_TIMEOUT_MS=500"}, func(s *YieldShell) { s.Timeout = 500 * time.Millisecond }},
		{"timeout, none", []string{"YIELDSHELL_DEFAULT_TIMEOUT_MS=0"}, func(s *YieldShell) { s.Timeout = 0 }},
		{"retention, none", []string{"YIELDSHELL_PROCESS_RETENTION_MS=0"}, func(s *YieldShell) { s.Retention = 0 }},
		{"retained, none", []string{"YIELDSHELL_MAX_RETAINED_PROCESSES=0"}, func(s *YieldShell) { s.MaxRetained = 0 }},
		{"more than can be", []string{"YIELDSHELL_DEFAULT_TIMEOUT_MS=99999999999999999999999"}, func(s *YieldShell) {
			s.Timeout = time.Duration(math.MaxInt64 / int64(time.Millisecond) * int64(time.Millisecond))
		}},

		{"expressions", []string{"YIELDSHELL_DENY_COMMAND_REGEX=rm$", "YIELDSHELL_ALLOW_COMMAND_REGEX=^ls", "YIELDSHELL_REDACT_ENV_REGEX=TOKEN"}, func(s *YieldShell) {
			s.DenyCommand, s.AllowCommand, s.RedactEnv = `rm(?:\n?\z)`, "^ls", "TOKEN"
		}},
		{"blocked", []string{"MCP_YIELDSHELL_BLOCKED_SIDE_EFFECTS= NONE ,, OTHER"}, func(s *YieldShell) { s.Blocked = []string{"NONE", "OTHER"} }},
		{"blocked, none", []string{"MCP_YIELDSHELL_BLOCKED_SIDE_EFFECTS=,"}, func(s *YieldShell) { s.Blocked = []string{} }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := yieldShellDefaults()
			if test.change != nil {
				test.change(&want)
			}
			got, err := ReadYieldShell(test.environ)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A number that is none, or out of range, is the default: the seed says so of
// each. Here it is said, too.
func TestYieldShellNumbersThatMeanNothing(t *testing.T) {
	always := []string{"abc", "10.5", "1e3", "0x10", "1__0", "_1", "10 20", "-1"}
	positive := append([]string{"0"}, always...)
	for name, values := range map[string][]string{
		"YIELDSHELL_MAX_OUTPUT_BYTES": positive, "YIELDSHELL_MAX_BUFFER_BYTES": positive, "YIELDSHELL_MAX_PROCESSES": positive,
		"YIELDSHELL_MAX_YIELD_MS": always, "YIELDSHELL_DEFAULT_YIELD_MS": always, "YIELDSHELL_DEFAULT_TIMEOUT_MS": always,
		"YIELDSHELL_PROCESS_RETENTION_MS": always, "YIELDSHELL_MAX_RETAINED_PROCESSES": always,
	} {
		for _, value := range values {
			got, err := ReadYieldShell([]string{name + "=" + value})
			if err != nil {
				t.Errorf("%s=%s: %v", name, value, err)
				continue
			}
			if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], name) || !strings.Contains(got.Warnings[0], value) {
				t.Errorf("%s=%s: the warnings %q", name, value, got.Warnings)
			}
			got.Warnings = nil
			if diff := cmp.Diff(yieldShellDefaults(), got); diff != "" {
				t.Errorf("%s=%s (-want +got):\n%s", name, value, diff)
			}
		}
	}
}

func TestYieldShellFaultsAreAllNamed(t *testing.T) {
	_, err := ReadYieldShell([]string{
		"YIELDSHELL_DENY_COMMAND_REGEX=(", "YIELDSHELL_ALLOW_COMMAND_REGEX=a(?!b)", "YIELDSHELL_REDACT_ENV_REGEX=*",
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, says := range []string{
		"YIELDSHELL_DENY_COMMAND_REGEX: ", "missing closing )", "YIELDSHELL_ALLOW_COMMAND_REGEX: ", "a negative lookahead", "YIELDSHELL_REDACT_ENV_REGEX: ",
	} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("the error %q does not say %s", err, says)
		}
	}
}
