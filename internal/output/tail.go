package output

// tail returns the newest lines of the streams as one page of at most limit
// bytes. Lines are counted over the streams in the order of positions, as a
// terminal would show them; a last line without newline counts.
func (l *Log) tail(streams []stream, lines int, limit int64) Page {
	next := newestEnd(streams)
	if next == 0 {
		next = l.latest
	}
	capped := false
	since, found := tailStart(streams, lines, limit)
	if !found {
		since, capped = cutTail(streams, limit)
	}
	p := l.page(streams, since, next)
	p.Capped = capped
	return p
}

// tailStart returns the position where the newest lines begin, if the newline
// before them is retained and they have at most limit bytes. It looks at nothing
// older than that newline, but for the rest of a scanBlock.
func tailStart(streams []stream, lines int, limit int64) (Seq, bool) {
	left := limit    // the lines; one byte more may be the newline before them
	last := int64(1) // the newest byte ends the last line or belongs to it
	for m := mergeBack(streams); left >= 0; {
		r, ok := m.prev()
		if !ok {
			break
		}
		lo, hi := r.off+max(0, r.n-1-left), r.off+r.n-last
		off, n := r.from.ring.lastIndexN('\n', lines, lo, hi)
		if n == lines {
			return r.seq + Seq(off+1-r.off), true
		}
		lines -= n
		left, last = left-r.n, 0
	}
	return 0, false
}

// cutTail returns where the newest limit bytes of the streams begin, moved
// forward so that no character is parted unless it is the only one, and whether
// older bytes are retained. If not, the tail asks for all from position 1 on.
func cutTail(streams []stream, limit int64) (since Seq, capped bool) {
	left := limit
	m := mergeBack(streams)
	for {
		r, ok := m.prev()
		if !ok {
			return 1, false
		}
		if r.n <= left {
			since, left = r.seq, left-r.n
			continue
		}
		start, end := r.from.charAround(r.off + r.n - left)
		switch {
		case end < r.off+r.n:
			return r.seq + Seq(end-r.off), true
		case left == limit: // the newest character alone is over the limit
			return r.seq + Seq(start-r.off), true
		}
		return since, true
	}
}
