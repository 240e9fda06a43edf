package output_test

import (
	"fmt"
	"strings"
	"testing"

	"whelk/internal/output"
)

func TestFloodOfOneStreamNeverEvictsTheOther(t *testing.T) {
	l := logOf(output.Options{}, stdout("first\n"))
	for range 31 { // 2 MB (BO-21)
		l.Append(output.Stderr, []byte(x(64<<10)))
	}
	stdout("out\n")(l)
	p := l.Read(output.ReadOptions{Streams: output.OnlyStdout, Max: big})
	if string(p.Stdout) != "first\nout\n" || p.Evicted {
		t.Errorf("stdout %q, evicted %v; want both lines and no eviction", p.Stdout, p.Evicted)
	}
	if got := l.Stats().Stderr; got != 31*64<<10 {
		t.Errorf("stderr counts %d bytes, want %d", got, 31*64<<10)
	}
}

func TestStreamRetainsItsNewestCapacityBytes(t *testing.T) {
	const capacity, total = 5000, 40_000
	var all strings.Builder
	for i := 0; all.Len() < total; i++ {
		fmt.Fprintf(&all, "%d ", i)
	}
	whole := all.String()[:total]
	for _, chunk := range []int{1, 7, 4095, 4096, 4999, 5000, 5001, total} {
		t.Run(fmt.Sprint(chunk), func(t *testing.T) {
			l := output.NewLog(output.Options{Capacity: capacity})
			for rest := whole; rest != ""; {
				n := min(chunk, len(rest))
				l.Append(output.Stdout, []byte(rest[:n]))
				rest = rest[n:]
			}
			p := l.Read(output.ReadOptions{Since: 1, Max: big})
			if string(p.Stdout) != whole[total-capacity:] {
				t.Errorf("retained %d bytes that are not the newest %d", len(p.Stdout), capacity)
			}
			if p.Start != total-capacity+1 || p.Next != total+1 || !p.Evicted || p.EvictedBytes != total-capacity {
				t.Errorf("start %d, next %d, evicted %v (%d)", p.Start, p.Next, p.Evicted, p.EvictedBytes)
			}
		})
	}
}

func TestDefaultCapacityIs256KiBOfEachStream(t *testing.T) {
	for _, capacity := range []int{0, -1} {
		l := logOf(output.Options{Capacity: capacity}, stdout(x(300_000)), stderr(x(300_000)))
		p := l.Read(output.ReadOptions{Since: 1, Max: big})
		if len(p.Stdout) != 256<<10 || len(p.Stderr) != 256<<10 {
			t.Errorf("capacity %d: retained %d and %d bytes, want %d of each", capacity, len(p.Stdout), len(p.Stderr), 256<<10)
		}
	}
}

func TestEvictionNeverLeavesHalfACharacter(t *testing.T) {
	tests := []struct {
		name     string
		capacity int
		steps    []step
		want     string
	}{
		{"cut before a character", 8, []step{stdout("a≤bcdef")}, "≤bcdef"},
		{"cut after its first byte", 8, []step{stdout("a≤bcdefg")}, "bcdefg"},
		{"cut after its second byte", 8, []step{stdout("a≤bcdefgh")}, "bcdefgh"},
		{"cut after a character", 8, []step{stdout("a≤bcdefghi")}, "bcdefghi"},
		{"cut inside four bytes", 8, []step{stdout("😀abcdefg")}, "abcdefg"},
		{"cut by a later write", 8, []step{stdout("a≤bcd"), stdout("efg")}, "bcdefg"},
		{"cut in a character of two writes", 8, []step{stdout("a\342"), stdout("\211\244bcdefg")}, "bcdefg"},
		{"cut inside one large write", 8, []step{stdout("abc"), stdout("xxxxx≤bcdefg")}, "bcdefg"},
		{"less room than a character", 1, []step{stdout("a😀b")}, "b"},
		{"room for one character", 4, []step{stdout("a😀")}, "😀"},
		{"lone continuation bytes stay", 8, []step{stdout("a\200\200\200\200\200\200\200\200")}, "\200\200\200\200\200\200\200\200"},
		{"more continuations than the character has", 8, []step{stdout("\342\211\244\200\200\200\200\200\200\200")}, "\200\200\200\200\200\200\200"},
		{"overlong form is no character", 8, []step{stdout("\340\200\200bcdefg")}, "\200\200bcdefg"},
		{"surrogate is no character", 8, []step{stdout("\355\240\200bcdefg")}, "\240\200bcdefg"},
		{"unfinished character is no character", 8, []step{stdout("\342\211bcdefgh")}, "\211bcdefgh"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := logOf(output.Options{Capacity: tt.capacity}, tt.steps...)
			p := l.Read(output.ReadOptions{Since: 1, Max: big})
			if string(p.Stdout) != tt.want {
				t.Errorf("retained %q, want %q", p.Stdout, tt.want)
			}
			if want := p.Latest - output.Seq(len(tt.want)); p.Start != want {
				t.Errorf("start %d, want %d", p.Start, want)
			}
		})
	}
}

func TestRetentionHoldsThroughChangingLengthsOfRuns(t *testing.T) {
	// The queue of segments grows with short runs and shrinks with long ones,
	// from any place in its ring.
	l, m := output.NewLog(output.Options{Capacity: 100}), &model{capacity: 100, cursor: 1}
	letter := 0
	for _, run := range []struct{ size, count int }{{1, 30}, {9, 11}, {1, 70}, {60, 3}, {2, 45}, {25, 10}, {1, 130}} {
		for range run.count {
			for s := range output.Stream(2) {
				p := make([]byte, run.size)
				for i := range p {
					p[i], letter = 'a'+byte(letter%26), letter+1
				}
				l.Append(s, p)
				m.append(s, p)
			}
			for _, o := range []output.ReadOptions{
				{Since: 1, Max: big},
				{Since: 1, Max: 10, Streams: output.OnlyStderr},
				{Since: m.latest() - 20, Max: 10},
			} {
				comparePage(t, m.read(o), l.Read(o))
			}
		}
	}
}
