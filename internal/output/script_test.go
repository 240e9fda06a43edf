package output_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/output"
)

// big is a Max that no test's output reaches.
const big = 1 << 20

// step is one thing that happens to a log in a table.
type step func(*output.Log)

func stdout(text string) step {
	return func(l *output.Log) { l.Append(output.Stdout, []byte(text)) }
}

func stderr(text string) step {
	return func(l *output.Log) { l.Append(output.Stderr, []byte(text)) }
}

func closeOut(l *output.Log) { l.CloseStream(output.Stdout) }

func discard(l *output.Log) { l.Discard() }

// logOf returns a log after the steps.
func logOf(o output.Options, steps ...step) *output.Log {
	l := output.NewLog(o)
	for _, s := range steps {
		s(l)
	}
	return l
}

// text returns a stream of a page, nil for nothing as in a page.
func text(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// x returns n bytes of filler.
func x(n int) string { return strings.Repeat("x", n) }

func comparePage(t *testing.T, want, got output.Page) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

// readAll returns both streams as they join from pages of at most limit bytes.
func readAll(t *testing.T, l *output.Log, limit int) (stdout, stderr string) {
	t.Helper()
	var o, e strings.Builder
	for since := output.Seq(1); ; {
		p := l.Read(output.ReadOptions{Since: since, Max: limit})
		o.Write(p.Stdout)
		e.Write(p.Stderr)
		if p.Next == p.Latest {
			return o.String(), e.String()
		}
		if p.Next <= since {
			t.Fatalf("no progress at %d of %d", since, p.Latest)
		}
		since = p.Next
	}
}
