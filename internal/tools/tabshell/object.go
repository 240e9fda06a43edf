package tabshell

import (
	"strconv"
	"strings"
	"time"

	"whelk/internal/jsontext"
)

// object is a JSON object in the form of Python's json module: one line, a blank after
// each comma and colon, ASCII alone. Fields come in the order in which they are added.
type object struct{ b []byte }

func (o *object) key(name string) {
	if len(o.b) > 0 {
		o.b = append(o.b, ", "...)
	}
	o.b = append(jsontext.AppendASCII(o.b, name), ": "...)
}

func (o *object) text(name, value string) *object {
	o.key(name)
	o.b = jsontext.AppendASCII(o.b, value)
	return o
}

// json adds a field whose value is JSON already.
func (o *object) json(name, value string) *object {
	o.key(name)
	o.b = append(o.b, value...)
	return o
}

func (o *object) null(name string) *object { return o.json(name, "null") }

func (o *object) integer(name string, n int) *object { return o.json(name, strconv.Itoa(n)) }

func (o *object) boolean(name string, v bool) *object {
	return o.json(name, strconv.FormatBool(v))
}

// seconds adds a length of time, rounded to milliseconds.
func (o *object) seconds(name string, d time.Duration) *object {
	return o.json(name, float(d.Round(time.Millisecond).Seconds()))
}

// time adds a moment, in seconds since 1970.
func (o *object) time(name string, t time.Time) *object {
	if t.IsZero() {
		return o.null(name)
	}
	return o.json(name, float(float64(t.UnixNano())/1e9))
}

func (o *object) String() string { return "{" + string(o.b) + "}" }

// float writes a number as Python writes a float: the shortest digits that tell it from
// others, and always a decimal point.
func float(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// structured is the structured content that repeats a text.
func structured(text string) []byte {
	return append(jsontext.AppendString([]byte(`{"result":`), text), '}')
}
