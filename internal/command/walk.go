package command

import (
	"mvdan.cc/sh/v3/syntax"
)

// script analyses a shell's text. The outermost text has places of its own;
// in an inner one all places are that of the scope. The scope's state (its
// directory, its functions) afterwards is that of the script's end.
func (a *analyser) script(text string, d dialect, s *scope, outermost bool) {
	if s.scripts++; s.scripts > maxScripts {
		a.unknown(KindLimit, "scripts within scripts are nested too deep to be analysed", text, s.pos)
		return
	}
	if a.scriptBytes += len(text); a.scriptBytes > maxScriptBytes {
		a.unknown(KindLimit, "the scripts within this text are too long together to be analysed", text, s.pos)
		return
	}
	if readableText, refusal := readable(text); refusal != nil || readableText != text {
		reason := "an inner script has carriage returns before line ends, which a shell takes for a part of the last word"
		if refusal != nil {
			reason = "an inner script cannot be analysed: " + refusal.Reason
		}
		a.unknown(KindSyntax, reason, text, s.pos)
		return
	}
	file, problem := parse(text, d)
	if problem != "" {
		a.unknown(KindSyntax, problem, text, s.pos)
	}
	if file == nil {
		return
	}
	outer := *s
	s.dialect, s.src, s.fixed, s.moves = d, text, !outermost, s.moves || moves(text)
	a.statements(file.Stmts, s)
	s.dialect, s.src, s.fixed, s.moves, s.scripts = outer.dialect, outer.src, outer.fixed, outer.moves, outer.scripts-1
}

// statements walks a list, one after the other in the same shell.
func (a *analyser) statements(list []*syntax.Stmt, s *scope) {
	for _, st := range list {
		a.statement(st, s)
	}
}

func (a *analyser) statement(st *syntax.Stmt, s *scope) {
	if st == nil {
		return
	}
	if st.Background {
		s = s.sub()
	}
	redirects, in := a.redirects(st.Redirs, s)
	if call, ok := st.Cmd.(*syntax.CallExpr); ok {
		a.simple(call, redirects, in, s)
		return
	}
	if decl, ok := st.Cmd.(*syntax.DeclClause); ok {
		a.declaration(decl, redirects, s)
		return
	}
	a.out.Redirects = append(a.out.Redirects, redirects...)
	if st.Cmd == nil {
		return
	}
	outer := s.stdin
	if in != nil {
		s.stdin = *in
	}
	a.compound(st.Cmd, s)
	s.stdin = outer
}

// compound walks what is neither a simple command nor a declaration.
func (a *analyser) compound(cmd syntax.Command, s *scope) {
	switch cmd := cmd.(type) {
	case *syntax.BinaryCmd:
		if isPipe(cmd) {
			a.pipeline(cmd, s)
		} else {
			a.list(cmd, s)
		}
	case *syntax.Block:
		a.statements(cmd.Stmts, s)
	case *syntax.Subshell:
		a.statements(cmd.Stmts, s.sub())
	case *syntax.IfClause:
		a.ifClause(cmd, s)
	case *syntax.WhileClause:
		a.loop(cmd, cmd.Do, s, func(s *scope) { a.statements(cmd.Cond, s) })
	case *syntax.ForClause:
		a.loop(cmd, cmd.Do, s, func(s *scope) { a.forHead(cmd.Loop, s) })
	case *syntax.CaseClause:
		a.caseClause(cmd, s)
	case *syntax.FuncDecl:
		a.function(cmd, s)
	case *syntax.TimeClause:
		a.statement(cmd.Stmt, s)
	case *syntax.ArithmCmd:
		a.arithmetic(cmd.X, s)
	case *syntax.LetClause:
		for _, x := range cmd.Exprs {
			a.arithmetic(x, s)
		}
	case *syntax.TestClause:
		a.test(cmd.X, s)
	case *syntax.CoprocClause:
		a.unknown(KindSyntax, "coproc is read differently by shells and parsers; use a pipe, a file or &", s.source(cmd), s.at(cmd))
		inner := s.sub()
		inner.stdin = stdin{kind: stdinOpen}
		a.statement(cmd.Stmt, inner)
	default:
		a.unknown(KindSyntax, "this form is not understood", s.source(cmd), s.at(cmd))
	}
}
