package output_test

import (
	"testing"

	"whelk/internal/output"
)

func TestReadReturnsBytesInPositionOrderUpToMax(t *testing.T) {
	steps := []step{stdout("ab"), stderr("CD"), stdout("ef"), stderr("GH")} // positions 1..8
	tests := []struct {
		name string
		o    output.ReadOptions
		want output.Page
	}{
		{
			"all",
			output.ReadOptions{Since: 1, Max: 8},
			output.Page{Stdout: text("abef"), Stderr: text("CDGH"), Start: 1, Next: 9, Latest: 9},
		},
		{
			"one budget for both streams",
			output.ReadOptions{Since: 1, Max: 5},
			output.Page{Stdout: text("abe"), Stderr: text("CD"), Start: 1, Next: 6, Latest: 9, Capped: true},
		},
		{
			"capped at the end of a run",
			output.ReadOptions{Since: 1, Max: 2},
			output.Page{Stdout: text("ab"), Start: 1, Next: 3, Latest: 9, Capped: true},
		},
		{
			"from inside a run",
			output.ReadOptions{Since: 4, Max: 8},
			output.Page{Stdout: text("ef"), Stderr: text("DGH"), Start: 4, Next: 9, Latest: 9},
		},
		{
			"the last byte",
			output.ReadOptions{Since: 8, Max: 8},
			output.Page{Stderr: text("H"), Start: 8, Next: 9, Latest: 9},
		},
		{
			"caught up",
			output.ReadOptions{Since: 9, Max: 8},
			output.Page{Start: 9, Next: 9, Latest: 9},
		},
		{
			"past the end (Y9)",
			output.ReadOptions{Since: 10, Max: 8},
			output.Page{Start: 9, Next: 9, Latest: 9, Clamped: true},
		},
		{
			"Max of zero counts as 1",
			output.ReadOptions{Since: 1},
			output.Page{Stdout: text("a"), Start: 1, Next: 2, Latest: 9, Capped: true},
		},
		{
			"negative Max counts as 1",
			output.ReadOptions{Since: 1, Max: -5},
			output.Page{Stdout: text("a"), Start: 1, Next: 2, Latest: 9, Capped: true},
		},
		{
			"stdout",
			output.ReadOptions{Since: 1, Max: 8, Streams: output.OnlyStdout},
			output.Page{Stdout: text("abef"), Start: 1, Next: 7, Latest: 9},
		},
		{
			"stdout capped before a gap",
			output.ReadOptions{Since: 1, Max: 2, Streams: output.OnlyStdout},
			output.Page{Stdout: text("ab"), Start: 1, Next: 3, Latest: 9, Capped: true},
		},
		{
			"stdout capped after a gap",
			output.ReadOptions{Since: 3, Max: 1, Streams: output.OnlyStdout},
			output.Page{Stdout: text("e"), Start: 5, Next: 6, Latest: 9, Capped: true},
		},
		{
			"stdout with nothing left",
			output.ReadOptions{Since: 7, Max: 8, Streams: output.OnlyStdout},
			output.Page{Start: 7, Next: 7, Latest: 9},
		},
		{
			"stderr without since is from 1",
			output.ReadOptions{Max: 3, Streams: output.OnlyStderr},
			output.Page{Stderr: text("CDG"), Start: 3, Next: 8, Latest: 9, Capped: true},
		},
		{
			"negative since with a narrowed stream is from 1",
			output.ReadOptions{Since: -7, Max: 8, Streams: output.OnlyStderr},
			output.Page{Stderr: text("CDGH"), Start: 3, Next: 9, Latest: 9},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			comparePage(t, tt.want, logOf(output.Options{}, steps...).Read(tt.o))
		})
	}
}

func TestStreamThatWroteNothingReadsAsNothing(t *testing.T) {
	l := logOf(output.Options{}, stdout("abc"))
	comparePage(t, output.Page{Start: 1, Next: 1, Latest: 4},
		l.Read(output.ReadOptions{Streams: output.OnlyStderr, Max: big}))
	comparePage(t, output.Page{Start: 1, Next: 1, Latest: 1},
		output.NewLog(output.Options{}).Read(output.ReadOptions{Max: big}))
}

func TestCursorReadsReturnEveryByteOnce(t *testing.T) {
	l := logOf(output.Options{}, stdout("ab"), stderr("CD"))
	comparePage(t, output.Page{Stdout: text("ab"), Stderr: text("C"), Start: 1, Next: 4, Latest: 5, Capped: true},
		l.Read(output.ReadOptions{Max: 3}))
	stdout("e")(l)
	comparePage(t, output.Page{Stdout: text("e"), Stderr: text("D"), Start: 4, Next: 6, Latest: 6},
		l.Read(output.ReadOptions{Since: -1, Max: 3}))
	comparePage(t, output.Page{Start: 6, Next: 6, Latest: 6},
		l.Read(output.ReadOptions{Max: 3}))
}

