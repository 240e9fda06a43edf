package native

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"whelk/internal/execution"
	"whelk/internal/jsontext"
)

// answer is what a call says: fields in the order of the structured form, and
// which of them are output.
type answer struct {
	fields []field
	fault  bool
	ask    string // the question, if a person's agreement would change the answer
}

// field is one value of an answer. Its kind is that of value: nil (null),
// string, bool, int64, float64, []string, stream, members or []*answer.
type field struct {
	name  string
	value any
}

// stream is a piece of output: the text form shows it as it is.
type stream []byte

// members are processes of a tree.
type members []execution.Member

func (a *answer) add(name string, value any) *answer {
	a.fields = append(a.fields, field{name, value})
	return a
}

// addSet adds a field that is left out when it has nothing to say.
func (a *answer) addSet(name, value string) *answer {
	if value != "" {
		a.add(name, value)
	}
	return a
}

// addMembers adds processes, if there are any.
func (a *answer) addMembers(name string, list []execution.Member) *answer {
	if len(list) > 0 {
		a.add(name, members(list))
	}
	return a
}

// badArguments is the answer to a call that could not be decoded.
func badArguments(err error) *answer {
	return (&answer{fault: true}).add("error", err.Error()).add("code", string(execution.InvalidArgument))
}

// failed adds an error to an answer that already names what it is about.
func (a *answer) failed(err error) *answer {
	a.fault = true
	a.add("error", err.Error())
	return a.addSet("code", string(execution.CodeOf(err)))
}

// redacted hides secrets in all texts that are no output: of that the engine
// has taken care.
func (a *answer) redacted(hide func(string) string) *answer {
	for i, f := range a.fields {
		switch v := f.value.(type) {
		case string:
			a.fields[i].value = hide(v)
		case []string:
			hidden := make([]string, len(v))
			for n, text := range v {
				hidden[n] = hide(text)
			}
			a.fields[i].value = hidden
		case []*answer:
			for _, item := range v {
				item.redacted(hide)
			}
		}
	}
	return a
}

// milliseconds is a duration as the seed shows it: with one decimal.
func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Millisecond)*10) / 10
}

// seconds is a moment as the seed shows it: seconds of the epoch, null if none.
func seconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return float64(t.UnixMicro()) / 1e6
}

// orNull is null for an empty string.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// json writes the structured form.
func (a *answer) json() []byte {
	size := 512 // the fields without output, mostly
	for _, f := range a.fields {
		if s, ok := f.value.(stream); ok {
			size += len(s) + len(s)/8 // most output needs few escapes
		}
	}
	return a.appendJSON(make([]byte, 0, size))
}

func (a *answer) appendJSON(b []byte) []byte {
	b = append(b, '{')
	for i, f := range a.fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, f.name)
		b = append(b, ':')
		b = f.appendJSON(b)
	}
	return append(b, '}')
}

func (f field) appendJSON(b []byte) []byte {
	switch v := f.value.(type) {
	case string:
		return jsontext.AppendString(b, v)
	case stream:
		return jsontext.AppendString(b, string(v))
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return appendFloat(b, v)
	case members:
		list := make([]*answer, len(v))
		for i, m := range v {
			list[i] = new(answer).add("process_id", int64(m.PID)).add("name", m.Name)
		}
		return field{f.name, list}.appendJSON(b)
	case []string:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = jsontext.AppendString(b, item)
		}
		return append(b, ']')
	case []*answer:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	}
	return append(b, "null"...)
}

// appendFloat writes a number with a decimal point, so that a field keeps its
// type whatever its value.
func appendFloat(b []byte, v float64) []byte {
	start := len(b)
	b = strconv.AppendFloat(b, v, 'f', -1, 64)
	if !strings.Contains(string(b[start:]), ".") {
		b = append(b, ".0"...)
	}
	return b
}

// text writes the readable form: one line with every field that is set, the
// status first; the error in words, if it is one; then the output as it is,
// standard error behind a line that says so. Bytes that are not UTF-8 are left
// to the encoder of the message, which replaces each.
func (a *answer) text() string {
	var b []byte
	for _, f := range a.fields {
		if f.name == "status" {
			b = append(b, f.value.(string)...)
		}
	}
	for _, f := range a.fields {
		if f.name != "status" && f.name != "error" {
			b = f.appendText(b)
		}
	}
	for _, f := range a.fields {
		switch v := f.value.(type) {
		case string:
			if f.name == "error" {
				b = append(startLine(b), v...)
			}
		case stream:
			b = appendStream(b, f.name, v)
		case []*answer:
			for _, item := range v {
				b = append(startLine(b), item.text()...)
			}
		}
	}
	return string(b)
}

// appendText appends one field of the status line.
func (f field) appendText(b []byte) []byte {
	switch v := f.value.(type) {
	case []*answer:
		return appendPair(b, f.name, strconv.Itoa(len(v)))
	case []string:
		return field{f.name, strings.Join(v, ",")}.appendText(b)
	case members:
		list := make([]string, len(v))
		for i, m := range v {
			list[i] = fmt.Sprintf("%d:%s", m.PID, m.Name)
		}
		return field{f.name, strings.Join(list, ",")}.appendText(b)
	case bool:
		if !v && f.name != "ok" && f.name != "stopped" {
			return b // flags speak when they are raised
		}
		return appendPair(b, f.name, strconv.FormatBool(v))
	case int64:
		return appendPair(b, f.name, strconv.FormatInt(v, 10))
	case float64:
		return appendPair(b, f.name, strconv.FormatFloat(v, 'f', -1, 64))
	case string:
		if v == "" || strings.ContainsFunc(v, needsQuotes) {
			v = string(jsontext.AppendString(nil, v))
		}
		return appendPair(b, f.name, v)
	}
	return b // null, or output
}

func needsQuotes(r rune) bool { return r <= ' ' || r == '"' || r == 0x7f }

func appendPair(b []byte, name, value string) []byte {
	if len(b) > 0 {
		b = append(b, ' ')
	}
	b = append(b, name...)
	b = append(b, '=')
	return append(b, value...)
}

// startLine ends an unfinished line.
func startLine(b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	return b
}

// stderrMark stands before standard error in the text form.
const stderrMark = "[stderr]\n"

func appendStream(b []byte, name string, p stream) []byte {
	if len(p) == 0 {
		return b
	}
	b = startLine(b)
	if name == "stderr" {
		b = append(b, stderrMark...)
	}
	return append(b, p...)
}
