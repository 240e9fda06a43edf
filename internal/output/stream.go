package output

// stream is one of the two streams of a log: the retained bytes, where they
// stand in the log, and the bytes that are not committed yet. The log's mutex
// guards it.
type stream struct {
	ring       ring
	segs       segments // the runs of exactly the bytes in the ring
	next       Seq      // just past the newest committed byte; 0 if there is none
	evictedEnd Seq      // just past the newest evicted byte; 0 if there is none

	held   [maxIncomplete]byte // the beginning of a character, not committed
	nheld  int                 // how many bytes of held count
	closed bool                // nothing is held back any more

	first    []byte // the beginning of the stream, kept besides
	headRoom int    // how many bytes first may still grow by
}

// run is bytes of one stream with consecutive positions: n bytes from offset
// off, of which the first is at position seq.
type run struct {
	from *stream
	seq  Seq
	off  int64
	n    int64
}

// end returns the position just past the run.
func (r run) end() Seq { return r.seq + Seq(r.n) }

// run returns the bytes of segment i.
func (s *stream) run(i int) run {
	g, end := s.segs.at(i), s.ring.end
	if i+1 < s.segs.n {
		end = s.segs.at(i + 1).off
	}
	return run{from: s, seq: g.seq, off: g.off, n: end - g.off}
}

// write takes over p, of which the first byte to be committed gets position at,
// and returns the position just past the last one committed. An unfinished
// character at the end waits for its rest, so that a page between two writes
// never shows half of it (BO-24).
func (s *stream) write(at Seq, p []byte) Seq {
	if s.closed {
		return s.commit(at, p)
	}
	// From three bytes on, p alone tells how it ends; fewer may continue what
	// is held.
	var joined [2 * maxIncomplete]byte
	if s.nheld > 0 && len(p) < maxIncomplete {
		n := copy(joined[:], s.held[:s.nheld])
		n += copy(joined[n:], p)
		p, s.nheld = joined[:n], 0
	}
	keep := len(p) - incompleteTail(p)
	at = s.commit(at, s.held[:s.nheld])
	at = s.commit(at, p[:keep])
	s.nheld = copy(s.held[:], p[keep:])
	return at
}

// close commits what is held back, from position at on, and returns the
// position just past it.
func (s *stream) close(at Seq) Seq {
	at = s.commit(at, s.held[:s.nheld])
	s.nheld, s.closed = 0, true
	return at
}

// commit gives p the positions from at on, evicts what no longer fits, and
// returns the position just past p.
func (s *stream) commit(at Seq, p []byte) Seq {
	if len(p) == 0 {
		return at
	}
	if s.headRoom > 0 {
		n := min(s.headRoom, len(p))
		s.first = append(s.first, p[:n]...)
		s.headRoom -= n
	}
	past := at + Seq(len(p))
	if cut := s.ring.end + int64(len(p)-s.ring.capacity); cut > s.ring.head {
		cut = s.edge(cut, p)
		skip := cut - s.ring.end
		s.evict(cut)
		if skip > 0 { // the beginning of p never gets in
			at, p = at+Seq(skip), p[skip:]
			s.evictedEnd = at
		}
	}
	if len(p) > 0 {
		if s.segs.n == 0 || s.next != at {
			s.segs.push(segment{seq: at, off: s.ring.end})
		}
		s.ring.append(p)
	}
	s.next = past
	return past
}

// edge moves a cut of the stream, extended by p, past the character that it
// would part. Every character that the cut can fall into is complete, because
// at least minCapacity bytes follow the cut (or none, in a discarded log).
func (s *stream) edge(cut int64, p []byte) int64 {
	var around [2 * maxIncomplete]byte
	lo := max(s.ring.head, cut-maxIncomplete)
	hi := min(cut+maxIncomplete, s.ring.end+int64(len(p)))
	for off := lo; off < hi; off++ {
		if off < s.ring.end {
			around[off-lo] = s.ring.at(off)
		} else {
			around[off-lo] = p[off-s.ring.end]
		}
	}
	_, end := charAround(around[:hi-lo], int(cut-lo))
	return lo + int64(end)
}

// evict drops all bytes below the offset to.
func (s *stream) evict(to int64) {
	for s.segs.n > 0 {
		r := s.run(0)
		if gone := to - r.off; gone < r.n {
			if gone > 0 {
				*s.segs.at(0) = segment{seq: r.seq + Seq(gone), off: to}
				s.evictedEnd = r.seq + Seq(gone)
			}
			break
		}
		s.evictedEnd = r.end()
		s.segs.dropOldest()
	}
	s.ring.drop(to)
}

// discard evicts everything and lets nothing in again.
func (s *stream) discard() {
	s.evict(s.ring.end)
	s.ring.buf, s.ring.capacity, s.segs = nil, 0, segments{}
	s.first, s.headRoom = nil, 0
}

// offsetAt returns the offset of the first retained byte at or past seq, or the
// end of the stream.
func (s *stream) offsetAt(seq Seq) int64 {
	i := s.segs.bySeq(seq)
	if i < 0 {
		return s.ring.head
	}
	r := s.run(i)
	return r.off + min(int64(seq-r.seq), r.n)
}

// charAround returns the offsets where the character begins and ends that the
// offset off falls into; both are off if it parts none. Bytes whose positions
// are not consecutive are no character: only a late writer makes such.
func (s *stream) charAround(off int64) (start, end int64) {
	r := s.run(s.segs.byOffset(off))
	lo, hi := max(r.off, off-maxIncomplete), min(off+maxIncomplete, r.off+r.n)
	var around [2 * maxIncomplete]byte
	for o := lo; o < hi; o++ {
		around[o-lo] = s.ring.at(o)
	}
	i, j := charAround(around[:hi-lo], int(off-lo))
	return lo + int64(i), lo + int64(j)
}
