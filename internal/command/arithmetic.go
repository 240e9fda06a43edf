package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Arithmetic in bash evaluates the values of variables as expressions again,
// and the subscripts in them, with their command substitutions (security
// research 1.2, 5). So each variable that arithmetic reads must hold numbers
// only, from every place of the text that gives it a value. A variable that
// the text never sets comes from the environment of the server, which the
// caller does not choose.

// evaluated is a variable whose value is evaluated, and where.
type evaluated struct {
	name, reason, text string
	pos                Pos
}

// origin says where a variable's values come from: numeric is false if one is
// not a number; from names variables that it is copied from.
type origin struct {
	numeric bool
	from    []string
}

// assigned records a value of a variable.
func (a *analyser) assigned(name string, value origin) {
	before, ok := a.variables[name]
	if ok {
		value.numeric = value.numeric && before.numeric
		value.from = append(before.from, value.from...)
	}
	a.variables[name] = value
}

// judgeArithmetic reports the variables that are evaluated and may hold more
// than numbers. It runs last, since a loop may evaluate what comes later.
func (a *analyser) judgeArithmetic() {
	for _, e := range a.evaluated {
		if !a.holdsNumbers(e.name, make(map[string]bool)) {
			a.unknown(KindEvaluation, e.reason, e.text, e.pos)
		}
	}
}

func (a *analyser) holdsNumbers(name string, seen map[string]bool) bool {
	if seen[name] {
		return true
	}
	seen[name] = true
	value, ok := a.variables[name]
	if ok && !value.numeric || isPositional(name) {
		return false
	}
	for _, from := range value.from {
		if !a.holdsNumbers(from, seen) {
			return false
		}
	}
	return true
}

func isPositional(name string) bool {
	return name == "@" || name == "*" || name != "" && name != "0" && strings.Trim(name, "0123456789") == ""
}

// evaluate says that a variable's value is evaluated.
func (a *analyser) evaluate(name, text string, pos Pos) {
	reason := "arithmetic or a subscript evaluates $" + name + ", whose value may hold a command substitution"
	a.evaluated = append(a.evaluated, evaluated{name, reason, text, pos})
}

// arithmetic walks an expression.
func (a *analyser) arithmetic(x syntax.ArithmExpr, s *scope) {
	switch x := x.(type) {
	case nil:
	case *syntax.BinaryArithm:
		if target, ok := x.X.(*syntax.Word); ok && x.Op == syntax.Assgn {
			a.assigned(target.Lit(), origin{numeric: true})
		}
		a.arithmetic(x.X, s)
		a.arithmetic(x.Y, s)
	case *syntax.UnaryArithm:
		a.arithmetic(x.X, s)
	case *syntax.ParenArithm:
		a.arithmetic(x.X, s)
	case *syntax.Word:
		if x != nil {
			a.operand(x.Parts, s)
		}
	default:
		a.unknown(KindSyntax, "this expression is not understood", s.source(x), s.at(x))
	}
}

// plainExpression is an expression without subscripts and substitutions.
var plainExpression = pattern(`^[A-Za-z0-9_@#.,:?!~^%&|<>=()*/+\s-]*$`)

var identifier = pattern(`[A-Za-z_][A-Za-z0-9_]*`)

// operand walks a word whose value is evaluated.
func (a *analyser) operand(parts []syntax.WordPart, s *scope) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			a.expression(part.Value, part, s)
		case *syntax.SglQuoted:
			a.expression(part.Value, part, s)
		case *syntax.DblQuoted:
			a.operand(part.Parts, s)
		case *syntax.ArithmExp:
			a.arithmetic(part.X, s)
		case *syntax.ParamExp:
			a.parameter(part, s, inDouble)
			a.evaluatedParameter(part, s)
		case *syntax.CmdSubst:
			a.statements(part.Stmts, s.sub())
			if !printsNumber(part, s) {
				a.unknown(KindEvaluation, "the output of a command is evaluated as an expression, and may hold a command substitution", s.source(part), s.at(part))
			}
		default:
			a.visit([]syntax.WordPart{part}, s, plain)
			a.unknown(KindEvaluation, "this is evaluated as an expression", s.source(part), s.at(part))
		}
	}
}

