package output

import "bytes"

// firstRingSize is the size of a ring in bytes at its first append: enough for
// the whole output of most commands, and next to nothing beside 256 KiB.
const firstRingSize = 4 << 10

// scanBlock is how many bytes are searched at a time for the newlines of a tail.
// Counting in a block is many times faster than looking at each byte from the
// end, which is then needed in one block only; so a block is small.
const scanBlock = 512

// ring holds the newest bytes of one stream. A byte is named by its offset in
// the stream, counted from 0 at the first byte ever committed; the byte at
// offset o lies at buf[o % len(buf)]. The zero value is empty and holds nothing
// until capacity is set.
type ring struct {
	buf       []byte
	head, end int64 // the offsets retained are [head, end)
	capacity  int   // the most that buf may grow to, in bytes
}

// append adds p. The caller has dropped enough for p to fit into the capacity.
func (r *ring) append(p []byte) {
	r.grow(int(r.end-r.head) + len(p))
	n := copy(r.buf[r.index(r.end):], p)
	copy(r.buf, p[n:])
	r.end += int64(len(p))
}

// drop evicts all bytes below the offset to. If that is past the end, the bytes
// between the end and it count as written and evicted.
func (r *ring) drop(to int64) {
	r.head, r.end = to, max(r.end, to)
}

// grow makes room for need bytes in all, by doubling.
func (r *ring) grow(need int) {
	if need <= len(r.buf) {
		return
	}
	size := max(len(r.buf), firstRingSize)
	for size < need {
		size *= 2
	}
	a, b := r.spans(r.head, r.end)
	r.buf = make([]byte, min(size, r.capacity))
	r.end = r.head
	r.append(a)
	r.append(b)
}

// spans returns the retained bytes [lo, hi) as two pieces of the buffer, in
// order; either may be empty. They are valid until the next append.
func (r *ring) spans(lo, hi int64) (a, b []byte) {
	if lo == hi {
		return nil, nil
	}
	i, n := r.index(lo), int(hi-lo)
	if over := i + n - len(r.buf); over > 0 {
		return r.buf[i:], r.buf[:over]
	}
	return r.buf[i : i+n], nil
}

// copyOf returns a copy of the retained bytes [lo, hi), nil if there are none.
func (r *ring) copyOf(lo, hi int64) []byte {
	a, b := r.spans(lo, hi)
	if len(b) == 0 {
		return bytes.Clone(a)
	}
	return append(append(make([]byte, 0, hi-lo), a...), b...)
}

// lastIndexN returns the offset of the nth c, counted from the newest, in the
// retained bytes [lo, hi), and n; or, if there are fewer, how many there are.
func (r *ring) lastIndexN(c byte, n int, lo, hi int64) (off int64, found int) {
	for hi > lo {
		block := max(lo, hi-scanBlock)
		a, b := r.spans(block, hi)
		count := bytes.Count(a, []byte{c}) + bytes.Count(b, []byte{c})
		if found+count < n {
			found, hi = found+count, block
			continue
		}
		for hi--; ; hi-- {
			if r.at(hi) != c {
				continue
			}
			if found++; found == n {
				return hi, n
			}
		}
	}
	return 0, found
}

// at returns the retained byte at offset off.
func (r *ring) at(off int64) byte { return r.buf[r.index(off)] }

// index returns where the byte at offset off lies in the buffer.
func (r *ring) index(off int64) int { return int(off % int64(len(r.buf))) }
