package redact

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// MinValue is the least length of a value in bytes (mcp-yieldshell, Opt-in
// Best-effort Redaction).
const MinValue = 8

// Options says what is secret. The zero value is nothing.
type Options struct {
	Names   *regexp.Regexp // searched in the names of variables; nil: none is chosen
	Encoded bool           // values are also looked for in base64 and percent-encoded
	Formats bool           // texts of well-known formats are secret, too
}

// Set is what is to be hidden. It does not change once made and is safe for
// concurrent use. A nil Set hides nothing.
type Set struct {
	opts   Options
	values []value
	search *automaton   // nil: there are no values
	table  *formatTable // nil: formats are not looked for
}

// value is a secret and the name of the variable that holds it.
type value struct{ name, text string }

// New returns the set of the chosen among variables of the form NAME=value, in
// their order. It takes a copy: later changes of the environment are not seen.
// It is nil if the options choose nothing.
func New(o Options, environ []string) *Set {
	if o.Names == nil && !o.Formats {
		return nil
	}
	s := &Set{opts: o}
	if o.Formats {
		s.table = newFormatTable()
	}
	for _, entry := range environ {
		if name, text, ok := strings.Cut(entry, "="); ok && s.chosen(name, text) {
			s.values = append(s.values, value{name, text})
		}
	}
	s.search = newAutomaton(s.values, o.Encoded)
	return s
}

// With returns the set with the chosen among further variables added, in the
// order of their names; s itself if there are none.
func (s *Set) With(vars map[string]string) *Set {
	if s == nil {
		return nil
	}
	var more []value
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if s.chosen(name, vars[name]) {
			more = append(more, value{name, vars[name]})
		}
	}
	if len(more) == 0 {
		return s
	}
	values := slices.Concat(s.values, more)
	return &Set{opts: s.opts, values: values, search: newAutomaton(values, s.opts.Encoded), table: s.table}
}

func (s *Set) chosen(name, text string) bool {
	return len(text) >= MinValue && s.opts.Names != nil && s.opts.Names.MatchString(name)
}

// mark is what stands in the place of a secret.
func mark(name string) string { return "[REDACTED:" + name + "]" }