// expression judges literal text that is evaluated.
func (a *analyser) expression(text string, node syntax.Node, s *scope) {
	if !plainExpression().MatchString(text) {
		a.unknown(KindEvaluation, "quoted or escaped text is evaluated as an expression, with the substitutions in it", s.source(node), s.at(node))
		return
	}
	for _, name := range identifier().FindAllString(text, -1) {
		a.evaluate(name, s.source(node), s.at(node))
	}
}

// evaluatedParameter judges an expansion whose result is evaluated.
func (a *analyser) evaluatedParameter(p *syntax.ParamExp, s *scope) {
	if p.Param == nil || p.Length {
		return
	}
	other := p.Repl != nil && p.Repl.With != nil && len(p.Repl.With.Parts) > 0 || p.Excl
	if p.Exp != nil && p.Exp.Word != nil && p.Exp.Op <= syntax.AssignUnsetOrNull {
		value := originOf(p.Exp.Word, s)
		for _, name := range value.from {
			a.evaluate(name, s.source(p), s.at(p))
		}
		other = other || !value.numeric
	}
	if other {
		a.unknown(KindEvaluation, "the result of an expansion is evaluated as an expression", s.source(p), s.at(p))
	}
	a.evaluate(p.Param.Value, s.source(p), s.at(p))
}

var number = pattern(`^[+-]?[0-9]+$`)

// originOf returns where the value of a word comes from.
func originOf(w *syntax.Word, s *scope) origin {
	if w == nil || len(w.Parts) == 0 {
		return origin{numeric: true}
	}
	parts := w.Parts
	if q, ok := parts[0].(*syntax.DblQuoted); ok && len(parts) == 1 {
		parts = q.Parts
	}
	value := origin{numeric: true}
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			value.numeric = value.numeric && (number().MatchString(part.Value) || numberSequence(part.Value))
		case *syntax.SglQuoted:
			value.numeric = value.numeric && number().MatchString(part.Value)
		case *syntax.ArithmExp:
		case *syntax.ParamExp:
			if part.Length {
				continue
			}
			value.numeric = value.numeric && part.Short && part.Param != nil
			if value.numeric {
				value.from = append(value.from, part.Param.Value)
			}
		case *syntax.CmdSubst:
			value.numeric = value.numeric && printsNumber(part, s)
		default:
			value.numeric = false
		}
	}
	return value
}

// textOrigin returns where a value given as text comes from.
func textOrigin(w Word) origin {
	return origin{numeric: w.Known && (w.Text == "" || number().MatchString(w.Text))}
}

// numberSequence says that a literal is {1..9}.
func numberSequence(text string) bool {
	from, to, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"), "..")
	return ok && strings.HasPrefix(text, "{") && number().MatchString(from) && number().MatchString(to)
}

// numberPrinters are commands that print numbers only, as prefixes of their
// words. Other words must be options without a value, so that no name of a
// file is printed.
var numberPrinters = [][]string{{"wc"}, {"nproc"}, {"seq"}, {"id", "-u"}, {"id", "-g"}, {"date", "+%s"}, {"tput", "cols"}, {"tput", "lines"}}

// printsNumber says that a substitution's output is a number.
func printsNumber(sub *syntax.CmdSubst, s *scope) bool {
	if len(sub.Stmts) != 1 {
		return false
	}
	st := sub.Stmts[0]
	for {
		pipe, ok := st.Cmd.(*syntax.BinaryCmd)
		if !ok || pipe.Op != syntax.Pipe {
			break
		}
		st = pipe.Y
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return false
	}
	for _, printer := range numberPrinters {
		if !s.functions[printer[0]] && beginsWith(call.Args, printer) {
			return true
		}
	}
	return false
}

// beginsWith says that the words begin with those of a printer, and the others
// are options or numbers.
func beginsWith(args []*syntax.Word, printer []string) bool {
	for i, arg := range args {
		lit := arg.Lit()
		if i < len(printer) && lit != printer[i] || i >= len(printer) && !flagOrNumber().MatchString(lit) {
			return false
		}
	}
	return len(args) >= len(printer)
}

var flagOrNumber = pattern(`^(-[a-zA-Z]+|-?[0-9]+)$`)