func TestOutOfBandReadsLeaveTheCursorAlone(t *testing.T) { // mcp-yieldshell, Byte Cursors 6
	tests := []struct {
		name string
		o    output.ReadOptions
	}{
		{"since", output.ReadOptions{Since: 1, Max: big}},
		{"since past the end", output.ReadOptions{Since: 99, Max: big}},
		{"tail", output.ReadOptions{TailLines: 1, Max: big}},
		{"tail with since", output.ReadOptions{TailLines: 1, Since: 3, Max: big}},
		{"stdout", output.ReadOptions{Streams: output.OnlyStdout, Max: big}},
		{"stderr", output.ReadOptions{Streams: output.OnlyStderr, Max: big}},
		{"stdout since", output.ReadOptions{Since: 2, Streams: output.OnlyStdout, Max: big}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := logOf(output.Options{}, stdout("ab\n"), stderr("CD\n"))
			l.Read(output.ReadOptions{Max: 2})
			l.Read(tt.o)
			comparePage(t, output.Page{Stdout: text("\n"), Stderr: text("CD\n"), Start: 3, Next: 7, Latest: 7},
				l.Read(output.ReadOptions{Max: big}))
		})
	}
}

func TestOutOfBandReadsDoNotConsultTheCursor(t *testing.T) {
	l := logOf(output.Options{}, stdout("ab"), stderr("CD"))
	l.Read(output.ReadOptions{Max: big})
	comparePage(t, output.Page{Stdout: text("ab"), Start: 1, Next: 3, Latest: 5},
		l.Read(output.ReadOptions{Streams: output.OnlyStdout, Max: big}))
}

func TestClampedReadGoesOnWithTheNextByteWritten(t *testing.T) {
	l := logOf(output.Options{}, stdout("abc"))
	p := l.Read(output.ReadOptions{Since: 1000, Max: big})
	if !p.Clamped || p.Next != 4 {
		t.Fatalf("clamped %v, next %d; want true, 4", p.Clamped, p.Next)
	}
	stdout("d")(l)
	comparePage(t, output.Page{Stdout: text("d"), Start: 4, Next: 5, Latest: 5},
		l.Read(output.ReadOptions{Since: p.Next, Max: big}))
}

func TestPageEndNeverPartsACharacter(t *testing.T) {
	tests := []struct {
		name   string
		steps  []step
		o      output.ReadOptions
		stdout string
		next   output.Seq
	}{
		{"backs off", []step{stdout("ab≤c")}, output.ReadOptions{Since: 1, Max: 3}, "ab", 3},
		{"backs off two bytes", []step{stdout("ab≤c")}, output.ReadOptions{Since: 1, Max: 4}, "ab", 3},
		{"fits exactly", []step{stdout("ab≤c")}, output.ReadOptions{Since: 1, Max: 5}, "ab≤", 6},
		{"one character over Max", []step{stdout("😀ab")}, output.ReadOptions{Since: 1, Max: 1}, "😀", 5},
		{"one character just over Max", []step{stdout("😀ab")}, output.ReadOptions{Since: 1, Max: 3}, "😀", 5},
		{"back to the run before", []step{stdout("a"), stderr("E"), stdout("≤")}, output.ReadOptions{Since: 1, Max: 3}, "a", 3},
		{"back to before a gap", []step{stdout("a"), stderr("EEE"), stdout("≤")}, output.ReadOptions{Since: 1, Max: 2, Streams: output.OnlyStdout}, "a", 2},
		{"since inside a character", []step{stdout("😀ab")}, output.ReadOptions{Since: 2, Max: 4}, "\237\230\200a", 6},
		{"since inside a character, rest over Max", []step{stdout("😀ab")}, output.ReadOptions{Since: 2, Max: 1}, "\237\230\200", 5},
		{"invalid bytes may be parted", []step{stdout("\377\376\375")}, output.ReadOptions{Since: 1, Max: 2}, "\377\376", 3},
		{"a broken character may be parted", []step{stdout("\342\211x")}, output.ReadOptions{Since: 1, Max: 1}, "\342", 2},
		{"closed inside a character", []step{stdout("a\342\211"), closeOut}, output.ReadOptions{Since: 1, Max: 2}, "a\342", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := logOf(output.Options{}, tt.steps...).Read(tt.o)
			if string(p.Stdout) != tt.stdout || p.Next != tt.next {
				t.Errorf("stdout %q, next %d; want %q, %d", p.Stdout, p.Next, tt.stdout, tt.next)
			}
		})
	}
}

func TestBytesOfALateWriterApartInPositionAreNoCharacter(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
		max   int
		want  output.Page
	}{
		{
			"first byte apart",
			[]step{closeOut, stdout("\342"), stderr("E"), stdout("\211\244x")},
			3,
			output.Page{Stdout: text("\342\211"), Stderr: text("E"), Start: 1, Next: 4, Latest: 6, Capped: true},
		},
		{
			"last byte apart",
			[]step{closeOut, stdout("\342\211"), stderr("E"), stdout("\244x")},
			1,
			output.Page{Stdout: text("\342"), Start: 1, Next: 2, Latest: 6, Capped: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			comparePage(t, tt.want, logOf(output.Options{}, tt.steps...).Read(output.ReadOptions{Max: tt.max}))
		})
	}
}

