package main

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// recorder turns an answer into what is wanted of every server: values that
// differ from run to run become their type or a range, and messages become the
// data in them, because each server has words of its own.
type recorder struct {
	line *object
	data []string // what a message may repeat: from the call, the variables, the flags, the files
}

func newRecorder(g *group, line *object) *recorder {
	r := &recorder{line: line}
	if arguments, ok := line.get("with").(*object); ok {
		for _, m := range arguments.members {
			r.data = appendData(r.data, m.value) // not the names: messages need not name what was right
		}
	}
	for _, source := range []any{line.get("env"), line.get("cli"), g.line.get("env"), g.line.get("cli")} {
		r.data = appendData(r.data, source)
	}
	if files, ok := g.line.get("files").(*object); ok {
		for _, m := range files.members {
			if strings.HasSuffix(m.name, ".yaml") {
				r.data = appendData(r.data, m.value)
			}
		}
	}
	return r
}

// appendData appends the texts and numbers of a value, its keys among them:
// each as a whole, and the words of it.
func appendData(data []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(append(data, v), strings.FieldsFunc(v, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(",;:'\"()", r)
		})...)
	case json.Number:
		return append(data, v.String())
	case []any:
		for _, item := range v {
			data = appendData(data, item)
		}
	case *object:
		for _, m := range v.members {
			data = appendData(append(data, m.name), m.value)
		}
	}
	return data
}

// want returns what a recording keeps of an answer.
func (r *recorder) want(answer any) any {
	o, ok := clone(answer).(*object)
	if !ok {
		return answer
	}
	for i := range o.members {
		m := &o.members[i]
		switch {
		case m.name == "text" && o.get("error") == true:
			for i, text := range m.value.([]any) {
				m.value.([]any)[i] = r.message(text)
			}
		case m.name == "stderr" && o.get("exit") != nil, m.name == "layout":
			m.value = r.message(m.value)
		case m.name == "together_ms":
			m.value = atMostRange(m.value.(json.Number), 1000)
		case m.name != "tools":
			m.value = r.reduce(m.value)
		}
	}
	var want any = o
	if ranges, ok := r.line.get("ranges").(*object); ok {
		for _, m := range ranges.members {
			want = override(want, (&object{}).set(m.name, (&object{}).set("$range", m.value)))
		}
	}
	return want
}

// longText is the length in bytes from which only a digest of a text is kept.
const longText = 900

func (r *recorder) reduce(v any) any {
	switch v := v.(type) {
	case *object:
		o := &object{}
		for _, m := range v.members {
			switch {
			case isMessage(v, m.name):
				o.set(m.name, r.message(m.value))
			default:
				o.set(m.name, r.volatile(m.name, r.reduce(m.value)))
			}
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = r.reduce(v[i])
		}
		return list
	case string:
		if len(v) > longText {
			return (&object{}).set("$text", digest(v))
		}
	}
	return v
}

// isMessage tells whether a key's value is in the server's own words.
func isMessage(o *object, name string) bool {
	switch name {
	case "error", "hint", "message", "reason", "stdin_error":
		return true
	case "stderr": // of a command that tab-shell-mcp could not start or had to give up
		code, ok := o.lookup("exit_code")
		return ok && code == nil && o.get("status") == "error"
	}
	return false
}

// volatile returns what is kept of values that differ from run to run.
func (r *recorder) volatile(name string, v any) any {
	n, isNumber := v.(json.Number)
	s, isString := v.(string)
	switch name {
	case "execution_id", "task_id":
		if isString && !strings.HasPrefix(s, "${") && !slices.Contains(r.data, s) {
			return (&object{}).set("$type", "string")
		}
	case "process_id":
		if isNumber {
			return (&object{}).set("$type", "integer")
		}
	case "started_at", "ended_at", "last_output_at", "created_at", "completed_at":
		if isNumber {
			return (&object{}).set("$type", "number")
		}
	case "duration_ms", "waited_ms", "idle_ms":
		if isNumber {
			return atMostRange(n, 1000)
		}
	case "execution_time":
		if isNumber {
			return atMostRange(n, 1)
		}
	}
	return v
}

// atMostRange is the range of a time that was n once, in a unit that has so
// many to the second, on a machine that may be busy.
func atMostRange(n json.Number, perSecond float64) any {
	const times, seconds = 3, 5
	high := math.Ceil(number(n)*times + seconds*perSecond)
	return (&object{}).set("$range", []any{json.Number("0"), json.Number(strconv.FormatFloat(high, 'f', -1, 64))})
}

// message returns the data of a message.
func (r *recorder) message(v any) any {
	text, ok := v.(string)
	if !ok || text == "" {
		return v
	}
	if said, ok := r.line.lookup("says"); ok {
		return (&object{}).set("$says", said)
	}
	data := faultyArguments(text)
	if len(data) == 0 {
		data = maximal(append(placeholders.FindAllString(text, -1), r.data...), text)
	}
	found := []any{}
	for _, d := range data {
		found = append(found, d)
	}
	return (&object{}).set("$says", found)
}

// placeholders are names of directories and handles in a recorded message.
var placeholders = regexp.MustCompile(`\$\{\w+\}|\{W\}[\w/.~-]*`)

// faultyArguments returns the arguments that the pair built on FastMCP names:
// each is on a line of its own, with the place inside of it.
func faultyArguments(text string) []string {
	var names []string
	for line := range strings.SplitSeq(text, "\n") {
		if name, _, _ := strings.Cut(line, "."); strings.Contains(text, "validation error") && argumentName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

var argumentName = regexp.MustCompile(`^[a-z][a-z_]+$`)

// maximal returns the data that a text contains, without what is part of
// another and words of everyday language.
func maximal(data []string, text string) []string {
	everyday := []string{"a", "command", "default", "execute", "is", "list", "name", "no", "not", "null", "output", "process", "read", "server", "shell", "status", "stop", "the", "timeout", "to", "true", "wait", "write"}
	var found []string
	for _, d := range data {
		if d == "" || len(d) > 100 || slices.Contains(everyday, d) || slices.Contains(found, d) || !hasWhole(text, d) || !strings.ContainsFunc(d, alphanumeric) {
			continue
		}
		found = append(found, d)
	}
	slices.SortStableFunc(found, func(a, b string) int { return len(b) - len(a) })
	var kept []string
	for _, d := range found {
		if !slices.ContainsFunc(kept, func(k string) bool { return strings.Contains(k, d) }) {
			kept = append(kept, d)
		}
	}
	return kept
}
