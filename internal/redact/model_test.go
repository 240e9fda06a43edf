package redact

import "strings"

// replaced is what a filter must make of a text, found the slow way: each
// occurrence of each form, overlapping ones joined.
func replaced(text string, values []value, encoded bool) (out string, count int64) {
	type occurrence struct {
		start, end, size int
		mark             string
	}
	var all []occurrence
	seen := make(map[string]bool)
	for _, v := range values {
		forms := []string{v.text}
		if encoded {
			forms = append(forms, encodedForms(v.text)...)
		}
		for _, form := range forms {
			for i := range len(text) {
				if !seen[form] && strings.HasPrefix(text[i:], form) {
					all = append(all, occurrence{i, i + len(form), len(form), "[REDACTED:" + v.name + "]"})
				}
			}
			seen[form] = true
		}
	}
	for i := 0; i < len(text); {
		// The secret that covers byte i, grown until nothing overlaps it.
		var joined *occurrence
		for grown := true; grown; {
			grown = false
			for _, o := range all {
				switch {
				case joined == nil && o.start == i:
					joined, grown = &o, true
				case joined != nil && o.start < joined.end && o.end > joined.end:
					joined.end, grown = o.end, true
				}
			}
		}
		if joined == nil {
			out, i = out+text[i:i+1], i+1
			continue
		}
		best := occurrence{}
		for end := i; end <= joined.end; end++ {
			for _, o := range all {
				if o.end == end && o.start >= i && o.size > best.size {
					best = o
				}
			}
		}
		out, i, count = out+best.mark, joined.end, count+1
	}
	return out, count
}

// filtered passes a text through a filter in pieces: their sizes, over and
// over, and the rest if there are none.
func filtered(s *Set, text string, sizes ...int) (out string, count int64) {
	f := s.Filter()
	var b strings.Builder
	for i := 0; len(text) > 0; i++ {
		n := len(text)
		if len(sizes) > 0 {
			n = min(n, sizes[i%len(sizes)])
		}
		b.Write(f.Write([]byte(text[:n])))
		text = text[n:]
	}
	b.Write(f.End())
	return b.String(), f.Count()
}
