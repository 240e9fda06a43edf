package redact

// formatFilter replaces the keys of well-known formats in a stream.
type formatFilter struct {
	table *formatTable
	held  []byte // withheld: it begins with what may be a key
	last  byte   // before held
	inKey class  // not 0: what comes is part of a key as long as it is of this class
	count int64

	joined, out []byte
}

func (f *formatFilter) write(p []byte) []byte { return f.filter(p, false) }

// end returns what is withheld, and begins anew.
func (f *formatFilter) end() []byte {
	out := f.filter(nil, true)
	f.last, f.inKey = 0, 0
	return out
}

// filter returns what is decided with p. If p is final, everything is.
func (f *formatFilter) filter(p []byte, final bool) []byte {
	if len(f.held) > 0 {
		f.joined = append(append(f.joined[:0], f.held...), p...)
		p = f.joined
	}
	f.out = f.out[:0]
	i := 0
	if f.inKey != 0 {
		i = f.swallow(p, 0, f.inKey)
	}
	done := i // everything before is in out, or part of a key
	for i < len(p) {
		i = f.table.leap(p, i)
		found, v := f.at(p, i, final)
		if v == more {
			break
		}
		if v == no {
			i++
			continue
		}
		f.out = append(append(f.out, p[done:i]...), mark(found.name)...)
		f.count++
		i = f.swallow(p, i+len(found.parts[0].literal), found.parts[len(found.parts)-1].class)
		done = i
	}
	if i > 0 {
		f.last = p[i-1]
	}
	f.held = append(f.held[:0], p[i:]...)
	if done == 0 {
		return p[:i]
	}
	f.out = append(f.out, p[done:i]...)
	return f.out
}

// swallow returns where the key ends that goes on at i, and remembers it if
// that is not known yet.
func (f *formatFilter) swallow(p []byte, i int, c class) int {
	i += c.run(p[i:])
	f.inKey = 0
	if i == len(p) {
		f.inKey = c
	}
	return i
}

// at looks for a key that begins at position i.
func (f *formatFilter) at(p []byte, i int, final bool) (*format, verdict) {
	candidates := f.table.begins[p[i]]
	before := f.last
	if i > 0 {
		before = p[i-1]
	}
	for n := range candidates {
		c := &candidates[n]
		if c.word && classOf(before)&word != 0 {
			continue
		}
		if v := c.match(p[i:]); v == yes || v == more && !final {
			return c, v
		}
	}
	return nil, no
}
