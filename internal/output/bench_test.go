package output_test

import (
	"bytes"
	"testing"

	"whelk/internal/output"
)

// line is 83 bytes long, as the throughput targets have it.
var line = append(bytes.Repeat([]byte("x"), 82), '\n')

func benchmarkAppend(b *testing.B, p []byte) {
	l := output.NewLog(output.Options{})
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		l.Append(output.Stdout, p)
	}
}

func BenchmarkAppend64K(b *testing.B) { benchmarkAppend(b, bytes.Repeat([]byte("x"), 64<<10)) }

func BenchmarkAppendLines(b *testing.B) { benchmarkAppend(b, line) }

// BenchmarkAppendAlternating is the worst case of segments: a run for each line.
func BenchmarkAppendAlternating(b *testing.B) {
	l := output.NewLog(output.Options{})
	b.SetBytes(int64(2 * len(line)))
	b.ReportAllocs()
	for b.Loop() {
		l.Append(output.Stdout, line)
		l.Append(output.Stderr, line)
	}
}

// fullLog returns a log whose streams are full of lines, in turn if both is set.
func fullLog(both bool) *output.Log {
	l := output.NewLog(output.Options{})
	for range 2 * output.DefaultCapacity / len(line) {
		l.Append(output.Stdout, line)
		if both {
			l.Append(output.Stderr, line)
		}
	}
	return l
}

func benchmarkRead(b *testing.B, l *output.Log, o output.ReadOptions) {
	p := l.Read(o)
	b.SetBytes(int64(len(p.Stdout) + len(p.Stderr)))
	b.ReportAllocs()
	for b.Loop() {
		l.Read(o)
	}
}

func BenchmarkReadPage20K(b *testing.B) {
	o := output.ReadOptions{Since: 1, Max: 20_000}
	b.Run("one stream", func(b *testing.B) { benchmarkRead(b, fullLog(false), o) })
	b.Run("alternating", func(b *testing.B) { benchmarkRead(b, fullLog(true), o) })
}

func BenchmarkTail(b *testing.B) {
	b.Run("100 lines", func(b *testing.B) {
		benchmarkRead(b, fullLog(true), output.ReadOptions{TailLines: 100, Max: 20_000})
	})
	b.Run("one long line", func(b *testing.B) {
		l := output.NewLog(output.Options{})
		l.Append(output.Stdout, bytes.Repeat([]byte("x"), 200_000))
		benchmarkRead(b, l, output.ReadOptions{TailLines: 1, Max: 20_000})
	})
}
