package yamlfile

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Parse returns the root of the one document of text, nil if it is empty: nothing, or
// comments alone. An error is at the line; its text says what is wrong with the file.
func Parse(text string) (root ast.Node, line int, err error) {
	// A fault of the parser must not end a server that reads its file again.
	defer func() {
		if p := recover(); p != nil {
			root, line, err = nil, 1, fmt.Errorf("this is no YAML that can be read (%v)", p)
		}
	}()
	tokens := lexer.Tokenize(text)
	if line, err := checkBounds(tokens); err != nil {
		return nil, line, err
	}
	tree, err := parser.Parse(tokens, 0)
	var fault yaml.Error
	switch {
	case errors.As(err, &fault):
		return nil, tokenLine(fault.GetToken()), fmt.Errorf("this is no YAML: %s", fault.GetMessage())
	case err != nil:
		return nil, 1, fmt.Errorf("this is no YAML: %w", err)
	}
	for _, doc := range tree.Docs {
		switch {
		case doc.Body == nil:
		case root != nil:
			return nil, Line(doc.Body), errors.New("a second document begins here; a file has one")
		default:
			root = doc.Body
		}
	}
	return root, 0, nil
}

func tokenLine(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 1
	}
	return t.Position.Line
}

// Line returns the line, counted from 1, in which a node begins.
func Line(n ast.Node) int { return tokenLine(n.GetToken()) }

// Pairs returns the entries of a mapping; ok is false for any other node.
func Pairs(n ast.Node) (entries []*ast.MappingValueNode, ok bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// List returns the items of a list; ok is false for any other node.
func List(n ast.Node) (items []ast.Node, ok bool) {
	if n, ok := n.(*ast.SequenceNode); ok {
		return n.Values, true
	}
	return nil, false
}

// Key returns a key as it is written, without its quotes.
func Key(entry *ast.MappingValueNode) string { return entry.Key.GetToken().Value }

// Scalar returns the text of a single value. Of a number or a boolean it is the
// spelling in the file, since settings have readers of their own: YAML's would
// make 1_000 and 0x10 of it, and of a command named true something else.
func Scalar(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.LiteralNode: // of several lines
		return n.Value.Value, true
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// IsNull reports whether a node is no value at all.
func IsNull(n ast.Node) bool {
	_, ok := n.(*ast.NullNode)
	return ok
}
