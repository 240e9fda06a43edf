package main

import (
	"strings"
	"testing"
)

func TestBO24CharacterInTwoWritesStaysWhole(t *testing.T) {
	t.Parallel()
	const command = `printf "a\342"; until [ -e go ]; do sleep 0.02; done; printf "\211\244b"`
	t.Run("inline", func(t *testing.T) {
		t.Parallel()
		s := startServer(t)
		wantRun(t, s.Execute(`printf "a\342"; sleep 0.3; printf "\211\244b"`), "completed", 0, "a≤b")
	})
	t.Run("read between the writes", func(t *testing.T) {
		t.Parallel()
		s := startServer(t)
		r := s.Execute(command, Args{"yield_ms": 300})
		if r.Status() != "backgrounded" || r.Stdout() != "a" {
			t.Errorf("before the rest of the character: %#v", r)
		}
		id := Args{"execution_id": r.String("execution_id")}
		if r := s.Call("read", id); r.Stdout() != "" {
			t.Errorf("half of a character was shown: %#v", r)
		}
		s.Execute("touch go")
		wantRun(t, s.Call("wait", id), "completed", 0, "≤b")
	})
}

func TestBO25InvalidBytesAreReplacedAndCounted(t *testing.T) {
	s := startServer(t)
	r := s.Execute(`printf "a\377\376b\205c"`)
	wantRun(t, r, "completed", 0, "a\uFFFD\uFFFDb\uFFFDc")
	if n := listed(t, s, r.String("execution_id"))["stdout_bytes"]; n != float64(6) {
		t.Errorf("stdout_bytes is %v", n)
	}
}

func TestBO26PagesCutNoCharacter(t *testing.T) {
	s := startServer(t)
	r := s.Execute(`printf "\360\237\230\200\360\237\230\200ab"`, Args{"max_output_bytes": 1})
	pages := []string{r.Stdout()}
	for r.Int("next_seq") < r.Int("latest_seq") {
		before := r.Int("next_seq")
		r = s.Call("read", Args{"execution_id": r.String("execution_id"), "max_output_bytes": 1})
		pages = append(pages, r.Stdout())
		if r.Int("next_seq") <= before {
			t.Fatalf("no progress: %#v", r)
		}
	}
	if all := strings.Join(pages, ""); all != "😀😀ab" {
		t.Errorf("pages %q", pages)
	}
	for _, page := range pages {
		if len(page) > 4 {
			t.Errorf("page %q has %d bytes", page, len(page))
		}
	}
}

func TestBO27NULInOutputCutsNothing(t *testing.T) {
	s := startServer(t)
	wantRun(t, s.Execute(`printf "a\0b"`), "completed", 0, "a\x00b")
}

func TestTextOfAnyKindArrivesAsWritten(t *testing.T) {
	s := startServer(t)
	for name, text := range map[string]string{
		"html":             `<b>&amp;</b>`,
		"quotes":           `"\'\\"` + "`",
		"line separators":  "a\u2028b\u2029c",
		"astral":           "\U0001F41A\U000E0001",
		"control":          "\x01\x1b[31m\x7f",
		"carriage returns": "a\rb\r\n",
		"order mark":       "\uFEFFx",
		"replacement":      "\uFFFD",
	} {
		if r := s.Execute("cat", Args{"stdin": text}); r.Stdout() != text {
			t.Errorf("%s: sent %q, got %q", name, text, r.Stdout())
		}
	}
}

func TestWireKeepsMarkupUnescaped(t *testing.T) {
	s := startServer(t)
	r := s.Execute("echo '<a>&</a>'")
	if !strings.Contains(r.Raw, `<a>&</a>`) {
		t.Errorf("a model pays for the escapes: %s", r.Raw)
	}
}
