package output_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whelk/internal/output"
)

// pieces are what random writes are made of: the whole, the broken and the cut.
var pieces = []string{
	"a", "bc", "\n", "line\n", "é", "≤", "😀", "\x00", "\r",
	"\303", "\342", "\342\211", "\360", "\360\237", "\360\237\230", // beginnings
	"\251", "\211\244", "\244", "\237\230\200", "\200", // ends
	"\377", "\300\200", "\340\200", "\355\240\200", "\364\220", // never valid
}

// write draws bytes to append.
func write(t *rapid.T) []byte {
	if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
		return rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "binary")
	}
	var p []byte
	for _, s := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces") {
		p = append(p, s...)
	}
	return p
}

// checkLogAgainstModel does random things to a log and to the model. Every page
// and every count must be the same.
func checkLogAgainstModel(t *rapid.T, prefixes map[string]bool) {
	capacity := rapid.IntRange(1, 64).Draw(t, "capacity")
	l := output.NewLog(output.Options{Capacity: capacity})
	m := &model{capacity: max(4, capacity), cursor: 1, prefixes: prefixes}
	streams := rapid.SampledFrom([]output.Stream{output.Stdout, output.Stderr})
	selections := rapid.SampledFrom([]output.Streams{output.Both, output.OnlyStdout, output.OnlyStderr})
	limits := rapid.IntRange(-1, 40)

	read := func(t *rapid.T, o output.ReadOptions) {
		want, got := m.read(o), l.Read(o)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%+v: page (-want +got):\n%s", o, diff)
		}
	}
	appendOne := func(t *rapid.T) {
		s, p := streams.Draw(t, "stream"), write(t)
		before, changed := l.Stats().Latest, l.Changed()
		l.Append(s, p)
		m.append(s, p)
		if want := l.Stats().Latest > before; isClosed(changed) != want {
			t.Fatalf("changed is closed: %v, want %v", !want, want)
		}
	}
	inTurn := func(t *rapid.T) { // many short runs
		n := rapid.IntRange(1, 20).Draw(t, "turns")
		for i := range 2 * n {
			s, p := output.Stream(i%2), []byte{"ab\n"[i%3]}
			l.Append(s, p)
			m.append(s, p)
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"append":         appendOne,
		"append again":   appendOne, // twice as likely as the rest
		"append in turn": inTurn,
		"close": func(t *rapid.T) {
			if rapid.IntRange(0, 4).Draw(t, "seldom") == 0 {
				s := streams.Draw(t, "stream")
				l.CloseStream(s)
				m.close(s)
			}
		},
		"discard": func(t *rapid.T) {
			if rapid.IntRange(0, 19).Draw(t, "seldom") == 0 {
				l.Discard()
				m.discarded = true
			}
		},
		"read cursor": func(t *rapid.T) {
			read(t, output.ReadOptions{Max: limits.Draw(t, "max")})
		},
		"read since": func(t *rapid.T) {
			read(t, output.ReadOptions{
				Since:   output.Seq(rapid.IntRange(-1, int(m.latest())+2).Draw(t, "since")),
				Max:     limits.Draw(t, "max"),
				Streams: selections.Draw(t, "streams"),
			})
		},
		"read tail": func(t *rapid.T) {
			read(t, output.ReadOptions{
				TailLines: rapid.IntRange(1, 6).Draw(t, "lines"),
				Max:       limits.Draw(t, "max"),
				Streams:   selections.Draw(t, "streams"),
			})
		},
		"": func(t *rapid.T) {
			got := l.Stats()
			got.LastOutput = time.Time{}
			want := output.Stats{
				Stdout: int64(len(m.positions(output.OnlyStdout))),
				Stderr: int64(len(m.positions(output.OnlyStderr))),
				Latest: m.latest(),
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("stats (-want +got):\n%s", diff)
			}
		},
	})
}

func TestLogBehavesLikeItsModel(t *testing.T) {
	prefixes := unfinished()
	rapid.Check(t, func(t *rapid.T) { checkLogAgainstModel(t, prefixes) })
}

func FuzzLogAgainstModel(f *testing.F) {
	prefixes := unfinished()
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { checkLogAgainstModel(t, prefixes) }))
}

func TestPagesJoinToWhatIsRetained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := output.NewLog(output.Options{Capacity: rapid.IntRange(4, 64).Draw(t, "capacity")})
		for range rapid.IntRange(0, 20).Draw(t, "writes") {
			l.Append(output.Stream(rapid.IntRange(0, 1).Draw(t, "stream")), write(t))
		}
		for _, streams := range []output.Streams{output.Both, output.OnlyStdout, output.OnlyStderr} {
			whole := l.Read(output.ReadOptions{Since: 1, Max: big, Streams: streams})
			limit := rapid.IntRange(1, 20).Draw(t, "max")
			var joined output.Page
			for since, more := output.Seq(1), true; more; {
				p := l.Read(output.ReadOptions{Since: since, Max: limit, Streams: streams})
				joined.Stdout = append(joined.Stdout, p.Stdout...)
				joined.Stderr = append(joined.Stderr, p.Stderr...)
				if n := len(p.Stdout) + len(p.Stderr); n > limit+3 {
					t.Fatalf("page of %d bytes, limit %d", n, limit)
				}
				if p.Capped && p.Next <= since {
					t.Fatalf("no progress at %d", since)
				}
				since, more = p.Next, p.Capped
			}
			if string(joined.Stdout) != string(whole.Stdout) || string(joined.Stderr) != string(whole.Stderr) {
				t.Fatalf("pages join to %q, %q; retained %q, %q", joined.Stdout, joined.Stderr, whole.Stdout, whole.Stderr)
			}
		}
	})
}
