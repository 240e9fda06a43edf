package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// misread returns why the shells are known to read a text differently from its
// tree, or "". Each case was found with a real shell: a command ran that the
// tree does not hold.
func misread(file *syntax.File, d dialect, text string) string {
	problem := ""
	syntax.Walk(file, func(node syntax.Node) bool {
		if problem == "" {
			problem = misreadNode(node, d, text)
		}
		return problem == ""
	})
	return problem
}

func misreadNode(node syntax.Node, d dialect, text string) string {
	if c, ok := node.(*syntax.Comment); ok && strings.Contains(c.Text, "\n") {
		// In every shell a comment ends with its line; the parser continues
		// one that ends with a backslash, and takes the next line for
		// arguments (security research 1.2, 2).
		return "a comment ends with a backslash, and what follows is read differently by shells and parsers; remove the backslash"
	}
	if c, ok := node.(*syntax.CmdSubst); ok && c.Backquotes && holdsBackquotes(c) {
		return "backquotes within backquotes are read differently by shells and parsers; use $(…)"
	}
	if d == dialectDash {
		return ""
	}
	switch node := node.(type) {
	case *syntax.ParamExp:
		if operandRuns(node) {
			return "a process substitution in the word of ${…} is text to parsers and runs in bash; put it into a variable first"
		}
	case *syntax.CmdSubst:
		if !node.Backquotes && reprintedWrong(node) {
			return "bash may misread what follows a here-document within $(…); end the substitution after it"
		}
	case *syntax.ProcSubst:
		if reprintedWrong(node) {
			return "bash may misread what follows a here-document within <(…); end the substitution after it"
		}
	case *syntax.LetClause:
		if operatorsInLet(node, text) {
			return "let ends at an operator of the shell, where parsers read on; use (( … ))"
		}
	}
	return ""
}

// holdsBackquotes says that another substitution in backquotes is within one,
// or what could be one at a depth where backslashes count differently.
func holdsBackquotes(outer *syntax.CmdSubst) bool {
	found := false
	syntax.Walk(outer, func(node syntax.Node) bool {
		c, ok := node.(*syntax.CmdSubst)
		found = found || ok && c != outer && c.Backquotes
		return !found
	})
	return found
}

// operandRuns says that the word after the operator of ${…} holds the start of
// a process substitution.
func operandRuns(p *syntax.ParamExp) bool {
	found := false
	for _, w := range operands(p) {
		syntax.Walk(w, func(node syntax.Node) bool {
			if lit, ok := node.(*syntax.Lit); ok {
				found = found || strings.Contains(lit.Value, "<(") || strings.Contains(lit.Value, ">(")
			}
			return !found
		})
	}
	return found
}

func operands(p *syntax.ParamExp) (words []*syntax.Word) {
	if p.Exp != nil && p.Exp.Word != nil {
		words = append(words, p.Exp.Word)
	}
	if p.Repl != nil && p.Repl.Orig != nil {
		words = append(words, p.Repl.Orig)
	}
	if p.Repl != nil && p.Repl.With != nil {
		words = append(words, p.Repl.With)
	}
	return words
}

// reprintedWrong says that a substitution holds a here-document and more than
// one pipeline. Bash prints a substitution from its tree and reads that again,
// and after a here-document it drops separators: `c;8` becomes `c 8`
// (bash 5.2.15).
func reprintedWrong(substitution syntax.Node) bool {
	document, several := false, false
	syntax.Walk(substitution, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Redirect:
			document = document || node.Op == syntax.Hdoc || node.Op == syntax.DashHdoc
		case *syntax.CmdSubst:
			several = several || len(node.Stmts) > 1
		case *syntax.ProcSubst:
			several = several || len(node.Stmts) > 1
		case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause,
			*syntax.ForClause, *syntax.CaseClause, *syntax.FuncDecl:
			several = true
		}
		return !document || !several
	})
	return document && several
}

// operatorsInLet says that an expression of let, which is a plain word to
// bash, goes on over an operator of the shell.
func operatorsInLet(let *syntax.LetClause, text string) bool {
	for _, x := range let.Exprs {
		if _, word := x.(*syntax.Word); word {
			continue
		}
		from, to := int(x.Pos().Offset()), int(x.End().Offset())
		if from > to || to > len(text) || strings.ContainsAny(text[from:to], "&|<>();") {
			return true
		}
	}
	return false
}
