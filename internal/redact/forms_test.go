package redact

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
)

func TestEncodedValuesAreReplaced(t *testing.T) {
	const secret = "p@ss word/+?é!~*>>>???"
	s := New(Options{Names: anyName, Encoded: true}, []string{"T=" + secret})
	plain := New(Options{Names: anyName}, []string{"T=" + secret})
	encoders := map[string]func(string) string{
		"base64":                func(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) },
		"base64, no padding":    func(v string) string { return base64.RawStdEncoding.EncodeToString([]byte(v)) },
		"URL base64":            func(v string) string { return base64.URLEncoding.EncodeToString([]byte(v)) },
		"URL base64, unpadded":  func(v string) string { return base64.RawURLEncoding.EncodeToString([]byte(v)) },
		"percent":               url.PathEscape,
		"form":                  url.QueryEscape,
		"form, lower case":      func(v string) string { return lowerEscapes(url.QueryEscape(v)) },
		"component":             func(v string) string { return strings.ReplaceAll(url.QueryEscape(v), "+", "%20") },
		"encodeURIComponent":    func(string) string { return "p%40ss%20word%2F%2B%3F%C3%A9!~*%3E%3E%3E%3F%3F%3F" },
		"encoded, then percent": func(v string) string { return url.QueryEscape(base64.RawURLEncoding.EncodeToString([]byte(v))) },
	}
	for name, encode := range encoders {
		for _, before := range []string{"", "u", "us", "user"} {
			for _, after := range []string{"", "x", "xy", "xyz"} {
				text := encode(before + secret + after)
				got := s.Text(text)
				kept := strings.Replace(got, "[REDACTED:T]", "", 1)
				// Of base64 a character on each side may stand for both sides.
				edge := len(encode(before)) + len(encode(after)) + 4
				if got == kept || len(kept) > edge || plain.Text(text) != text {
					t.Errorf("%s of %q: %q; without the forms %q", name, before+"…"+after, got, plain.Text(text))
				}
			}
		}
	}
}

func TestNoFormIsShort(t *testing.T) {
	for size := MinValue; size < 40; size++ {
		for _, form := range encodedForms(strings.Repeat("\xfb", size)) {
			if len(form) < MinValue {
				t.Errorf("%q stands for %d bytes", form, size)
			}
		}
	}
}

func TestLongValuesAreLookedForAsTheyAre(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 8<<10)
	s := New(Options{Names: anyName, Encoded: true}, []string{"LONG=" + long})
	if got, n := filtered(s, "<"+long+">", 1000); got != "<[REDACTED:LONG]>" || n != 1 {
		t.Errorf("%.100q, %d marks", got, n)
	}
}
