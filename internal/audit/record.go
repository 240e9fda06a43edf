package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Outcome is what became of a call.
type Outcome string

// The outcomes that mcp-shell-server documents.
const (
	Success      Outcome = "success" // the command has ended by itself, with whatever exit code
	Rejected     Outcome = "rejected"
	Timeout      Outcome = "timeout"
	OutputCap    Outcome = "output_cap"
	ProcessError Outcome = "process_error" // it could not be started, or was not waited for
)

// Record is one event. Zero values mean that there is nothing to say, unless the
// field says otherwise.
type Record struct {
	Time      time.Time
	Principal string // who called; "" is nobody with a name

	Argv         []string // the program, its arguments and operators
	Dir          string
	Redirections Redirections
	Env          []string      // the names of the variables that the call set
	Timeout      time.Duration // 0: unknown
	OutputLimit  int64         // in bytes; 0: unknown

	Stdout, Stderr int64 // bytes written
	ReturnCode     *int  // nil: no process has ended by itself
	Duration       time.Duration

	Outcome Outcome
	Reason  string // of a rejection
	Fault   string // the kind of what failed otherwise
}

// Redirections says which of its streams a command has redirected.
type Redirections struct {
	Stdin        bool `json:"stdin"`
	Stdout       bool `json:"stdout"`
	StdoutAppend bool `json:"stdout_append"`
}

// wire is a record as it is written.
type wire struct {
	Timestamp       float64           `json:"timestamp"` // seconds of the epoch
	Principal       string            `json:"principal,omitempty"`
	Command         string            `json:"command"`
	Argv            []string          `json:"argv"`
	Directory       string            `json:"directory"`
	Redirections    Redirections      `json:"redirections"`
	Env             map[string]string `json:"env"`
	Timeout         *float64          `json:"timeout"` // seconds
	OutputLimit     *int64            `json:"output_limit"`
	StdoutBytes     int64             `json:"stdout_bytes"`
	StderrBytes     int64             `json:"stderr_bytes"`
	ReturnCode      *int              `json:"return_code"`
	Duration        float64           `json:"duration"` // seconds
	ResultType      Outcome           `json:"result_type"`
	RejectionReason *string           `json:"rejection_reason"`
	ErrorType       *string           `json:"error_type"`
}

// line writes the record with a line feed at its end.
func (r *Record) line() []byte {
	w := wire{
		Timestamp: float64(r.Time.UnixMilli()) / 1000, Principal: cut(r.Principal),
		Argv: arguments(r.Argv), Directory: cut(r.Dir), Redirections: r.Redirections, Env: variables(r.Env),
		StdoutBytes: r.Stdout, StderrBytes: r.Stderr, ReturnCode: r.ReturnCode,
		Duration: math.Round(r.Duration.Seconds()*1e6) / 1e6, ResultType: r.Outcome,
		RejectionReason: orNull(r.Reason), ErrorType: orNull(r.Fault),
	}
	if len(w.Argv) > 0 {
		w.Command = w.Argv[0]
	}
	if r.Timeout > 0 {
		seconds := r.Timeout.Seconds()
		w.Timeout = &seconds
	}
	if r.OutputLimit > 0 {
		w.OutputLimit = &r.OutputLimit
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(w); err != nil {
		panic("audit: " + err.Error()) // no type above can fail
	}
	return b.Bytes()
}

// The bounds of a record.
const (
	maxText = 1024 // bytes of one text: more than any sensible path or argument
	maxList = 256  // arguments, or variables
)

// cut shortens a text to what is kept of it, saying how long it was.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:maxText], ""), len(text))
}

// arguments are the arguments that may be recorded, never null.
func arguments(argv []string) []string {
	out := hideSecrets(argv[:min(len(argv), maxList)])
	for i := range out {
		out[i] = cut(out[i])
	}
	if more := len(argv) - maxList; more > 0 {
		out = append(out, fmt.Sprintf("… (%d more)", more))
	}
	return out
}

// variables are the names of variables, each with a mark for its value.
func variables(names []string) map[string]string {
	out := make(map[string]string, len(names))
	for _, name := range slices.Sorted(slices.Values(names)) {
		if len(out) == maxList {
			break
		}
		out[cut(name)] = mark
	}
	return out
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	text = cut(text)
	return &text
}
