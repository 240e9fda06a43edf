package redact

// valueFilter replaces the values in a stream. Positions are counted from the
// beginning of the piece that is being written, so those of withheld bytes are
// negative.
type valueFilter struct {
	search *automaton
	at     int32  // what the withheld bytes are the beginning of
	held   []byte // the withheld bytes: as many as the depth of at
	spans  []span // secrets found among them, in order, none overlapping
	count  int64

	piece []byte // that is being written
	done  int    // everything before it is in out, or part of spans[0]
	out   []byte
}

// span is a stretch of bytes to replace. Its beginning may have been dropped.
type span struct {
	start, end int
	longest    int32 // of the patterns in it
}

func newValueFilter(a *automaton) *valueFilter { return &valueFilter{search: a} }

func (f *valueFilter) write(p []byte) []byte {
	a, at := f.search, f.at
	f.piece, f.done, f.out = p, -len(f.held), f.out[:0]
	from := f.done // where the beginning that is followed begins at the earliest
	for i := 0; i < len(p); {
		if at == 0 {
			if i = a.leap(p, i); i == len(p) {
				break
			}
			from = i
		}
		at = a.step(at, p[i])
		i++
		n := &a.nodes[at]
		switch {
		case n.match != noMatch:
			f.found(i-a.patterns[n.match].size, i, n.match)
			f.settle(i - int(n.depth))
		case n.depth == 1 && i-1 > from:
			// So little is not worth following: leap. Each byte is looked at
			// twice at most, since from grows.
			at, i = 0, i-1
		}
	}
	f.at = at
	return f.decided(len(p) - int(a.nodes[at].depth))
}

// end returns what is withheld, and begins anew.
func (f *valueFilter) end() []byte {
	f.piece, f.done, f.out = nil, -len(f.held), f.out[:0]
	f.at = 0
	return f.decided(0)
}

// found enters an occurrence. Together with those that it overlaps it is one
// secret, so that no part of any of them is shown.
func (f *valueFilter) found(start, end int, pattern int32) {
	for n := len(f.spans); n > 0 && f.spans[n-1].end > start; n-- {
		last := f.spans[n-1]
		start = min(start, last.start)
		if f.search.patterns[last.longest].size >= f.search.patterns[pattern].size {
			pattern = last.longest
		}
		f.spans = f.spans[:n-1]
	}
	f.spans = append(f.spans, span{start, end, pattern})
}

// settle replaces the secrets that nothing can overlap any more: no later
// occurrence begins before the position.
func (f *valueFilter) settle(before int) {
	n := 0
	for n < len(f.spans) && f.spans[n].end <= before {
		s := f.spans[n]
		f.emit(s.start)
		f.out = append(f.out, f.search.patterns[s.longest].mark...)
		f.done = s.end
		f.count++
		n++
	}
	f.spans = append(f.spans[:0], f.spans[n:]...)
}

// emit puts the bytes from done on into out.
func (f *valueFilter) emit(to int) {
	if f.done < 0 && f.done < to {
		held := f.held[len(f.held)+f.done : len(f.held)+min(to, 0)]
		f.out = append(f.out, held...)
		f.done = min(to, 0)
	}
	if f.done < to {
		f.out = append(f.out, f.piece[f.done:to]...)
		f.done = to
	}
}

// decided returns everything before a position and withholds the rest.
func (f *valueFilter) decided(before int) []byte {
	f.settle(before)
	var out []byte
	switch {
	case len(f.held) == 0 && f.done == 0 && len(f.spans) == 0:
		out = f.piece[:before] // nothing was found: nothing is copied
	case len(f.spans) > 0 && f.spans[0].start < before:
		f.emit(f.spans[0].start)
		f.spans[0].start = before // the secret may still grow, its bytes go
		out = f.out
	default:
		f.emit(before)
		out = f.out
	}
	if before < 0 {
		f.held = append(f.held[len(f.held)+before:], f.piece...)
	} else {
		f.held = append(f.held[:0], f.piece[before:]...)
	}
	for i := range f.spans {
		f.spans[i].start -= len(f.piece)
		f.spans[i].end -= len(f.piece)
	}
	f.piece = nil
	return out
}
