package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// quoting says how the shell reads single quotes at a place of a word.
type quoting uint8

const (
	// plain: single quotes quote.
	plain quoting = iota
	// inDouble: within double quotes or a here-document. In the word of
	// ${x:-…} there, single quotes are plain characters to all shells, but
	// quotes to the parser (security research 1.2, 3).
	inDouble
)

// visit walks the parts of a word for what they run.
func (a *analyser) visit(parts []syntax.WordPart, s *scope, q quoting) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
		case *syntax.SglQuoted:
			if q == inDouble && strings.ContainsAny(part.Value, "$`\"}\\") {
				a.unknown(KindSyntax, "single quotes do not quote here: to the shell they are plain characters within double quotes", s.source(part), s.at(part))
			}
		case *syntax.DblQuoted:
			a.visit(part.Parts, s, inDouble)
		case *syntax.ParamExp:
			a.parameter(part, s, q)
		case *syntax.CmdSubst:
			a.statements(part.Stmts, s.sub())
		case *syntax.ArithmExp:
			a.arithmetic(part.X, s)
		case *syntax.ProcSubst:
			inner := s.sub()
			if part.Op == syntax.CmdOut {
				inner.stdin = stdin{kind: stdinOpen}
			}
			a.statements(part.Stmts, inner)
		case *syntax.ExtGlob:
			a.extGlob(part, s)
		case *syntax.BraceExp:
			for _, elem := range part.Elems {
				a.visit(elem.Parts, s, q)
			}
		default:
			a.unknown(KindSyntax, "this expansion is not understood", s.source(part), s.at(part))
		}
	}
}

// extGlob judges an extended pattern, whose inside the parser leaves unread
// although the shell expands it.
func (a *analyser) extGlob(glob *syntax.ExtGlob, s *scope) {
	if strings.ContainsAny(glob.Pattern.Value, "$`'\"\\<>") {
		a.unknown(KindSyntax, "an extended pattern holds expansions or quotes, which parsers leave unread", s.source(glob), s.at(glob))
	}
}

// parameter walks ${…}.
func (a *analyser) parameter(p *syntax.ParamExp, s *scope, q quoting) {
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 || p.IsSet || p.Width {
		a.unknown(KindSyntax, "this expansion is not understood", s.source(p), s.at(p))
		return
	}
	if p.Index != nil && !isAllElements(p.Index) {
		a.arithmetic(p.Index, s)
	}
	if p.Excl && p.Names == 0 && !isAllElements(p.Index) {
		// The value is a name, and its subscript is evaluated.
		a.evaluate(p.Param.Value, s.source(p), s.at(p))
	}
	if p.Slice != nil {
		a.arithmetic(p.Slice.Offset, s)
		a.arithmetic(p.Slice.Length, s)
	}
	if p.Repl != nil {
		a.visitWord(p.Repl.Orig, s, plain)
		a.visitWord(p.Repl.With, s, plain)
	}
	if p.Exp != nil {
		a.expansion(p, s, q)
	}
}

func (a *analyser) visitWord(w *syntax.Word, s *scope, q quoting) {
	if w != nil {
		a.visit(w.Parts, s, q)
	}
}

// expansion walks the operator of ${x:-…} and its like.
func (a *analyser) expansion(p *syntax.ParamExp, s *scope, q quoting) {
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		a.visitWord(p.Exp.Word, s, q)
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		a.visitWord(p.Exp.Word, s, q)
		value := resolveValue(p.Exp.Word, s)
		assignment := Assignment{Name: p.Param.Value, Value: value.Word, Pos: s.at(p)}
		a.out.Assigns = append(a.out.Assigns, assignment)
		a.assigned(p.Param.Value, originOf(p.Exp.Word, s))
		a.judgeAssignment(assignment)
	case syntax.OtherParamOps:
		if p.Exp.Word == nil || !contains(" a A E K k L Q U u ", p.Exp.Word.Lit()) {
			a.unknown(KindEvaluation, "${"+p.Param.Value+"@P} runs the substitutions in a variable's value", s.source(p), s.at(p))
		}
	default: // patterns: # % ^ , and their doubles
		a.visitWord(p.Exp.Word, s, plain)
	}
}

// resolveValue returns the value of a word that may be missing.
func resolveValue(w *syntax.Word, s *scope) word {
	if w == nil {
		return known("", s.pos)
	}
	return resolve(w, s)
}

// isAllElements says that a subscript is @ or *.
func isAllElements(index syntax.ArithmExpr) bool {
	w, ok := index.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}
