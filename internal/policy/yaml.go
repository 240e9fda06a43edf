package policy

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The parser calls itself for each level, and its time grows with the square of
// the keys of a mapping. Within these bounds it takes a moment.
const (
	mostBytes  = 256 << 10 // of a document
	mostTokens = 100_000
	mostLevels = 32
)

// yamlFault is a fault at a line of a document.
type yamlFault struct {
	line int
	err  error
}

func (f *yamlFault) Error() string { return fmt.Sprintf("line %d: %v", f.line, f.err) }
func (f *yamlFault) Unwrap() error { return f.err }

func faultAt(n ast.Node, format string, args ...any) error {
	return &yamlFault{lineOf(n), fmt.Errorf(format, args...)}
}

// parseYAML returns the root of the one document, nil if it is empty.
func parseYAML(text string) (root ast.Node, err error) {
	// The parser is not ours: what it cannot do must be a fault of the policy
	// and not the end of the program.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, &yamlFault{1, fmt.Errorf("this is no YAML that can be read (%v)", p)}
		}
	}()
	if len(text) > mostBytes {
		return nil, &yamlFault{1, fmt.Errorf("the policy is longer than %d bytes", mostBytes)}
	}
	tokens := lexer.Tokenize(text)
	if err := checkTokens(tokens); err != nil {
		return nil, err
	}
	tree, err := parser.Parse(tokens, 0)
	if fault := yaml.Error(nil); errors.As(err, &fault) {
		return nil, &yamlFault{tokenLine(fault.GetToken()), fmt.Errorf("this is no YAML: %s", fault.GetMessage())}
	}
	if err != nil {
		return nil, &yamlFault{1, fmt.Errorf("this is no YAML: %w", err)}
	}
	for _, doc := range tree.Docs {
		switch {
		case doc.Body == nil:
		case root != nil:
			return nil, faultAt(doc.Body, "a second document begins here; a policy has one")
		default:
			root = doc.Body
		}
	}
	return root, nil
}

// checkTokens refuses what a policy does not need: references, by which a short
// text could stand for a long one, tags, and deep nesting.
func checkTokens(tokens token.Tokens) error {
	if len(tokens) > mostTokens {
		return &yamlFault{1, fmt.Errorf("the policy has more than %d words and signs", mostTokens)}
	}
	brackets, dashes, line := 0, 0, 0
	for _, t := range tokens {
		if tokenLine(t) != line {
			line, dashes = tokenLine(t), 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.DirectiveType, token.MappingKeyType:
			return &yamlFault{line, fmt.Errorf("%q is not read here; put a text that begins so in quotes", shown(t.Value))}
		case token.MappingStartType, token.SequenceStartType:
			brackets++
		case token.MappingEndType, token.SequenceEndType:
			brackets--
		case token.SequenceEntryType:
			dashes++
		}
		if brackets > mostLevels || dashes > mostLevels {
			return &yamlFault{line, fmt.Errorf("this is nested more than %d levels deep", mostLevels)}
		}
	}
	return nil
}

func tokenLine(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 1
	}
	return t.Position.Line
}

func lineOf(n ast.Node) int {
	if n == nil {
		return 1
	}
	return tokenLine(n.GetToken())
}

// pairsOf returns the entries of a mapping; anything else is a fault.
func pairsOf(n ast.Node, what string) ([]*ast.MappingValueNode, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	}
	return nil, faultAt(n, "%s takes keys with values, not %s", what, kindOf(n))
}

// scalarOf returns the text of a single value, as it is spelt: a command may
// be named true, or 7z, and must not become something else.
func scalarOf(n ast.Node, what string) (string, error) {
	switch n := n.(type) {
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	}
	return "", faultAt(n, "%s takes a text, not %s", what, kindOf(n))
}

// listOf returns the texts of a list, or of a single text.
func listOf(n ast.Node, what string) ([]string, error) {
	sequence, ok := n.(*ast.SequenceNode)
	if !ok {
		if _, err := scalarOf(n, what); err != nil {
			return nil, faultAt(n, "%s takes a list of texts, not %s", what, kindOf(n))
		}
		return nil, faultAt(n, "%s takes a list: write - before each of its entries", what)
	}
	texts := make([]string, 0, len(sequence.Values))
	for _, item := range sequence.Values {
		text, err := scalarOf(item, "an entry of "+what)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// oneOrMore returns the texts of a list, or the one text.
func oneOrMore(n ast.Node, what string) ([]string, error) {
	if _, ok := n.(*ast.SequenceNode); ok {
		return listOf(n, what)
	}
	text, err := scalarOf(n, what)
	if err != nil {
		return nil, err
	}
	return []string{text}, nil
}

// kindOf names a node for a person.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys with values"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	}
	return "this"
}
