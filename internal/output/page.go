package output

// ReadOptions say what a read returns. Max must be set; the zero values of the
// rest ask for what follows the cursor, of both streams.
type ReadOptions struct {
	// Since is the position to read from, normally the Next of an earlier page
	// of the same Streams. Zero or less means the log's cursor, which the read
	// then moves to the page's Next; with narrowed Streams it means 1 and leaves
	// the cursor alone.
	Since Seq
	// Max is the most bytes that the page may have, over both streams. Less
	// than 1 counts as 1.
	Max int
	// Streams are the streams to read.
	Streams Streams
	// TailLines, if more than zero, asks for the newest lines instead: Since
	// and the cursor play no part.
	TailLines int
}

// Page is one bounded piece of a log. Its bytes are the caller's to keep.
type Page struct {
	Stdout, Stderr []byte // nil where there is nothing

	Start  Seq // position of the first byte of the page; Next if it is empty
	Next   Seq // where to read on: just past the last byte of the page
	Latest Seq // just past the newest byte of the log, whatever was selected

	// Capped says that Max kept back retained bytes of the selected streams:
	// those from Next on or, in a tail, older bytes of the lines asked for.
	Capped bool
	// Evicted says that bytes that were asked for are gone for good. Asked for
	// are the bytes of the selected streams from Since, or the cursor, up to
	// Next. A tail asks for its lines, or for all there ever was if the newline
	// before them is not retained; a tail that Max cuts asks for what it shows.
	Evicted bool
	// EvictedBytes is how many bytes Evicted is about. Zero with Evicted set
	// means that the number is not known any more: that happens only with
	// narrowed streams, where both streams evicted bytes past Since.
	EvictedBytes int64
	// Clamped says that Since was past Latest and that Latest was used instead,
	// so that no later output is skipped.
	Clamped bool
}

// Read returns one page. Reading on from each page's Next, with the same
// Streams, returns every retained byte once, in order; so do reads from the
// cursor, and also when several goroutines share it. Next is past Since whenever
// there is anything to return: a character longer than Max is returned whole.
func (l *Log) Read(o ReadOptions) Page {
	limit := int64(max(o.Max, 1))
	l.mu.Lock()
	defer l.mu.Unlock()
	streams := l.selected(o.Streams)
	if o.TailLines > 0 {
		return l.tail(streams, o.TailLines, limit)
	}

	since := max(o.Since, 1)
	fromCursor := o.Since <= 0 && len(streams) == streamCount
	if fromCursor {
		since = l.cursor
	}
	clamped := since > l.latest
	since = min(since, l.latest)

	next := pageEnd(streams, since, limit)
	if fromCursor {
		l.cursor = next
	}
	p := l.page(streams, since, next)
	p.Clamped = clamped
	for k := range streams {
		p.Capped = p.Capped || streams[k].offsetAt(next) < streams[k].ring.end
	}
	return p
}

// pageEnd returns the position just past the last byte of the page that begins
// at since and has at most limit bytes.
func pageEnd(streams []stream, since Seq, limit int64) Seq {
	next, left := since, limit
	m := mergeFrom(streams, since)
	for left > 0 {
		r, ok := m.next()
		if !ok {
			break
		}
		if r.n <= left {
			next, left = r.end(), left-r.n
			continue
		}
		start, end := r.from.charAround(r.off + left)
		switch {
		case start > r.off:
			return r.seq + Seq(start-r.off)
		case left == limit: // the first character alone is over the limit
			return r.seq + Seq(end-r.off)
		}
		return next
	}
	if left == limit { // nothing is retained; a discarded log has more behind it
		return max(next, newestEnd(streams))
	}
	return next
}

// page copies the retained bytes of the streams in [since, next) and describes
// them.
func (l *Log) page(streams []stream, since, next Seq) Page {
	p := Page{Start: next, Next: next, Latest: l.latest}
	m := mergeFrom(streams, since)
	if r, ok := m.next(); ok {
		p.Start = min(p.Start, r.seq)
	}
	var got int64
	for k := range streams {
		s := &streams[k]
		lo, hi := s.offsetAt(since), s.offsetAt(next)
		got += hi - lo
		if s == &l.streams[Stdout] {
			p.Stdout = s.ring.copyOf(lo, hi)
		} else {
			p.Stderr = s.ring.copyOf(lo, hi)
		}
	}
	p.Evicted, p.EvictedBytes = l.evicted(streams, since, next, got)
	return p
}

// evicted says whether bytes of the streams in [since, next) are evicted, and
// how many if that is known, given how many are retained.
func (l *Log) evicted(streams []stream, since, next Seq, retained int64) (bool, int64) {
	if len(streams) == streamCount { // every position belongs to one of them
		n := int64(next-since) - retained
		return n > 0, n
	}
	s, other := &streams[0], &l.streams[Stdout]
	if s == other {
		other = &l.streams[Stderr]
	}
	if s.evictedEnd <= since {
		return false, 0
	}
	// The runs of evicted bytes are forgotten, but below since whatever is not
	// the other stream's is this one's.
	var below int64
	if since > 1 {
		if other.evictedEnd > since {
			return true, 0
		}
		below = int64(since-1) - other.offsetAt(since)
	}
	return true, s.offsetAt(next) - below - retained
}

// newestEnd returns the position just past the newest byte of the streams, or 0
// if they have none.
func newestEnd(streams []stream) Seq {
	var end Seq
	for k := range streams {
		end = max(end, streams[k].next)
	}
	return end
}
