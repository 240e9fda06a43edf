package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	text := func(s string) Input { return Input{Text: s, HasText: true, Shell: "bash"} }
	tests := []struct {
		name   string
		in     Input
		refuse bool
	}{
		{"plain", text("ls"), false},
		{"empty text", text(""), false},
		{"NUL", text("echo a\x00b; rm x"), true},
		{"CR in a line", text("echo a\r# ; rm x"), true},
		{"CR at the end", text("ls\r"), true},
		{"CR LF", text("ls\r\nid\r\n"), false},
		{"CR CR LF", text("ls\r\r\n"), true},
		{"longest", text("#" + strings.Repeat("a", maxTextBytes-1)), false},
		{"too long", text("#" + strings.Repeat("a", maxTextBytes)), true},
		{"deepest", text(strings.Repeat("(", maxNesting) + "a" + strings.Repeat(")", maxNesting)), false},
		{"too deep", text(strings.Repeat("(", maxNesting+1) + "a" + strings.Repeat(")", maxNesting+1)), true},
		{"too deep in quotes", text("echo '" + strings.Repeat("[", maxNesting+1) + "'"), true},
		{"many closers, then deep", text(strings.Repeat(")", 500) + strings.Repeat("(", maxNesting+1)), true},
		{"wide", text(strings.Repeat("(a);", 5000)), false},
		{"neither text nor argv", Input{}, true},
		{"text and argv", Input{Text: "a", HasText: true, Argv: []string{"a"}}, true},
		{"NUL in argv", Input{Argv: []string{"a", "b\x00c"}}, true},
		{"CR in argv", Input{Argv: []string{"a", "b\rc"}}, false},
		{"NUL in env", Input{Argv: []string{"a"}, Env: map[string]string{"A": "\x00"}}, true},
		{"= in env", Input{Argv: []string{"a"}, Env: map[string]string{"A=B": ""}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := Analyse(tt.in)
			if (a.Refused != nil) != tt.refuse {
				t.Fatalf("refused: %+v, want %v", a.Refused, tt.refuse)
			}
			if a.Refused != nil && (a.Refused.Reason == "" || a.Refused.Suggest == "" || len(a.Commands) > 0) {
				t.Errorf("the refusal says too little, or something is analysed: %+v", a)
			}
		})
	}
}

func TestTheTextToRunHasLineFeedsOnly(t *testing.T) {
	if got := Analyse(Input{Text: "a\r\nb\r\n", HasText: true}).Text; got != "a\nb\n" {
		t.Errorf("text %q, want %q", got, "a\nb\n")
	}
}

// TestDeepNestingEndsNoProcess would end the test's process if a parser saw
// these texts.
func TestDeepNestingEndsNoProcess(t *testing.T) {
	for _, opener := range []string{"(", "( ", "((", "$(", "$((", "${a:-", "{ ", "[", "a[", "$[", "<(", "`("} {
		for _, count := range []int{1_000_000, maxTextBytes / len(opener)} {
			in := Input{Text: strings.Repeat(opener, count), HasText: true, Shell: "bash"}
			if a := Analyse(in); a.Refused == nil {
				t.Errorf("%d times %q is not refused", count, opener)
			}
			in = Input{Argv: []string{"sh", "-c", in.Text}}
			if a := Analyse(in); len(a.Unknown) == 0 {
				t.Errorf("sh -c with %d times %q has no unknown", count, opener)
			}
		}
	}
}

func TestPartsThatAreTooLargeAreUnknown(t *testing.T) {
	nested := "rm x"
	for range maxScripts {
		nested = "eval " + shellQuote(nested)
	}
	tests := []struct{ name, text string }{
		{"scripts in scripts", nested},
		{"wrappers of wrappers", strings.Repeat("env ", maxWrappers+2) + "rm x"},
		{"braces at a name", strings.Repeat("{a,b}", 40)},
		{"a sequence at a name", "{1..1000000000}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := analyseBash(tt.text)
			if !slices.Contains(kinds(a), "limit") && !slices.Contains(kinds(a), "dynamic-name") {
				t.Errorf("no unknown of kind limit or dynamic-name, but %q", kinds(a))
			}
		})
	}
	if a := analyseBash("for i in {1..100000}; do echo {a,b}{c,d}; done"); len(a.Unknown) > 0 {
		t.Errorf("braces in arguments are unknown: %+v", a.Unknown)
	}
}

// shellQuote quotes a text for a shell.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func TestALongListIsAnalysedToItsEnd(t *testing.T) {
	for _, separator := range []string{";", "\n", "&&", "||", "|"} {
		text := strings.Repeat("ls"+separator, 20_000) + "id"
		a := analyseBash(text)
		if got := names(a); len(got) != 20_001 || got[20_000] != "id" {
			t.Errorf("with %q there are %d commands, not 20001", separator, len(got))
		}
	}
}

func ExampleAnalyse() {
	a := Analyse(Input{Text: "cd src && sudo make | tee log; $CC x.c", HasText: true, Shell: "bash", Dir: "/srv"})
	for _, c := range a.Commands {
		fmt.Println(c.Argv[0].Text, c.Dir, c.Via)
	}
	for _, u := range a.Unknown {
		fmt.Println(u.Kind, u.Reason)
	}
	// Output:
	// cd /srv []
	// sudo /srv/src []
	// make /srv/src [sudo]
	// tee /srv/src []
	// $CC /srv/src []
	// dynamic-name the name of the command is known only when it runs: $CC
}
