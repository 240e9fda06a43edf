package output

import (
	"testing"
	"unsafe"
)

// footprint returns the bytes of memory that a stream of the log holds.
func (l *Log) footprint(s Stream) int {
	st := &l.streams[s]
	return cap(st.ring.buf) + cap(st.segs.buf)*int(unsafe.Sizeof(segment{}))
}

func TestMemoryGrowsWithTheOutputUpToTheCapacity(t *testing.T) {
	tests := []struct {
		name string
		size int
		want int
	}{
		{"nothing", 0, 0},
		{"one byte", 1, 4 << 10},
		{"4 KiB", 4 << 10, 4 << 10},
		{"just over", 4<<10 + 1, 8 << 10},
		{"half", 128 << 10, 128 << 10},
		{"all", 256 << 10, 256 << 10},
		{"more in one write", 10 << 20, 256 << 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := NewLog(Options{})
			l.Append(Stdout, make([]byte, tt.size))
			if got := cap(l.streams[Stdout].ring.buf); got != tt.want {
				t.Errorf("the ring holds %d bytes of memory, want %d", got, tt.want)
			}
			if got := l.footprint(Stdout); got > tt.want+firstSegments*16 {
				t.Errorf("the stream holds %d bytes of memory, want the ring and few segments", got)
			}
			if got := l.footprint(Stderr); got != 0 {
				t.Errorf("the silent stream holds %d bytes of memory, want none", got)
			}
		})
	}
}

func TestMemoryNeverExceedsAnOddCapacity(t *testing.T) {
	l := NewLog(Options{Capacity: 5000})
	for range 100 {
		l.Append(Stdout, make([]byte, 333))
	}
	if got := cap(l.streams[Stdout].ring.buf); got != 5000 {
		t.Errorf("the ring holds %d bytes of memory, want 5000", got)
	}
}

func TestAlternatingBytesStayBounded(t *testing.T) {
	const capacity = 16 << 10
	l := NewLog(Options{Capacity: capacity})
	for range 10 * capacity {
		l.Append(Stdout, []byte("o"))
		l.Append(Stderr, []byte("e"))
	}
	// One segment a byte is the worst there is.
	const bound = capacity * (1 + int(unsafe.Sizeof(segment{})))
	for _, s := range []Stream{Stdout, Stderr} {
		if got := l.footprint(s); got > bound {
			t.Errorf("%v holds %d bytes of memory, want at most %d", s, got, bound)
		}
	}
	for range 10 {
		l.Append(Stdout, make([]byte, capacity/2))
	}
	if got := l.footprint(Stdout); got > capacity+firstSegments*16 {
		t.Errorf("after long writes stdout holds %d bytes of memory, want the segments freed", got)
	}
}

func TestNeighboursAreOneSegment(t *testing.T) {
	l := NewLog(Options{})
	for range 1000 {
		l.Append(Stdout, []byte("line\n"))
	}
	if got := l.streams[Stdout].segs.n; got != 1 {
		t.Errorf("%d segments, want 1", got)
	}
}

func TestDiscardFreesTheMemory(t *testing.T) {
	l := NewLog(Options{})
	l.Append(Stdout, make([]byte, 1<<20))
	l.Append(Stderr, []byte("e"))
	l.Discard()
	l.Append(Stdout, make([]byte, 1<<20))
	l.Append(Stderr, []byte("e"))
	if got := l.footprint(Stdout) + l.footprint(Stderr); got != 0 {
		t.Errorf("a discarded log holds %d bytes of memory, want none", got)
	}
}

func TestAppendAllocatesNothingOnceTheRingIsFull(t *testing.T) {
	tests := []struct {
		name string
		size int
	}{
		{"lines", 83},
		{"64 KiB", 64 << 10},
		{"more than the capacity", 300 << 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, p := NewLog(Options{}), make([]byte, tt.size)
			for l.streams[Stderr].ring.head == 0 {
				l.Append(Stdout, p)
				l.Append(Stderr, p)
			}
			n := testing.AllocsPerRun(1000, func() {
				l.Append(Stdout, p)
				l.Append(Stderr, p)
			})
			if n != 0 {
				t.Errorf("%v allocations for two appends, want none", n)
			}
		})
	}
}

func TestReadAllocatesItsPageOnly(t *testing.T) {
	l := NewLog(Options{})
	for range 2000 {
		l.Append(Stdout, []byte("a line of output\n"))
		l.Append(Stderr, []byte("a line of errors\n"))
	}
	for name, o := range map[string]ReadOptions{
		"since": {Since: 100, Max: 20_000},
		"tail":  {TailLines: 100, Max: 20_000},
	} {
		if n := testing.AllocsPerRun(100, func() { l.Read(o) }); n > 2 {
			t.Errorf("%s: %v allocations, want one for each stream", name, n)
		}
	}
}
