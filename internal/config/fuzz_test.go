package config

import (
	"errors"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"whelk/internal/yamlfile"
)

// read collects the tokens that are in a tree.
type read map[*token.Token]bool

func (r read) Visit(n ast.Node) ast.Visitor {
	r[n.GetToken()] = true
	return r
}

// FuzzFile looks for texts that are taken although a part of them was not read: a
// list of what is denied must not vanish.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		"", "yield: 1s\n", "# c\n---\nmax: {output: 1}\nallow:\n- a\n- 'b'\npolicy:\n  rules:\n  - name: é\n    a: [1, ~]\nshell: |\n  a\n",
		"{\"policy\": {\"a\": []}, yield: 1s}", "policy: {a: \"}\"} # c\n", "deny: [*a, &b c, !d e]\n", "a: b: c", "? a\n: b", "<<: {a: b}",
		"yield: 1s\n---\ndeny: [rm]", "env_set: [\"A=\\x41\\n\", >-\n  b\n]", "\ufeffa:\r- b\r\n", "policy:\n\ta: 1", "cwd: ''''\nroots: []",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := parseFile("/c", text)
		for _, err := range got.faults {
			var fault *Error
			if !errors.As(err, &fault) || fault.Origin == "" || fault.Reason == "" {
				t.Errorf("a fault is %#v", err)
			}
		}
		if len(got.faults) > 0 {
			return
		}
		checkWhole(t, string(text))
		if got.policy == nil {
			return
		}
		if root, line, err := yamlfile.Parse(string(got.policy)); err != nil || root == nil {
			t.Errorf("the section %q is %v: line %d: %v", got.policy, root, line, err)
		}
	})
}

// checkWhole checks that each scalar of a text is in its tree.
func checkWhole(t *testing.T, text string) {
	t.Helper()
	tokens := lexer.Tokenize(text)
	tree, err := parser.Parse(tokens, 0)
	if err != nil {
		return // parseFile reads another text, without carriage returns and such
	}
	seen := read{}
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			ast.Walk(seen, doc.Body)
		}
	}
	for _, tok := range tokens {
		switch tok.Type {
		case token.StringType, token.SingleQuoteType, token.DoubleQuoteType, token.IntegerType, token.FloatType, token.BoolType:
			if !seen[tok] {
				t.Errorf("%q at %v was not read", tok.Value, tok.Position)
			}
		}
	}
}
