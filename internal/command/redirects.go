package command

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects walks the redirections of a statement. in is not nil if they give
// it another standard input.
func (a *analyser) redirects(list []*syntax.Redirect, s *scope) (out []Redirect, in *stdin) {
	for _, r := range list {
		redirect, source := a.redirect(r, s)
		out = append(out, redirect)
		if source != nil && redirectsStdin(r) {
			in = source
		}
	}
	return out, in
}

// redirectsStdin says that a redirection is of descriptor 0. Without a number,
// only those that read are (POSIX, 2.7).
func redirectsStdin(r *syntax.Redirect) bool {
	if r.N != nil {
		return strings.Trim(r.N.Value, "0") == "" // 00 is 0, too
	}
	return strings.HasPrefix(r.Op.String(), "<")
}

// redirect walks one redirection. source is what it gives to read.
func (a *analyser) redirect(r *syntax.Redirect, s *scope) (out Redirect, source *stdin) {
	out = Redirect{Op: r.Op.String(), Pos: s.at(r)}
	if r.N != nil && strings.ContainsAny(r.N.Value, "[$`") {
		a.unknown(KindEvaluation, "the subscript of a descriptor's variable is evaluated", s.source(r), out.Pos)
	}
	if strings.HasPrefix(out.Op, "<<") {
		return a.hereDocument(r, out, s)
	}
	target := a.target(r.Word, s)
	out.Target = target.Word
	source = &stdin{kind: stdinOpen}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		if isDescriptor(target) {
			out.Target.Known = true
			return out, source
		}
		if r.Op == syntax.DplIn {
			if target.process || !target.static() {
				a.unknown(KindRedirect, "the descriptor that is duplicated is known only when it runs", s.source(r), out.Pos)
			}
			return out, source
		}
		out.Writes = true // >& with a word is &>
	case syntax.RdrIn:
		out.Reads = true
	case syntax.RdrInOut:
		out.Reads, out.Writes = true, true
	default:
		out.Writes = true
	}
	if target.process {
		return out, source // a pipe to or from what was walked already
	}
	out.Path = a.judgeTarget(target, out.Writes, s.dir, s.source(r))
	if out.Path == "/dev/null" {
		source.kind = stdinEmpty
	}
	return out, source
}

// target walks the word of a redirection. bash expands braces there, and takes
// the result if it is one word.
func (a *analyser) target(w *syntax.Word, s *scope) word {
	a.visit(w.Parts, s, plain)
	words := expandBraces(w, s)
	if len(words) == 1 {
		return words[0]
	}
	return word{Word: Word{Text: s.source(w)}, many: true, pos: s.at(w)}
}

// hereDocument walks a here-document or a here-string.
func (a *analyser) hereDocument(r *syntax.Redirect, out Redirect, s *scope) (Redirect, *stdin) {
	if r.Op == syntax.WordHdoc {
		out.Target = a.word(r.Word, s).Word
	} else if r.Hdoc != nil {
		a.visit(r.Hdoc.Parts, s, inDouble)
		out.Target.Text, out.Target.Known = documentText(r)
	}
	if text, ok := hereText(r, s); ok {
		return out, &stdin{kind: stdinText, text: text}
	}
	return out, &stdin{kind: stdinOpen}
}

// isDescriptor says that a word is what <& and >& take besides a file: a
// number, or - to close.
func isDescriptor(w word) bool {
	return w.static() && (w.Text == "-" || w.Text != "" && strings.Trim(strings.TrimSuffix(w.Text, "-"), "0123456789") == "")
}

// judgeTarget judges a file that is opened by name, and returns its absolute
// path if that is known.
func (a *analyser) judgeTarget(target word, writes bool, dir, text string) string {
	if !target.static() {
		a.unknown(KindRedirect, "the file of a redirection is known only when it runs", text, target.pos)
		a.blindWrite = a.blindWrite || writes
		return ""
	}
	a.judgeFile(target.Text, writes, text, target.pos)
	return absolute(target.Text, dir)
}

// absolute returns the clean absolute path of a file, or "".
func absolute(file, dir string) string {
	switch {
	case path.IsAbs(file):
		return path.Clean(file)
	case dir != "" && file != "":
		return path.Join(dir, file)
	}
	return ""
}
