package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stdin is what a command would read from standard input.
type stdin struct {
	kind stdinKind
	// text is the whole input for stdinText.
	text string
}

type stdinKind uint8

const (
	// stdinEmpty ends at once, as /dev/null.
	stdinEmpty stdinKind = iota
	// stdinText is known in full, and read by one command alone.
	stdinText
	// stdinOpen comes while it runs: a pipe, a terminal, a file.
	stdinOpen
)

// shared returns the input for one of several commands that read the same:
// where each begins is not known.
func (in stdin) shared() stdin {
	if in.kind == stdinText {
		return stdin{kind: stdinOpen}
	}
	return in
}

// inputStdin returns what the input's command reads. A terminal is written to
// later as well.
func inputStdin(in Input) stdin {
	switch {
	case in.KeepsStdin || in.TTY:
		return stdin{kind: stdinOpen}
	case in.HasStdin:
		return stdin{kind: stdinText, text: in.Stdin}
	}
	return stdin{}
}

// pipedFrom returns what a statement writes to a pipe, where it is plain to
// see: echo with static words, and cat of a here-document.
func pipedFrom(st *syntax.Stmt, s *scope) stdin {
	open := stdin{kind: stdinOpen}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) == 0 || s.functions["echo"] || s.functions["cat"] {
		return open
	}
	var words []word
	for _, arg := range call.Args {
		words = append(words, expandBraces(arg, s)...)
	}
	list, static := texts(words)
	if !static {
		return open
	}
	switch text := strings.Join(list[1:], " "); {
	case list[0] == "echo" && len(st.Redirs) == 0 && !strings.HasPrefix(text, "-") && !strings.Contains(text, `\`):
		return stdin{kind: stdinText, text: text + "\n"}
	case list[0] == "cat" && len(list) == 1 && len(st.Redirs) == 1:
		if text, ok := hereText(st.Redirs[0], s); ok {
			return stdin{kind: stdinText, text: text}
		}
	}
	return open
}

// hereText returns the text of a here-document or here-string for standard
// input, if it is known.
func hereText(r *syntax.Redirect, s *scope) (text string, ok bool) {
	if r.N != nil && r.N.Value != "0" {
		return "", false
	}
	switch r.Op {
	case syntax.WordHdoc:
		w := resolve(r.Word, s)
		return w.Text + "\n", w.Known
	case syntax.Hdoc, syntax.DashHdoc:
		return documentText(r)
	}
	return "", false
}

// documentText returns the text of a here-document, if it is known.
func documentText(r *syntax.Redirect) (text string, ok bool) {
	if r.Hdoc == nil {
		return "", true
	}
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", false
		}
		b.WriteString(lit.Value)
	}
	text = b.String()
	if !quotedDelimiter(r.Word) {
		text = unescapeQuoted(text, "$`\\")
	}
	if r.Op == syntax.DashHdoc {
		lines := strings.SplitAfter(text, "\n")
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], "\t")
		}
		text = strings.Join(lines, "")
	}
	return text, true
}

// quotedDelimiter says that a here-document is taken as it stands.
func quotedDelimiter(w *syntax.Word) bool {
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}
