package output_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"
	"testing"

	"whelk/internal/output"
)

// words is how many words of four bytes each writer writes.
const words = 20_000

// Two writers fill the streams while several readers share the cursor and
// others read out of band. Each byte must reach the sharing readers once.
func TestConcurrentCursorReadsReturnEachByteOnce(t *testing.T) {
	const readers = 4
	l := output.NewLog(output.Options{Capacity: 4 * words})
	writersDone := make(chan struct{})

	var writers sync.WaitGroup
	for _, s := range []output.Stream{output.Stdout, output.Stderr} {
		writers.Go(func() {
			for i := range uint32(words) {
				l.Append(s, binary.BigEndian.AppendUint32(nil, i))
			}
			l.CloseStream(s)
		})
	}

	pages := make([][]output.Page, readers)
	var all sync.WaitGroup
	for i := range pages {
		all.Go(func() { pages[i] = followCursor(l, 1000+i) })
	}
	all.Go(func() {
		for {
			l.Read(output.ReadOptions{TailLines: 2, Max: 100})
			l.Read(output.ReadOptions{Since: 1, Max: 100, Streams: output.OnlyStderr})
			l.Stats()
			select {
			case <-writersDone:
				return
			default:
			}
		}
	})
	writers.Wait()
	close(writersDone)
	all.Wait()

	joined := slices.Concat(pages...)
	slices.SortFunc(joined, func(a, b output.Page) int { return int(a.Next - b.Next) })
	var o, e []byte
	next := output.Seq(1)
	for _, p := range joined {
		if len(p.Stdout)+len(p.Stderr) == 0 {
			continue
		}
		if p.Start != next {
			t.Fatalf("a page starts at %d, want %d", p.Start, next)
		}
		next = p.Next
		o, e = append(o, p.Stdout...), append(e, p.Stderr...)
	}
	var want []byte
	for i := range uint32(words) {
		want = binary.BigEndian.AppendUint32(want, i)
	}
	if !bytes.Equal(o, want) || !bytes.Equal(e, want) {
		t.Errorf("joined pages have %d and %d bytes that are not the %d written", len(o), len(e), len(want))
	}
}

// followCursor reads from the cursor until it has seen the end of all words,
// waiting for a change whenever it has caught up.
func followCursor(l *output.Log, limit int) []output.Page {
	const end = 1 + 2*4*words
	var pages []output.Page
	for {
		changed := l.Changed()
		p := l.Read(output.ReadOptions{Max: limit})
		pages = append(pages, p)
		switch {
		case p.Next == end:
			return pages
		case p.Next == p.Latest:
			<-changed
		}
	}
}
