package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStringIsEncodedAs(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", `""`},
		{"plain", "héllo 世界 🐚", `"héllo 世界 🐚"`},
		{"quotes", `a"b\c/`, `"a\"b\\c/"`},
		{"line ends", "a\r\nb\tc", `"a\r\nb\tc"`},
		{"control characters", "\x00\x01\b\f\x1b\x1f\x7f", `"\u0000\u0001\b\f\u001b\u001f` + "\x7f" + `"`},
		{"HTML", "<a&b>\u2028\u2029", "\"<a&b>\u2028\u2029\""},
		{"one invalid byte", "a\xffb", `"a` + "\uFFFD" + `b"`},
		{"each byte of a cut character", "\xe4\xb8", `"` + "\uFFFD\uFFFD" + `"`},
		{"surrogate half", "\xed\xa0\x80", `"` + "\uFFFD\uFFFD\uFFFD" + `"`},
		{"valid and invalid", "é\xffé\n", `"é` + "\uFFFD" + `é\n"`},
		{"replacement character itself", "\uFFFD\xff", "\"\uFFFD\uFFFD\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(AppendString([]byte("x"), test.text)); got != "x"+test.want {
				t.Errorf("got %s, want %s", got[1:], test.want)
			}
		})
	}
}

func FuzzStringDecodesToItself(f *testing.F) {
	for _, seed := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x7f", "<>&\u2028", "\xff\xed\xa0\x80é", strings.Repeat("a\n", 100)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		encoded := AppendString(nil, text)
		if !utf8.Valid(encoded) {
			t.Fatalf("invalid UTF-8: %q", encoded)
		}
		var got string
		if err := json.Unmarshal(encoded, &got); err != nil {
			t.Fatalf("invalid JSON %q: %v", encoded, err)
		}
		// What encoding/json makes of the same text is the reference.
		reference, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(reference, &want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
