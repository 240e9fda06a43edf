package output

import "sort"

// firstSegments is how many segments are allocated at first (128 bytes): a
// command that writes to one stream only needs one.
const firstSegments = 8

// segment says where a run begins: position and offset in the stream. It ends
// where the next segment of the stream begins, or with the stream.
type segment struct {
	seq Seq
	off int64
}

// segments is a queue of the segments of one stream, oldest first. Every
// segment has a byte of its own, so there are never more than retained bytes;
// the queue shrinks again after a time of many short runs. The zero value is an
// empty queue.
type segments struct {
	buf  []segment // a ring; its length is zero or a power of two
	head int       // index in buf of the oldest segment
	n    int       // how many segments there are
}

// at returns segment i, counted from the oldest.
func (s *segments) at(i int) *segment { return &s.buf[(s.head+i)&(len(s.buf)-1)] }

// push adds a segment that is newer than all others.
func (s *segments) push(g segment) {
	if s.n == len(s.buf) {
		s.resize(max(firstSegments, 2*s.n))
	}
	s.n++
	*s.at(s.n - 1) = g
}

// dropOldest removes the oldest segment.
func (s *segments) dropOldest() {
	s.head = (s.head + 1) & (len(s.buf) - 1)
	s.n--
	// A quarter, not half: a queue that grows and shrinks by a few segments must
	// not be copied each time.
	if s.n < len(s.buf)/4 && len(s.buf) > firstSegments {
		s.resize(len(s.buf) / 2)
	}
}

// resize moves the segments to a new ring of the given size.
func (s *segments) resize(size int) {
	buf := make([]segment, size)
	for i := range s.n {
		buf[i] = *s.at(i)
	}
	s.buf, s.head = buf, 0
}

// bySeq returns the index of the newest segment that begins at or before seq,
// or -1.
func (s *segments) bySeq(seq Seq) int {
	return sort.Search(s.n, func(i int) bool { return s.at(i).seq > seq }) - 1
}

// byOffset returns the index of the newest segment that begins at or before the
// offset off, or -1.
func (s *segments) byOffset(off int64) int {
	return sort.Search(s.n, func(i int) bool { return s.at(i).off > off }) - 1
}
