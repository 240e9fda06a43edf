package redact

import (
	"strings"
	"testing"
)

func TestABeginningWhereATextWasCutIsReplaced(t *testing.T) {
	values := []string{"A=supersecret123", "B=another…secret", "C=123456789"}
	s := New(Options{Names: anyName}, values)
	for text, want := range map[string]string{
		"supersecret123…":                 "[REDACTED:A]…",
		"curl supersecr… (900 bytes)":     "curl [REDACTED:A]… (900 bytes)",
		"curl supersec…":                  "curl [REDACTED:A]…",
		"curl superse…":                   "curl superse…",
		"supersecr":                       "supersecr",
		"supersecr.…":                     "supersecr.…",
		"another…secret another…secr…":    "[REDACTED:B] [REDACTED:B]…",
		"supersecret12345678…":            "[REDACTED:A]45678…",
		"12345678… supersecret… another…": "[REDACTED:C]… [REDACTED:A]… another…",
		"…":                               "…",
	} {
		if got := s.Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	long := strings.Repeat("x", 3000) + "supersecret…"
	if got := s.Text(long); got != strings.Repeat("x", 3000)+"[REDACTED:A]…" {
		t.Errorf("%q", got)
	}
}
