package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRecordHasTheDocumentedFields(t *testing.T) {
	zero := 0
	tests := []struct {
		name   string
		record Record
		want   string
	}{{
		"a success",
		Record{
			Time: time.UnixMilli(1719756800123), Argv: []string{"grep", "-n", "<&>"}, Dir: "/tmp",
			Redirections: Redirections{Stdin: true}, Timeout: 30 * time.Second, OutputLimit: 1048576,
			Stdout: 145, ReturnCode: &zero, Duration: 42 * time.Millisecond, Outcome: Success,
		},
		`{"timestamp":1719756800.123,"command":"grep","argv":["grep","-n","<&>"],"directory":"/tmp",` +
			`"redirections":{"stdin":true,"stdout":false,"stdout_append":false},"env":{},"timeout":30,"output_limit":1048576,` +
			`"stdout_bytes":145,"stderr_bytes":0,"return_code":0,"duration":0.042,"result_type":"success",` +
			`"rejection_reason":null,"error_type":null}` + "\n",
	}, {
		"a rejection, with a caller and variables",
		Record{Time: time.Unix(1, 0), Principal: "ada", Env: []string{"B", "A"}, Outcome: Rejected, Reason: "no command"},
		`{"timestamp":1,"principal":"ada","command":"","argv":[],"directory":"",` +
			`"redirections":{"stdin":false,"stdout":false,"stdout_append":false},"env":{"A":"[REDACTED]","B":"[REDACTED]"},` +
			`"timeout":null,"output_limit":null,"stdout_bytes":0,"stderr_bytes":0,"return_code":null,"duration":0,` +
			`"result_type":"rejected","rejection_reason":"no command","error_type":null}` + "\n",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(tt.record.line())); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSecretsStayOut(t *testing.T) {
	tests := []struct{ argv, want []string }{
		{[]string{"x", "--password=hunter2", "--user=me"}, []string{"x", "--password=[REDACTED]", "--user=me"}},
		{[]string{"x", "--api-key", "k3y", "rest"}, []string{"x", "--api-key", "[REDACTED]", "rest"}},
		{[]string{"x", "-token", "--verbose"}, []string{"x", "-token", "--verbose"}},
		{[]string{"x", "GITHUB_TOKEN=abc\ndef"}, []string{"x", "GITHUB_TOKEN=[REDACTED]"}},
		{[]string{"curl", "-H", "Authorization: Bearer abc"}, []string{"curl", "-H", "Authorization:[REDACTED]"}},
		{[]string{"git", "clone", "https://me:pw@host/x"}, []string{"git", "clone", "https://me:[REDACTED]@host/x"}},
		{[]string{"grep", "password", "token.txt"}, []string{"grep", "password", "token.txt"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, hideSecrets(tt.argv)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.argv, diff)
		}
	}
}

func TestRecordIsBounded(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	argv := make([]string, 1000)
	for i := range argv {
		argv[i] = long
	}
	r := Record{Argv: argv, Dir: long, Reason: long, Fault: long, Principal: long, Env: argv}
	line := r.line()
	if len(line) > 2*maxList*(maxText+100) {
		t.Errorf("the line has %d bytes", len(line))
	}
	if !json.Valid(line) || bytes.Count(line, []byte("\n")) != 1 {
		t.Errorf("no line of JSON: %.200s", line)
	}
	if !bytes.Contains(line, []byte(fmt.Sprintf("(%d more)", len(argv)-maxList))) {
		t.Error("the record does not say that arguments are left out")
	}
}

func TestFileIsAppendedToAndItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for range 2 { // a second start of the server
		log, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var writers sync.WaitGroup
		for range 20 {
			writers.Go(func() { log.Write(Record{Argv: []string{strings.Repeat("x", 900)}, Outcome: Success}) })
		}
		writers.Wait()
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for _, line := range lines {
		if !json.Valid(line) {
			t.Errorf("lines are mixed: %.80s", line)
		}
	}
	if len(lines) != 40 {
		t.Errorf("%d lines, want 40", len(lines))
	}
}

func TestLogThatCannotBeOpenedIsAnError(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a directory was opened")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestRecordThatIsNotTakenGoesToStandardError(t *testing.T) {
	var stderr bytes.Buffer
	(&Log{to: full{}, otherwise: &stderr}).Write(Record{Argv: []string{"ls"}, Outcome: Success})
	if got := stderr.String(); !strings.HasPrefix(got, "audit: disk full; the record: {") || !strings.Contains(got, `"ls"`) {
		t.Errorf("standard error has %q", got)
	}
}

func TestNilLogTakesRecords(t *testing.T) {
	log, err := Open(Off)
	if err != nil || log != nil {
		t.Fatalf("%v, %v", log, err)
	}
	log.Write(Record{})
}
