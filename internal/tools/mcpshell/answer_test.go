package mcpshell

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTextsAreTrimmedAsPythonStrips(t *testing.T) {
	const white = " \t\r\n\v\f\x1c\x1f\u0085\u00a0\u2003\u3000"
	tests := []struct {
		name string
		r    result
		want []string
	}{
		{"white space of any kind", result{stdout: []byte(white + "a b" + white)}, []string{"a b"}},
		{"nothing else", result{stdout: []byte(white)}, nil},
		{"not NUL, and no byte that is no character", result{stdout: []byte("\x00a\xff")}, []string{"\x00a\xff"}},
		{"not of a pipeline", result{stdout: []byte(" a\n"), piped: true}, []string{" a\n"}},
		{"a failure", result{failure: "it failed", stdout: []byte("\n"), stderr: []byte(" e\n")}, []string{"Error executing command: it failed\nstderr:\ne"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.r.texts()); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExcerptIsCutAtACharacter(t *testing.T) {
	long := []byte("x" + strings.Repeat("é", mostPartial))
	got := string(excerpt(long, "stdout"))
	if !utf8.ValidString(got) || len(got) > mostPartial+100 || !strings.HasSuffix(got, "é\n… (20001 bytes more are in the field stdout)") {
		t.Errorf("%d bytes, the end is %q", len(got), got[len(got)-60:])
	}
	if short := []byte("short"); string(excerpt(short, "stdout")) != "short" {
		t.Error("a short text was changed")
	}
}
