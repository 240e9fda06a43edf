package config

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"whelk/internal/yamlfile"
)

// section cuts the mapping value out of text: a block ends before the offset end, a
// flow mapping at its own bracket. What stands before it becomes blank, so that each
// line and column stays the same as in the file.
func section(text string, value ast.Node, end int) []byte {
	first := value.GetToken() // the opening bracket, of a flow mapping
	closing := (*ast.MappingNode)(nil)
	if m, ok := value.(*ast.MappingNode); ok && m.IsFlowStyle {
		closing = m
	} else if entries, _ := yamlfile.Pairs(value); len(entries) > 0 {
		first = entries[0].Key.GetToken()
	}
	start := offset(text, first.Position.Line, first.Position.Column)
	if closing != nil {
		end = offset(text, closing.End.Position.Line, closing.End.Position.Column) + 1
	}
	blank := strings.Repeat("\n", first.Position.Line-1) + strings.Repeat(" ", first.Position.Column-1)
	return []byte(blank + text[start:max(start, end)])
}

// lineStart returns the offset at which a line, counted from 1, begins.
func lineStart(text string, line int) int {
	at := 0
	for range line - 1 {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	return at
}

// offset returns the offset of a column, counted in characters from 1, of a line.
func offset(text string, line, column int) int {
	at := lineStart(text, line)
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return min(at, len(text))
}
