package output_test

import (
	"testing"

	"whelk/internal/output"
)

// FuzzAppendSplit writes the same bytes in pieces of any size, with the other
// stream writing in between, and reads them in pages of any size while they
// come. However they were split, the same bytes are committed, the pages join to
// them, and page for page no more of them is invalid than in the whole.
func FuzzAppendSplit(f *testing.F) {
	f.Add([]byte("a≤b"), []byte{2}, uint8(1))
	f.Add([]byte("😀😀ab"), []byte{1, 1, 1}, uint8(1))
	f.Add([]byte("a\377\376b\205c"), []byte{3}, uint8(2))
	f.Add([]byte("a\342\211"), []byte{1}, uint8(5))
	f.Add([]byte("\360\237\230\342\211\244\303"), []byte{2, 1, 4}, uint8(3))
	f.Fuzz(func(t *testing.T, data, sizes []byte, limit uint8) {
		l := output.NewLog(output.Options{Capacity: len(data) + 1})
		var joined, shown string
		read := func() output.Page {
			p := l.Read(output.ReadOptions{Max: int(limit)})
			joined += string(p.Stdout)
			shown += string([]rune(string(p.Stdout))) // each invalid byte becomes U+FFFD
			return p
		}
		for rest, i := data, 0; len(rest) > 0; i++ {
			n := len(rest)
			if i < len(sizes) {
				n = min(n, int(sizes[i]))
			} else if len(sizes) > 0 {
				n = 1 + min(n-1, int(sizes[i%len(sizes)]))
			}
			l.Append(output.Stdout, rest[:n])
			l.Append(output.Stderr, []byte("E"))
			rest = rest[n:]
			read()
		}
		l.CloseStream(output.Stdout)
		for read().Capped {
		}

		if whole := l.Read(output.ReadOptions{Max: big, Streams: output.OnlyStdout}); string(whole.Stdout) != string(data) {
			t.Errorf("committed %q, want %q", whole.Stdout, data)
		}
		if n := l.Stats().Stdout; n != int64(len(data)) {
			t.Errorf("counted %d bytes, want %d", n, len(data))
		}
		if joined != string(data) {
			t.Errorf("pages join to %q, want %q", joined, data)
		}
		if want := string([]rune(string(data))); shown != want {
			t.Errorf("pages show %q, want %q", shown, want)
		}
	})
}
