package redact

import "strings"

// ellipsis stands where a text was cut, in errors and lists.
const ellipsis = "…"

// Text returns a whole text with its secrets replaced. Of values also a
// beginning of at least [MinValue] bytes is replaced where the text was cut,
// which an ellipsis tells.
func (s *Set) Text(text string) string {
	f := s.Filter()
	if f == nil {
		return text
	}
	var b strings.Builder
	b.Write(f.Write([]byte(text)))
	b.Write(f.End())
	if f.Count() > 0 {
		text = b.String()
	}
	if s.search == nil || !strings.Contains(text, ellipsis) {
		return text
	}
	return s.search.withoutBeginnings(text)
}

// withoutBeginnings replaces the beginnings of patterns before an ellipsis.
func (a *automaton) withoutBeginnings(text string) string {
	var b strings.Builder
	at, done := int32(0), 0
	for i := range len(text) {
		size := int(a.nodes[at].depth)
		if size >= MinValue && i-size >= done && strings.HasPrefix(text[i:], ellipsis) {
			b.WriteString(text[done : i-size])
			b.WriteString(a.anyMark(at))
			done = i
		}
		at = a.step(at, text[i])
	}
	b.WriteString(text[done:])
	return b.String()
}

// anyMark is that of a pattern which begins as the node says.
func (a *automaton) anyMark(at int32) string {
	for a.nodes[at].child != 0 {
		at = a.nodes[at].child
	}
	return a.patterns[a.nodes[at].match].mark
}
