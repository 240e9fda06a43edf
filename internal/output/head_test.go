package output_test

import (
	"strings"
	"testing"

	"whelk/internal/output"
)

func TestTheHeadOfEachStreamStaysWhateverIsEvicted(t *testing.T) {
	l := output.NewLog(output.Options{Capacity: 8, Head: 6})
	for _, piece := range []string{"ab", "c", "defghij", strings.Repeat("x", 100)} {
		l.Append(output.Stdout, []byte(piece))
		l.Append(output.Stderr, []byte(strings.ToUpper(piece)))
	}
	stdout, stderr := l.Heads()
	if string(stdout) != "abcdef" || string(stderr) != "ABCDEF" {
		t.Errorf("heads %q and %q, want abcdef and ABCDEF", stdout, stderr)
	}
	if p := l.Read(output.ReadOptions{Since: 1, Streams: output.OnlyStdout, Max: big}); string(p.Stdout) != "xxxxxxxx" {
		t.Errorf("the newest bytes are %q", p.Stdout)
	}
	l.Discard()
	l.Append(output.Stdout, []byte("late"))
	if stdout, _ := l.Heads(); len(stdout) > 0 {
		t.Errorf("a discarded log keeps %q", stdout)
	}
}

func TestNoHeadIsKeptUnasked(t *testing.T) {
	l := logOf(output.Options{}, stdout("abc"))
	if out, _ := l.Heads(); out != nil {
		t.Errorf("a head of %q", out)
	}
}
