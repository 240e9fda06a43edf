package seeds

import (
	"regexp"
	"strings"
	"testing"
)

func TestExpressionsFindWhatPythonsFind(t *testing.T) {
	tests := []struct {
		name, expression string
		finds, misses    []string
	}{
		{"plain", "rm", []string{"echo rm", "rm\n"}, []string{"RM", "r m"}},
		{"the beginning is that of the text", "^echo", []string{"echo hi"}, []string{"ls\necho hi"}},
		{"the end", "hi$", []string{"echo hi", "echo hi\n"}, []string{"hi\nls", "hi\n\n"}},
		{"the end, escaped", `hi\$`, []string{"hi$x"}, []string{"hi"}},
		{"the end, in a class", "hi[$]", []string{"hi$x"}, []string{"hi"}},
		{"the very end", `hi\Z`, []string{"echo hi"}, []string{"hi\n"}},
		{"ends of lines", "(?m)^hi$", []string{"a\nhi\nb", "hi"}, []string{"ohi"}},
		{"letter case", "(?i)rm", []string{"RM"}, []string{"r m"}},
		{"at most so often", "^a{,2}b", []string{"b", "aab"}, []string{"aaab"}},
		{"at most without end", "^a{,}b", []string{"b", "aaaab"}, []string{"a{,}b"}},
		{"a bracket in a class", "^[]x]+$", []string{"x]"}, []string{"y"}},
		{"no bracket in a class", "^[^]x]+$", []string{"y"}, []string{"x]"}},
		{"no class in a class", "^[[:a]$", []string{"[", ":", "a"}, []string{"b"}},
		{"an escaped end of a class", `^[a\]$]+$`, []string{"a]$"}, []string{"b"}},
		{"a named group", "(?P<tool>git) push", []string{"git push"}, []string{"git"}},
		{"an escape at the end of a class that is none", `a\\[b]`, []string{`a\b`}, []string{"ab"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, err := fromPython(test.expression)
			if err != nil {
				t.Fatal(err)
			}
			re := regexp.MustCompile(text)
			for _, s := range test.finds {
				if !re.MatchString(s) {
					t.Errorf("%s, as %s, is not found in %q", test.expression, text, s)
				}
			}
			for _, s := range test.misses {
				if re.MatchString(s) {
					t.Errorf("%s, as %s, is found in %q", test.expression, text, s)
				}
			}
		})
	}
}

func TestExpressionsThatCannotBeAreNamed(t *testing.T) {
	tests := []struct{ expression, says string }{
		{"rm(?= -rf)", "a lookahead ((?=)"},
		{"^(?!echo)", "a negative lookahead ((?!)"},
		{"(?<=sudo )rm", "a lookbehind ((?<=)"},
		{"(?<!git )rm", "a negative lookbehind ((?<!)"},
		{`(a)\1`, `a backreference (\1)`},
		{"(?P<a>x)(?P=a)", "a backreference ((?P=)"},
		{"(a)?(?(1)b|c)", "a conditional group ((?()"},
		{"(?>a+)b", "an atomic group ((?>)"},
		{"(?#why)rm", "a comment ((?#)"},
		{"a++", "++"},
		{"(?x) r m", "(?x"},
		{`\u00e9`, `\u`},
		{"(", "missing closing )"},
		{"[", "missing closing ]"},
		{"[^]", "missing closing ]"},
		{"*", "missing argument to repetition operator"},
		{`a\`, "trailing backslash"},
	}
	for _, test := range tests {
		if text, err := fromPython(test.expression); err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "RE2") {
			t.Errorf("%s is %q with the error %v, want one that says %s", test.expression, text, err, test.says)
		}
	}
}

// FuzzExpressions: no text is too odd to be translated or refused, and what is
// translated compiles.
func FuzzExpressions(f *testing.F) {
	for _, seed := range []string{"", "rm$", `[^]\]$]{,2}`, "(?m)^a$", `\`, "[", "(?", "(?P=", "{,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		translated, err := fromPython(text)
		if err != nil {
			return
		}
		if _, err := regexp.Compile(translated); err != nil {
			t.Errorf("%q became %q: %v", text, translated, err)
		}
	})
}
