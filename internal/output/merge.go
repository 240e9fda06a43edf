package output

// merge walks over the runs of some streams in the order of their positions.
// Runs of different streams never overlap, so their beginnings give the order.
type merge struct {
	streams []stream
	since   Seq              // next skips what lies below
	at      [streamCount]int // the segment between what prev and next return
}

// mergeFrom returns a merge whose next begins with the first retained byte at
// or past since.
func mergeFrom(streams []stream, since Seq) merge {
	m := merge{streams: streams, since: since}
	for k := range streams {
		m.at[k] = max(0, streams[k].segs.bySeq(since))
	}
	return m
}

// mergeBack returns a merge whose prev begins with the newest run.
func mergeBack(streams []stream) merge {
	m := merge{streams: streams}
	for k := range streams {
		m.at[k] = streams[k].segs.n
	}
	return m
}

// next returns the run that follows, or false at the end.
func (m *merge) next() (run, bool) {
	for {
		best := -1
		var first Seq
		for k := range m.streams {
			segs := &m.streams[k].segs
			if m.at[k] == segs.n {
				continue
			}
			if seq := segs.at(m.at[k]).seq; best < 0 || seq < first {
				best, first = k, seq
			}
		}
		if best < 0 {
			return run{}, false
		}
		r := m.streams[best].run(m.at[best])
		m.at[best]++
		if r.end() <= m.since {
			continue
		}
		if below := int64(m.since - r.seq); below > 0 {
			r.seq, r.off, r.n = r.seq+Seq(below), r.off+below, r.n-below
		}
		return r, true
	}
}

// prev returns the run before, or false at the beginning.
func (m *merge) prev() (run, bool) {
	best := -1
	var last Seq
	for k := range m.streams {
		if m.at[k] == 0 {
			continue
		}
		if seq := m.streams[k].segs.at(m.at[k] - 1).seq; best < 0 || seq > last {
			best, last = k, seq
		}
	}
	if best < 0 {
		return run{}, false
	}
	m.at[best]--
	return m.streams[best].run(m.at[best]), true
}
