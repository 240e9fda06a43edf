package output_test

import (
	"math"
	"testing"

	"whelk/internal/output"
)

// interleaved writes three lines to each stream in turn: positions 1..18.
var interleaved = []step{stdout("o1\n"), stderr("e1\n"), stdout("o2\n"), stderr("e2\n"), stdout("o3\n"), stderr("e3\n")}

func TestTailReturnsTheNewestLinesInPositionOrder(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
		o     output.ReadOptions
		want  output.Page
	}{
		{
			"three lines of both", interleaved,
			output.ReadOptions{TailLines: 3, Max: big},
			output.Page{Stdout: text("o3\n"), Stderr: text("e2\ne3\n"), Start: 10, Next: 19, Latest: 19},
		},
		{
			"exactly as many as there are", interleaved,
			output.ReadOptions{TailLines: 6, Max: big},
			output.Page{Stdout: text("o1\no2\no3\n"), Stderr: text("e1\ne2\ne3\n"), Start: 1, Next: 19, Latest: 19},
		},
		{
			"more than there are", interleaved,
			output.ReadOptions{TailLines: 60, Max: big},
			output.Page{Stdout: text("o1\no2\no3\n"), Stderr: text("e1\ne2\ne3\n"), Start: 1, Next: 19, Latest: 19},
		},
		{
			"no limit", interleaved,
			output.ReadOptions{TailLines: 1, Max: math.MaxInt},
			output.Page{Stderr: text("e3\n"), Start: 16, Next: 19, Latest: 19},
		},
		{
			"two lines of stdout", interleaved,
			output.ReadOptions{TailLines: 2, Max: big, Streams: output.OnlyStdout},
			output.Page{Stdout: text("o2\no3\n"), Start: 7, Next: 16, Latest: 19},
		},
		{
			"two lines of stderr", interleaved,
			output.ReadOptions{TailLines: 2, Max: big, Streams: output.OnlyStderr},
			output.Page{Stderr: text("e2\ne3\n"), Start: 10, Next: 19, Latest: 19},
		},
		{
			"since plays no part", interleaved,
			output.ReadOptions{TailLines: 1, Since: 2, Max: big},
			output.Page{Stderr: text("e3\n"), Start: 16, Next: 19, Latest: 19},
		},
		{
			"last line without newline",
			[]step{stdout("a\nb\nc")},
			output.ReadOptions{TailLines: 2, Max: big},
			output.Page{Stdout: text("b\nc"), Start: 3, Next: 6, Latest: 6},
		},
		{
			"empty lines count",
			[]step{stdout("a\n\n\n")},
			output.ReadOptions{TailLines: 2, Max: big},
			output.Page{Stdout: text("\n\n"), Start: 3, Next: 5, Latest: 5},
		},
		{
			"only a newline",
			[]step{stdout("\n")},
			output.ReadOptions{TailLines: 1, Max: big},
			output.Page{Stdout: text("\n"), Start: 1, Next: 2, Latest: 2},
		},
		{
			"a line of both streams",
			[]step{stdout("x\na"), stderr("b"), stdout("c\n")},
			output.ReadOptions{TailLines: 1, Max: big},
			output.Page{Stdout: text("ac\n"), Stderr: text("b"), Start: 3, Next: 7, Latest: 7},
		},
		{
			"nothing written", nil,
			output.ReadOptions{TailLines: 1, Max: big},
			output.Page{Start: 1, Next: 1, Latest: 1},
		},
		{
			"nothing written to the stream",
			[]step{stdout("abc\n")},
			output.ReadOptions{TailLines: 1, Max: big, Streams: output.OnlyStderr},
			output.Page{Start: 5, Next: 5, Latest: 5},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			comparePage(t, tt.want, logOf(output.Options{}, tt.steps...).Read(tt.o))
		})
	}
}

