package tabshell

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What Python's bytes.decode("utf-8", "replace") returns.
func TestInvalidOutputIsDecodedAsPythonDoes(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{"", ""},
		{"a\xffb\xc3", "a\ufffdb\ufffd"},
		{"\xe2\x82A", "\ufffdA"},
		{"\xe2A", "\ufffdA"},
		{"\xf0\x9f\x98", "\ufffd"},
		{"\xf0\x9f\x98\xf0\x9f\x98\x80", "\ufffd😀"},
		{"\xe0\x80", "\ufffd\ufffd"},
		{"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"\xf5\x80\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
		{"\x80\xbf", "\ufffd\ufffd"},
		{"\xef\xbf\xbd", "\ufffd"},
		{"\xc0\xaf", "\ufffd\ufffd"},
	} {
		if got := decode([]byte(c.output)); got != c.want {
			t.Errorf("%q: %q, want %q", c.output, got, c.want)
		}
		if got, want := length([]byte(c.output)), utf8.RuneCountInString(c.want); got != want {
			t.Errorf("%q has %d characters, want %d", c.output, got, want)
		}
	}
}

func TestDecodedOutputIsValidAndAsLongAsCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.SampledFrom([]byte("a\x80\xbf\xc3\xe2\x82\xed\xa0\xf0\x9f\x98\xff"))).Draw(t, "output")
		text := decode(p)
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) != length(p) {
			t.Fatalf("%q becomes %q, counted as %d", p, text, length(p))
		}
	})
}
