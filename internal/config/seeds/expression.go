package seeds

import (
	"fmt"
	"regexp"
	"strings"
)

// foreign are the constructs of Python's expressions that no engine of linear
// time has, by what they begin with.
var foreign = []struct{ token, what string }{
	{"(?=", "a lookahead"},
	{"(?!", "a negative lookahead"},
	{"(?<=", "a lookbehind"},
	{"(?<!", "a negative lookbehind"},
	{"(?P=", "a backreference"},
	{"(?(", "a conditional group"},
	{"(?>", "an atomic group"},
	{"(?#", "a comment"},
}

// multiline finds the flag that makes ^ and $ match at every line.
var multiline = regexp.MustCompile(`\(\?[a-zA-Z]*m`)

// fromPython returns the expression that finds in RE2, which the policy uses,
// what text finds with Python's re, which the seeds use: they differ in a few
// signs that both take. An expression that limits what may run must not come to
// mean something else, so what has no counterpart is an error.
func fromPython(text string) (string, error) {
	var b strings.Builder
	lines := multiline.MatchString(text)
	for rest := text; rest != ""; {
		n, translated := 1, rest[:1]
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			n, translated = 2, rest[:2]
			switch c := rest[1]; {
			case c >= '1' && c <= '9':
				return "", foreignError(text, rest[:2], "a backreference")
			case c == 'Z':
				translated = `\z`
			}
		case rest[0] == '[':
			n = classEnd(rest)
			// A bracket in a class is a character; RE2 has classes in classes.
			translated = "[" + strings.ReplaceAll(rest[1:n], "[:", `\[:`)
		case rest[0] == '$' && !lines: // also before a line feed at the end
			translated = `(?:\n?\z)`
		case strings.HasPrefix(rest, "{,"): // to RE2 it is text
			n, translated = 2, "{0,"
		case rest[0] == '(':
			for _, f := range foreign {
				if strings.HasPrefix(rest, f.token) {
					return "", foreignError(text, f.token, f.what)
				}
			}
		}
		b.WriteString(translated)
		rest = rest[n:]
	}
	if _, err := regexp.Compile(b.String()); err != nil {
		return "", fmt.Errorf("the expression %q is faulty, or has what RE2 does not have: %w", text, err)
	}
	return b.String(), nil
}

// classEnd returns where the class that text begins with ends.
func classEnd(text string) int {
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	if strings.HasPrefix(text[i:], "]") { // the first is a character
		i++
	}
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return len(text)
}

func foreignError(text, token, what string) error {
	return fmt.Errorf("the expression %q has %s (%s); expressions are RE2's here, which has none: write it without", text, what, token)
}
