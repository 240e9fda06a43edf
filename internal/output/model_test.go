package output_test

import (
	"unicode/utf8"

	"whelk/internal/output"
)

// model is a log as plainly as it can be said: every byte ever committed, and
// each answer worked out from all of them, byte by byte.
type model struct {
	capacity  int
	bytes     []modelByte // the byte at position p is bytes[p-1]
	held      [2][]byte
	closed    [2]bool
	discarded bool
	cursor    output.Seq
	prefixes  map[string]bool // every beginning of a character that lacks bytes
}

type modelByte struct {
	stream output.Stream
	value  byte
}

// unfinished returns every proper beginning of a character.
func unfinished() map[string]bool {
	prefixes := make(map[string]bool)
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			s := string(r)
			for n := 1; n < len(s); n++ {
				prefixes[s[:n]] = true
			}
		}
	}
	return prefixes
}

func (m *model) append(s output.Stream, p []byte) {
	all := append(m.held[s], p...)
	keep := 0
	for n := 1; n <= min(3, len(all)) && !m.closed[s]; n++ {
		if m.prefixes[string(all[len(all)-n:])] {
			keep = n
		}
	}
	m.commit(s, all[:len(all)-keep])
	m.held[s] = append([]byte(nil), all[len(all)-keep:]...)
}

func (m *model) close(s output.Stream) {
	m.commit(s, m.held[s])
	m.held[s], m.closed[s] = nil, true
}

func (m *model) commit(s output.Stream, p []byte) {
	for _, b := range p {
		m.bytes = append(m.bytes, modelByte{s, b})
	}
}

func (m *model) latest() output.Seq { return output.Seq(len(m.bytes) + 1) }

// positions returns where the bytes of the selected streams stand, in order.
func (m *model) positions(sel output.Streams) []output.Seq {
	var ps []output.Seq
	for i, b := range m.bytes {
		if sel == output.Both || sel == output.OnlyStdout && b.stream == output.Stdout ||
			sel == output.OnlyStderr && b.stream == output.Stderr {
			ps = append(ps, output.Seq(i+1))
		}
	}
	return ps
}

// text returns the bytes at the positions.
func (m *model) text(ps []output.Seq) []byte {
	var text []byte
	for _, p := range ps {
		text = append(text, m.bytes[p-1].value)
	}
	return text
}

// retained returns the positions of the selected streams that are not evicted.
func (m *model) retained(sel output.Streams) []output.Seq {
	gone := make(map[output.Seq]bool)
	for _, s := range []output.Streams{output.OnlyStdout, output.OnlyStderr} {
		ps := m.positions(s)
		cut := max(0, len(ps)-m.capacity)
		if m.discarded {
			cut = len(ps)
		}
		for _, c := range characters(m.text(ps)) {
			if c.start < cut && cut < c.end {
				cut = c.end
			}
		}
		for _, p := range ps[:cut] {
			gone[p] = true
		}
	}
	var kept []output.Seq
	for _, p := range m.positions(sel) {
		if !gone[p] {
			kept = append(kept, p)
		}
	}
	return kept
}

type character struct{ start, end int }

// characters returns where the valid characters of more than one byte are.
func characters(text []byte) []character {
	var cs []character
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRune(text[i:])
		if n > 1 {
			cs = append(cs, character{i, i + n})
		}
		i += n
	}
	return cs
}

// joined returns the positions that must not be parted from the one before, and
// for each of them where its character begins and ends.
func (m *model) joined() map[output.Seq]character {
	inside := make(map[output.Seq]character)
	for i := 0; i < len(m.bytes); {
		var text []byte
		for j := i; j < len(m.bytes) && m.bytes[j].stream == m.bytes[i].stream; j++ {
			text = append(text, m.bytes[j].value)
		}
		for _, c := range characters(text) {
			for j := c.start + 1; j < c.end; j++ {
				inside[output.Seq(i+j+1)] = character{i + c.start + 1, i + c.end + 1}
			}
		}
		i += len(text)
	}
	return inside
}

