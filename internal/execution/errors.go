package execution

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"whelk/internal/policy"
	"whelk/internal/redact"
)

// Code is the kind of a fault, the same on every tool set.
type Code string

const (
	InvalidArgument  Code = "invalid_argument"
	FailedToStart    Code = "failed_to_start"
	LimitExceeded    Code = "limit_exceeded"
	UnknownExecution Code = "unknown_execution"
	NotRunning       Code = "not_running"
	StdinClosed      Code = "stdin_closed"
	PolicyDenied     Code = "policy_denied"
	ApprovalRequired Code = "approval_required"
)

// Error is a fault with its code. Text says what happened, which limit or
// rule it was, and what to do next; it is written for a model or a person.
type Error struct {
	Code Code
	Text string
	Err  error // the cause, if there is one
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

func errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Text: err.Error(), Err: errors.Unwrap(err)}
}

// CodeOf returns the code of an [Error] in err's chain, or "".
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// redacted returns err without the secrets that it quotes.
func redacted(secrets *redact.Set, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || secrets == nil {
		return err
	}
	hidden := *e
	hidden.Text = secrets.Text(e.Text)
	if denial, ok := errors.AsType[*policy.Denial](e.Err); ok {
		d := *denial
		for _, text := range []*string{&d.Rule, &d.Subject, &d.Reason, &d.Suggest} {
			*text = secrets.Text(*text)
		}
		hidden.Err = &d
	}
	return &hidden
}

// Redaction returns what hides the supervisor's secrets, and those among the
// variables of a request, in a text.
func (s *Supervisor) Redaction(env map[string]string) func(text string) string {
	return s.opts.Secrets.With(env).Text
}

// cut shortens a text that came from outside for an error or a list: to most
// bytes, at a character, saying how long it was. A caller must not get its own
// megabytes back.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:end], len(text))
}

// shown is a name from outside as an error quotes it.
func shown(text string) string {
	const most = 1024 // bytes: more than any sensible name or path
	return cut(text, most)
}
