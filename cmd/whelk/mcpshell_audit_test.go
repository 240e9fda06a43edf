package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/mcptest"
)

// shellRecord is what the tests look at of a record.
type shellRecord struct {
	Command      string          `json:"command"`
	Argv         []string        `json:"argv"`
	Directory    string          `json:"directory"`
	Redirections map[string]bool `json:"redirections"`
	Env          map[string]any  `json:"env"`
	Timeout      *float64        `json:"timeout"`
	Limit        *int64          `json:"output_limit"`
	Stdout       int64           `json:"stdout_bytes"`
	Stderr       int64           `json:"stderr_bytes"`
	Code         *int            `json:"return_code"`
	Result       string          `json:"result_type"`
	Reason       *string         `json:"rejection_reason"`
	Fault        *string         `json:"error_type"`
}

func readRecords(t testing.TB, text string) []shellRecord {
	t.Helper()
	var records []shellRecord
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		var r shellRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		records = append(records, r)
	}
	return records
}

func TestMCPShellRecordsEveryCall(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	s := startShellTools(t, "WHELK_AUDIT="+path, "MCP_SHELL_OUTPUT_LIMIT_BYTES=100", "MCP_SHELL_CHILD_ENV_ALLOWLIST=OWN")
	shell(t, s, []string{"echo", "s3cret output"}, Args{"stdin": "s3cret input", "envs": Args{"OWN": "s3cret value"}})
	shell(t, s, []string{"tool", "echo e >&2; exit 3"}, Args{"directory": "sub", "timeout": 7, "output_limit": 50})
	shell(t, s, []string{"cat", "<", "in.txt", ">>", "log.txt"})
	shell(t, s, []string{"whoami"})
	shell(t, s, []string{}) // M2
	shell(t, s, []string{"echo"}, Args{"timeout": -1})
	shell(t, s, []string{"sleep", "60"}, Args{"timeout": 1})
	shell(t, s, []string{"yes"})
	shell(t, s, []string{"absent"})
	shell(t, s, []string{"echo", "--password=hunter2"})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"s3cret input", "s3cret value", "hunter2"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the records hold %q", secret)
		}
	}
	records := readRecords(t, string(text))
	var results []string
	for _, r := range records {
		results = append(results, r.Result)
	}
	want := []string{"success", "success", "success", "rejected", "rejected", "rejected", "timeout", "output_cap", "process_error", "success"}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Fatalf("results (-want +got):\n%s", diff)
	}
	seven, fifty, three := 7.0, int64(50), 3
	second := shellRecord{
		Command: "tool", Argv: []string{"tool", "echo e >&2; exit 3"}, Directory: filepath.Join(s.Dir, "sub"),
		Redirections: map[string]bool{"stdin": false, "stdout": false, "stdout_append": false}, Env: map[string]any{},
		Timeout: &seven, Limit: &fifty, Stderr: 2, Code: &three, Result: "success",
	}
	if diff := cmp.Diff(second, records[1]); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"OWN": "[REDACTED]"}, records[0].Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]bool{"stdin": true, "stdout": true, "stdout_append": true}, records[2].Redirections); diff != "" {
		t.Errorf("redirections (-want +got):\n%s", diff)
	}
	if r := records[3]; r.Reason == nil || !strings.Contains(*r.Reason, "whoami") || r.Code != nil || r.Fault != nil {
		t.Errorf("rejection %+v", r)
	}
	if r := records[6]; r.Fault == nil || *r.Fault != "TimeoutError" || r.Reason != nil || r.Code != nil {
		t.Errorf("timeout %+v", r)
	}
	if r := records[7]; r.Fault == nil || *r.Fault != "OutputLimitExceeded" || r.Stdout != 100 {
		t.Errorf("output limit %+v", r)
	}
}

func TestMCPShellHidesWhatIsSecret(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	s := startShellTools(t, "WHELK_AUDIT="+path, "WHELK_REDACT_ENV=KEY", "MY_KEY=opensesame", "MCP_SHELL_CHILD_ENV_ALLOWLIST=OWN_KEY")
	answers := []shellAnswer{
		shell(t, s, []string{"echo", "opensesame"}),
		shell(t, s, []string{"echo", "shut sesame"}, Args{"envs": Args{"OWN_KEY": "shut sesame"}}),
		shell(t, s, []string{"pwd"}, Args{"directory": "opensesame"}),
		shell(t, s, []string{"opensesame"}),
		shell(t, s, []string{"echo"}, Args{"timeout": "opensesame"}),
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	for name, all := range map[string]string{"answers": string(shown), "records": string(text), "log": s.Stderr()} {
		if strings.Contains(all, "sesame") || name != "log" && !strings.Contains(all, "[REDACTED:MY_KEY]") {
			t.Errorf("the %s are %s", name, all)
		}
	}
}

func TestMCPShellRecordsGoToStandardErrorUnlessSaidOtherwise(t *testing.T) {
	t.Parallel()
	for setting, wanted := range map[string]int{"": 1, "stderr": 1, "off": 0} {
		s := startShellTools(t, "WHELK_AUDIT="+setting)
		shell(t, s, []string{"echo", "x"})
		s.CloseStdin()
		<-s.Exited()
		if got := strings.Count(s.Stderr(), `"result_type":"success"`); got != wanted {
			t.Errorf("with %q: %d records, want %d; stderr: %s", setting, got, wanted, s.Stderr())
		}
	}
}

func TestMCPShellRecordsCancelledCalls(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	s := startShellTools(t, "WHELK_AUDIT="+path)
	marker := mcptest.Marker(t)
	call := s.BeginCall("shell_execute", Args{"command": []string{"sleep", marker}})
	born(t, marker, 1)
	s.Cancel(call)
	mcptest.Eventually(t, mcptest.Patience, "the record is written", func() bool {
		text, _ := os.ReadFile(path)
		return strings.Contains(string(text), `"result_type":"process_error","rejection_reason":null,"error_type":"cancelled"`)
	})
}