func TestReaderWithTinyPagesMakesProgress(t *testing.T) { // BO-26
	l := logOf(output.Options{}, stdout("😀😀ab"))
	var pages []string
	for range 4 {
		pages = append(pages, string(l.Read(output.ReadOptions{Max: 1}).Stdout))
	}
	for i, want := range []string{"😀", "😀", "a", "b"} {
		if pages[i] != want {
			t.Errorf("page %d is %q, want %q", i, pages[i], want)
		}
	}
	if o, _ := readAll(t, l, 1); o != "😀😀ab" {
		t.Errorf("pages join to %q", o)
	}
}

func TestEvictedIsSetOnlyWhenTheRangeOverlapsEvictedBytes(t *testing.T) {
	// Stderr has 1..4 and 17..18; stdout has 5..16 and 19, of which 5..9 are
	// evicted.
	steps := []step{stderr("EEEE"), stdout("abcdefghijkl"), stderr("FF"), stdout("m")}
	tests := []struct {
		name string
		o    output.ReadOptions
		want output.Page
	}{
		{
			"from 1",
			output.ReadOptions{Since: 1, Max: big},
			output.Page{Stdout: text("fghijklm"), Stderr: text("EEEEFF"), Start: 1, Next: 20, Latest: 20, Evicted: true, EvictedBytes: 5},
		},
		{
			"ends before the gap",
			output.ReadOptions{Since: 1, Max: 4},
			output.Page{Stderr: text("EEEE"), Start: 1, Next: 5, Latest: 20, Capped: true},
		},
		{
			"begins before the gap",
			output.ReadOptions{Since: 4, Max: 2},
			output.Page{Stdout: text("f"), Stderr: text("E"), Start: 4, Next: 11, Latest: 20, Capped: true, Evicted: true, EvictedBytes: 5},
		},
		{
			"begins inside the gap",
			output.ReadOptions{Since: 8, Max: 2},
			output.Page{Stdout: text("fg"), Start: 10, Next: 12, Latest: 20, Capped: true, Evicted: true, EvictedBytes: 2},
		},
		{
			"begins after the gap",
			output.ReadOptions{Since: 10, Max: 2},
			output.Page{Stdout: text("fg"), Start: 10, Next: 12, Latest: 20, Capped: true},
		},
		{
			"the other stream",
			output.ReadOptions{Since: 1, Max: big, Streams: output.OnlyStderr},
			output.Page{Stderr: text("EEEEFF"), Start: 1, Next: 19, Latest: 20},
		},
		{
			"the stream from 1",
			output.ReadOptions{Max: 2, Streams: output.OnlyStdout},
			output.Page{Stdout: text("fg"), Start: 10, Next: 12, Latest: 20, Capped: true, Evicted: true, EvictedBytes: 5},
		},
		{
			"the stream from inside the gap",
			output.ReadOptions{Since: 7, Max: 2, Streams: output.OnlyStdout},
			output.Page{Stdout: text("fg"), Start: 10, Next: 12, Latest: 20, Capped: true, Evicted: true, EvictedBytes: 3},
		},
		{
			"the stream after the gap",
			output.ReadOptions{Since: 11, Max: big, Streams: output.OnlyStdout},
			output.Page{Stdout: text("ghijklm"), Start: 11, Next: 20, Latest: 20},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			comparePage(t, tt.want, logOf(output.Options{Capacity: 8}, steps...).Read(tt.o))
		})
	}
}

func TestEvictedBytesOfOneStreamAreKnownFromWhereTheOtherIsRetained(t *testing.T) {
	l := logOf(output.Options{Capacity: 4}, stderr("ABCDEF"), stdout("abcdefgh")) // retained: 3..6 and 11..14
	for since, want := range map[output.Seq]int64{0: 4, 1: 4, 2: 0, 3: 4, 7: 4, 8: 3, 10: 1, 11: 0} {
		p := l.Read(output.ReadOptions{Since: since, Max: big, Streams: output.OnlyStdout})
		if p.EvictedBytes != want || p.Evicted != (since < 11) {
			t.Errorf("since %d: evicted %v (%d), want %d", since, p.Evicted, p.EvictedBytes, want)
		}
	}
}

func TestEvictedBytesOfOneStreamAreUnknownOnceBothEvictedPastSince(t *testing.T) {
	l := logOf(output.Options{Capacity: 4}, stdout("abcdefgh"), stderr("ABCDEFGH")) // retained: 5..8 and 13..16
	comparePage(t, output.Page{Stdout: text("efgh"), Start: 5, Next: 9, Latest: 17, Evicted: true},
		l.Read(output.ReadOptions{Since: 2, Max: big, Streams: output.OnlyStdout}))
	comparePage(t, output.Page{Stdout: text("efgh"), Stderr: text("EFGH"), Start: 5, Next: 17, Latest: 17, Evicted: true, EvictedBytes: 7},
		l.Read(output.ReadOptions{Since: 2, Max: big}))
}