func TestTailOverMaxKeepsTheNewestBytes(t *testing.T) { // Y10
	tests := []struct {
		name  string
		steps []step
		o     output.ReadOptions
		want  output.Page
	}{
		{
			"one long line (BO-22)",
			[]step{stdout(x(100_000) + "\n")},
			output.ReadOptions{TailLines: 1, Max: 1000},
			output.Page{Stdout: text(x(999) + "\n"), Start: 99_002, Next: 100_002, Latest: 100_002, Capped: true},
		},
		{
			"cut inside a line", interleaved,
			output.ReadOptions{TailLines: 3, Max: 7},
			output.Page{Stdout: text("o3\n"), Stderr: text("\ne3\n"), Start: 12, Next: 19, Latest: 19, Capped: true},
		},
		{
			"cut between lines", interleaved,
			output.ReadOptions{TailLines: 3, Max: 6},
			output.Page{Stdout: text("o3\n"), Stderr: text("e3\n"), Start: 13, Next: 19, Latest: 19, Capped: true},
		},
		{
			"exactly Max", interleaved,
			output.ReadOptions{TailLines: 2, Max: 6},
			output.Page{Stdout: text("o3\n"), Stderr: text("e3\n"), Start: 13, Next: 19, Latest: 19},
		},
		{
			"exactly Max and all there is", interleaved,
			output.ReadOptions{TailLines: 9, Max: 18},
			output.Page{Stdout: text("o1\no2\no3\n"), Stderr: text("e1\ne2\ne3\n"), Start: 1, Next: 19, Latest: 19},
		},
		{
			"one stream", interleaved,
			output.ReadOptions{TailLines: 2, Max: 4, Streams: output.OnlyStdout},
			output.Page{Stdout: text("\no3\n"), Start: 9, Next: 16, Latest: 19, Capped: true},
		},
		{
			"forward to the next character",
			[]step{stdout("a≤bc")},
			output.ReadOptions{TailLines: 1, Max: 4},
			output.Page{Stdout: text("bc"), Start: 5, Next: 7, Latest: 7, Capped: true},
		},
		{
			"forward to the next run",
			[]step{stdout("≤"), stderr("b")},
			output.ReadOptions{TailLines: 1, Max: 3},
			output.Page{Stderr: text("b"), Start: 4, Next: 5, Latest: 5, Capped: true},
		},
		{
			"one character over Max",
			[]step{stdout("a😀")},
			output.ReadOptions{TailLines: 1, Max: 2},
			output.Page{Stdout: text("😀"), Start: 2, Next: 6, Latest: 6, Capped: true},
		},
		{
			"Max of zero counts as 1",
			[]step{stdout("ab\n")},
			output.ReadOptions{TailLines: 1},
			output.Page{Stdout: text("\n"), Start: 3, Next: 4, Latest: 4, Capped: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			comparePage(t, tt.want, logOf(output.Options{}, tt.steps...).Read(tt.o))
		})
	}
}

func TestTailSaysWhenItsLinesReachIntoEvictedBytes(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
		o     output.ReadOptions
		want  output.Page
	}{
		{
			"lines retained",
			[]step{stdout("abcdef\ngh\nij\n")},
			output.ReadOptions{TailLines: 1, Max: big},
			output.Page{Stdout: text("ij\n"), Start: 11, Next: 14, Latest: 14},
		},
		{
			"line cut by eviction",
			[]step{stdout("abcdefghij\n")},
			output.ReadOptions{TailLines: 1, Max: big},
			output.Page{Stdout: text("defghij\n"), Start: 4, Next: 12, Latest: 12, Evicted: true, EvictedBytes: 3},
		},
		{
			"more lines than retained",
			[]step{stdout("abcdef\ngh\nij\n")},
			output.ReadOptions{TailLines: 9, Max: big},
			output.Page{Stdout: text("f\ngh\nij\n"), Start: 6, Next: 14, Latest: 14, Evicted: true, EvictedBytes: 5},
		},
		{
			"cut by Max",
			[]step{stdout("abcdefghij\n")},
			output.ReadOptions{TailLines: 1, Max: 3},
			output.Page{Stdout: text("ij\n"), Start: 9, Next: 12, Latest: 12, Capped: true},
		},
		{
			"gap of the other stream",
			[]step{stderr("a\nb\n"), stdout("cdefghijkl")},
			output.ReadOptions{TailLines: 2, Max: big},
			output.Page{Stdout: text("efghijkl"), Stderr: text("b\n"), Start: 3, Next: 15, Latest: 15, Evicted: true, EvictedBytes: 2},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			comparePage(t, tt.want, logOf(output.Options{Capacity: 8}, tt.steps...).Read(tt.o))
		})
	}
}

func TestReadingOnFromATailFollowsIt(t *testing.T) {
	l := logOf(output.Options{}, interleaved...)
	p := l.Read(output.ReadOptions{TailLines: 1, Max: big})
	stdout("o4\n")(l)
	comparePage(t, output.Page{Stdout: text("o4\n"), Start: 19, Next: 22, Latest: 22},
		l.Read(output.ReadOptions{Since: p.Next, Max: big}))
}
