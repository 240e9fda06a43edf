package native

import (
	"unicode/utf8"

	"whelk/internal/jsontext"
)

// appendIndented writes the answer as Python's json does with two blanks a level,
// which is mcp-yieldshell's form of a result.
func (a *answer) appendIndented(b []byte, level int) []byte {
	b = append(b, '{')
	for i, f := range a.fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendIndent(b, level+1)
		b = append(jsontext.AppendString(b, f.name), `: `...)
		switch v := f.value.(type) {
		case stream:
			b = jsontext.AppendString(b, string(replaceInvalid(v)))
		case []*answer:
			b = appendIndentedList(b, v, level+1)
		default:
			b = f.appendJSON(b)
		}
	}
	return append(appendIndent(b, level), '}')
}

func appendIndentedList(b []byte, list []*answer, level int) []byte {
	if len(list) == 0 {
		return append(b, "[]"...)
	}
	b = append(b, '[')
	for i, entry := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = entry.appendIndented(appendIndent(b, level+1), level+1)
	}
	return append(appendIndent(b, level), ']')
}

func appendIndent(b []byte, level int) []byte {
	b = append(b, '\n')
	for range level {
		b = append(b, "  "...)
	}
	return b
}

// replaceInvalid shows what is not UTF-8 as Python does: the beginning of a
// character whose rest is missing is one U+FFFD, not one for each byte.
func replaceInvalid(p stream) stream {
	if utf8.Valid(p) {
		return p
	}
	out := make(stream, 0, len(p)+len(p)/8)
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError && n == 1 {
			for n < len(p) && !utf8.FullRune(p[:n+1]) {
				n++
			}
		}
		out = utf8.AppendRune(out, r)
		p = p[n:]
	}
	return out
}
