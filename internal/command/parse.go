package command

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse reads a script in a dialect. problem is not "" if the parser failed or
// is known to read such a text differently from the shells; a tree that comes
// with a problem is still worth a walk.
func parse(text string, d dialect) (file *syntax.File, problem string) {
	file, err := parseAs(text, d.variant())
	if err != nil {
		return nil, "the text does not parse as " + d.String() + ": " + parseMessage(err)
	}
	if d == dialectSh {
		posix, err := parseAs(text, syntax.LangPOSIX)
		if err != nil && rejectedBySh(text, file, err) {
			return file, misread(file, d, text)
		}
		if err != nil {
			return file, "the text is bash, but not POSIX sh, and sh may be either (" + parseMessage(err) + "); set shell to bash"
		}
		if !bytes.Equal(shape(file), shape(posix)) {
			return file, "bash and POSIX sh read this text differently, and sh may be either; set shell to bash"
		}
	}
	return file, misread(file, d, text)
}

// String returns the dialect's name for messages.
func (d dialect) String() string {
	switch d {
	case dialectBash:
		return "bash"
	case dialectDash:
		return "dash"
	case dialectSh:
		return "sh"
	}
	return "an unknown shell"
}

func parseAs(text string, lang syntax.LangVariant) (*syntax.File, error) {
	// Comments are kept for misread.
	parser := syntax.NewParser(syntax.KeepComments(true), syntax.Variant(lang))
	return parser.Parse(strings.NewReader(text), "")
}

// parseMessage returns the parser's message with its position.
func parseMessage(err error) string {
	if parseError, ok := errors.AsType[syntax.ParseError](err); ok {
		return parseError.Pos.String() + ": " + parseError.Text
	}
	return err.Error()
}

// rejectedBySh says that POSIX shells reject the line that holds the first
// difference before they run any of it, and read all that comes before as bash
// does. Then only a bash behind the name sh goes on, and its reading counts.
func rejectedBySh(text string, file *syntax.File, err error) bool {
	at, ok := errorOffset(err)
	if !ok || at > len(text) || !rejectedOperator().MatchString(text[at:]) {
		return false
	}
	start := 0
	for _, st := range file.Stmts {
		if int(st.Pos().Offset()) <= at {
			start = int(st.Pos().Offset())
		}
	}
	if strings.Contains(text[start:at], "\n") {
		return false // the lines before it run
	}
	bash, err := parseAs(text[:start], syntax.LangBash)
	if err != nil {
		return false
	}
	posix, err := parseAs(text[:start], syntax.LangPOSIX)
	return err == nil && bytes.Equal(shape(bash), shape(posix))
}

// rejectedOperator is where the parser stops at what every POSIX shell rejects
// as well: an array, a process substitution, a here-string.
var rejectedOperator = pattern(`^(\(|[<>]\(|<<<)`)

// errorOffset returns the place of a parser's error, in bytes.
func errorOffset(err error) (offset int, ok bool) {
	if parseError, ok := errors.AsType[syntax.ParseError](err); ok {
		return int(parseError.Pos.Offset()), parseError.Pos.IsValid()
	}
	langError, ok := errors.AsType[syntax.LangError](err)
	return int(langError.Pos.Offset()), ok && langError.Pos.IsValid()
}

// shape returns what two readings of one text must have in common to be the
// same: every statement, quote, expansion and compound command, with its
// place. The literal text between them is then the same as well.
func shape(file *syntax.File) []byte {
	var out []byte
	var timed *syntax.Stmt
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case nil, *syntax.Comment, *syntax.Lit, *syntax.Word, *syntax.Assign:
			return true
		case *syntax.CallExpr, *syntax.DeclClause:
			return true // export is a word to one, a clause to the other
		case *syntax.TimeClause:
			// A keyword to one, a program to the other, which matters only
			// before a pipeline.
			if node.Stmt != nil && isCall(node.Stmt.Cmd) {
				timed = node.Stmt
				return true
			}
		case *syntax.Stmt:
			if node == timed {
				return true
			}
		case *syntax.SglQuoted:
			if node.Dollar {
				out = append(out, '$')
			}
		}
		out = appendShape(out, node)
		return true
	})
	return out
}

func isCall(cmd syntax.Command) bool {
	_, ok := cmd.(*syntax.CallExpr)
	return ok
}

// appendShape appends the kind and the place of a node; where it ends only if
// that is its own token, since for others the parser looks for it each time.
func appendShape(out []byte, node syntax.Node) []byte {
	kind, end := byte('o'), syntax.Pos{}
	switch node := node.(type) {
	case *syntax.Stmt:
		kind, end = 'S', node.Semicolon
		if node.Background {
			kind = '&'
		}
	case *syntax.BinaryCmd:
		kind, end = byte(node.Op), node.OpPos
	case *syntax.CmdSubst:
		kind, end = 'C', node.Right
	case *syntax.ProcSubst:
		kind, end = 'R', node.Rparen
	case *syntax.SglQuoted:
		kind, end = 'q', node.Right
	case *syntax.DblQuoted:
		kind, end = 'Q', node.Right
	case *syntax.ParamExp:
		kind, end = 'P', node.End()
	case *syntax.ArithmExp:
		kind, end = 'A', node.Right
	case *syntax.Redirect:
		kind = byte(node.Op)
	}
	out = append(out, kind)
	out = binary.LittleEndian.AppendUint32(out, uint32(node.Pos().Offset()))
	return binary.LittleEndian.AppendUint32(out, uint32(end.Offset()))
}