func (m *model) read(o output.ReadOptions) output.Page {
	limit := max(o.Max, 1)
	if o.TailLines > 0 {
		return m.tail(o, limit)
	}
	since := max(o.Since, 1)
	cursor := o.Since <= 0 && o.Streams == output.Both
	if cursor {
		since = m.cursor
	}
	clamped := since > m.latest()
	since = min(since, m.latest())

	rest := from(m.retained(o.Streams), since)
	n := min(limit, len(rest))
	next := since
	if n > 0 {
		next = rest[n-1] + 1
		if c, ok := m.joined()[next]; ok {
			n = len(below(rest, output.Seq(c.start)))
			if n == 0 {
				n = len(below(rest, output.Seq(c.end)))
			}
			next = rest[n-1] + 1
		}
	} else if all := m.positions(o.Streams); len(all) > 0 {
		next = max(since, all[len(all)-1]+1)
	}
	if cursor {
		m.cursor = next
	}
	p := m.page(o.Streams, since, next)
	p.Clamped = clamped
	p.Capped = n < len(rest)
	return p
}

func (m *model) tail(o output.ReadOptions, limit int) output.Page {
	kept := m.retained(o.Streams)
	since, begin, lines := output.Seq(1), 0, 0
	for i := len(kept) - 2; i >= 0; i-- {
		if m.bytes[kept[i]-1].value == '\n' {
			if lines++; lines == o.TailLines {
				since, begin = kept[i]+1, i+1
				break
			}
		}
	}
	capped := len(kept)-begin > limit
	if capped {
		begin = len(kept) - limit
		inside := m.joined()
		for begin < len(kept) && inside[kept[begin]].end > 0 {
			begin++
		}
		if begin == len(kept) {
			for begin--; inside[kept[begin]].end > 0; begin-- {
			}
		}
		since = kept[begin]
	}
	next := m.latest()
	if all := m.positions(o.Streams); len(all) > 0 {
		next = all[len(all)-1] + 1
	}
	p := m.page(o.Streams, since, next)
	p.Capped = capped
	return p
}

// page describes the retained bytes in [since, next).
func (m *model) page(sel output.Streams, since, next output.Seq) output.Page {
	p := output.Page{Start: next, Next: next, Latest: m.latest()}
	kept := below(from(m.retained(sel), since), next)
	if len(kept) > 0 {
		p.Start = kept[0]
	}
	for _, q := range kept {
		b := m.bytes[q-1]
		if b.stream == output.Stdout {
			p.Stdout = append(p.Stdout, b.value)
		} else {
			p.Stderr = append(p.Stderr, b.value)
		}
	}
	asked := below(from(m.positions(sel), since), next)
	p.EvictedBytes = int64(len(asked) - len(kept))
	p.Evicted = p.EvictedBytes > 0
	if sel != output.Both && p.Evicted && since > 1 && m.evictedFrom(other[sel], since) {
		p.EvictedBytes = 0 // not known any more
	}
	return p
}

// other is the other one of two narrowed selections.
var other = map[output.Streams]output.Streams{
	output.OnlyStdout: output.OnlyStderr,
	output.OnlyStderr: output.OnlyStdout,
}

// evictedFrom says whether a byte of the streams at or past since is evicted.
func (m *model) evictedFrom(sel output.Streams, since output.Seq) bool {
	return len(from(m.positions(sel), since)) > len(from(m.retained(sel), since))
}

// from returns the positions that are not less than since.
func from(ps []output.Seq, since output.Seq) []output.Seq {
	for len(ps) > 0 && ps[0] < since {
		ps = ps[1:]
	}
	return ps
}

// below returns the positions that are less than next.
func below(ps []output.Seq, next output.Seq) []output.Seq {
	for len(ps) > 0 && ps[len(ps)-1] >= next {
		ps = ps[:len(ps)-1]
	}
	return ps
}
