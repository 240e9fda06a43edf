package jsontext_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"whelk/internal/jsontext"
)

func TestAppendASCIIWritesAsPythonDoes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `""`},
		{"a\"b\\c/<>&", `"a\"b\\c/<>&"`},
		{"\n\r\t\b\f\x00\x1b\x7f", `"\n\r\t\b\f\u0000\u001b\u007f"`},
		{"é\u2028\ufffd", `"\u00e9\u2028\ufffd"`},
		{"😀", `"\ud83d\ude00"`},
		{"a\xffb", `"a\ufffdb"`},
	} {
		if got := string(jsontext.AppendASCII(nil, c.text)); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestAppendASCIIIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		line := jsontext.AppendASCII(nil, text)
		for _, b := range line {
			if b < ' ' || b > '~' {
				t.Fatalf("byte %#x in %s", b, line)
			}
		}
		var got string
		if err := json.Unmarshal(line, &got); err != nil || got != text {
			t.Fatalf("%q is read back as %q (%v)", text, got, err)
		}
	})
}
