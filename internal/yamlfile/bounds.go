package yamlfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// The parser calls itself for each level, and its time grows with the square of the
// entries of a mapping: without bounds a file below Size could end the program
// or hold it for minutes.
const (
	// MostTokens bounds the words and signs of a file: more than 3,000 rules have.
	MostTokens = 100_000

	mostLevels = 64
	mostKeys   = 256 // of one mapping; several times the number of options
)

// checkBounds looks for what the parser must not see, and for what a configuration
// does not need: with anchors and aliases the section of the policy would not stand
// for itself, and a short file could be a large one.
func checkBounds(tokens token.Tokens) (line int, err error) {
	if len(tokens) > MostTokens {
		return tokenLine(tokens[MostTokens]), fmt.Errorf("the file is too long from here on; it has more than %d words and signs", MostTokens)
	}
	var n nesting
	for _, t := range tokens {
		if err := unwanted(t); err != nil {
			return tokenLine(t), err
		}
		keys := n.add(t)
		switch {
		case keys > mostKeys:
			return tokenLine(t), fmt.Errorf("this mapping has more than %d keys", mostKeys)
		case len(n) > mostLevels:
			return tokenLine(t), fmt.Errorf("this is nested more than %d levels deep", mostLevels)
		case n.inBrackets() && t.Type == token.StringType && strings.Contains(t.Value, ": "):
			// To the parser all of it is one text: a key would vanish with its comma.
			return tokenLine(t), fmt.Errorf("a comma is missing before a key in %q, or quotes around it", shown(t.Value))
		}
	}
	return 0, nil
}

// unwanted returns why a file may not hold t. Most people who meet this have
// forgotten the quotes around a pattern.
func unwanted(t *token.Token) error {
	switch t.Type {
	case token.AnchorType, token.AliasType, token.MergeKeyType:
		return errors.New("anchors (&), aliases (*) and merge keys (<<) are not read; write the value out, or put a text that begins so in quotes")
	case token.TagType:
		return errors.New("tags (!) are not read; put a text that begins so in quotes")
	case token.DirectiveType:
		return errors.New("directives (%) are not read; put a text that begins so in quotes")
	case token.MappingKeyType:
		return errors.New("a key after a question mark is not read; write key: value, or put a text that begins so in quotes")
	}
	return nil
}

// nesting follows the levels of mappings and lists through the tokens of a file,
// the innermost last.
type nesting []level

type level struct {
	column int // of its entries; 0 inside brackets, where columns mean nothing
	list   bool
	keys   int
}

// add takes the next token, and returns the keys that the mapping has in which it
// is, if it ends a key.
func (n *nesting) add(t *token.Token) (keys int) {
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		*n = append(*n, level{})
	case token.MappingEndType, token.SequenceEndType:
		n.closeBracket()
	case token.SequenceEntryType:
		n.block(t.Position.Column, true)
	case token.MappingValueType:
		if t.Prev != nil {
			n.block(t.Prev.Position.Column, false)
		}
		if len(*n) == 0 {
			return 0
		}
		top := &(*n)[len(*n)-1]
		top.keys++
		return top.keys
	}
	return 0
}

// inBrackets reports whether the current level is written in brackets.
func (n nesting) inBrackets() bool { return len(n) > 0 && n[len(n)-1].column == 0 }

// closeBracket leaves all levels up to the innermost bracket.
func (n *nesting) closeBracket() {
	for len(*n) > 0 {
		top := (*n)[len(*n)-1]
		*n = (*n)[:len(*n)-1]
		if top.column == 0 {
			return
		}
	}
}

// block enters the level whose entries begin at column, unless it is the current
// one. A list may begin at the column of the key that it belongs to, so such a list
// ends with the next key.
func (n *nesting) block(column int, list bool) {
	for len(*n) > 0 {
		top := (*n)[len(*n)-1]
		if top.column < column || top.column == column && (list || !top.list) {
			break
		}
		*n = (*n)[:len(*n)-1]
	}
	if len(*n) > 0 {
		top := (*n)[len(*n)-1]
		if top.column == 0 || top.column == column && top.list == list {
			return
		}
	}
	*n = append(*n, level{column: column, list: list})
}

// shown cuts a text to what is enough to recognize it.
func shown(text string) string {
	const most = 60 // bytes
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
