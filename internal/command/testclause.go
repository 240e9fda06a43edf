package command

import "mvdan.cc/sh/v3/syntax"

// test walks the expression of [[ ]].
func (a *analyser) test(x syntax.TestExpr, s *scope) {
	switch x := x.(type) {
	case *syntax.Word:
		a.visit(x.Parts, s, plain)
	case *syntax.ParenTest:
		a.test(x.X, s)
	case *syntax.UnaryTest:
		a.test(x.X, s)
		operand, ok := x.X.(*syntax.Word)
		if ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			a.variable(resolve(operand, s), call{words: []word{known("[[ -v", s.at(x))}, pos: s.at(x)})
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			a.testOperand(x.X, s)
			a.testOperand(x.Y, s)
		default:
			a.test(x.X, s)
			a.test(x.Y, s)
		}
	default:
		a.unknown(KindSyntax, "this test is not understood", s.source(x), s.at(x))
	}
}

// testOperand walks an operand of -eq and its like, which is an expression.
func (a *analyser) testOperand(x syntax.TestExpr, s *scope) {
	if w, ok := x.(*syntax.Word); ok {
		a.operand(w.Parts, s)
		return
	}
	a.test(x, s)
}
