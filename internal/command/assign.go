package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assignment walks an assignment of a script. An array gives several.
func (a *analyser) assignment(assign *syntax.Assign, s *scope) []Assignment {
	name, pos := assign.Name.Value, s.at(assign)
	if assign.Index != nil {
		a.arithmetic(assign.Index, s)
	}
	if assign.Array == nil {
		value := a.word(assign.Value, s)
		a.assigned(name, originOf(assign.Value, s))
		return []Assignment{{Name: name, Value: assignedWord(value), Pos: pos}}
	}
	var out []Assignment
	for _, elem := range assign.Array.Elems {
		if elem.Index != nil {
			a.arithmetic(elem.Index, s)
		}
		value := a.word(elem.Value, s)
		a.assigned(name, originOf(elem.Value, s))
		out = append(out, Assignment{Name: name, Value: assignedWord(value), Pos: pos})
	}
	if len(out) == 0 {
		out = append(out, Assignment{Name: name, Value: Word{Known: true}, Pos: pos})
	}
	return out
}

// assignedWord returns a value: patterns are not expanded there.
func assignedWord(w word) Word {
	w.Glob = false
	return w.Word
}

// declaration walks export, declare and their like where the parser takes them
// for a clause: as a command, whose words are also judged as assignments.
func (a *analyser) declaration(decl *syntax.DeclClause, redirects []Redirect, s *scope) {
	c := call{redirects: redirects, pos: s.at(decl)}
	c.words = append(c.words, known(decl.Variant.Value, s.at(decl.Variant)))
	for _, arg := range decl.Args {
		if arg.Naked && arg.Value != nil {
			a.visit(arg.Value.Parts, s, plain)
			c.words = append(c.words, expandBraces(arg.Value, s)...)
			continue
		}
		w := word{Word: Word{Text: s.source(arg), Known: arg.Naked}, prefix: arg.Name.Value, pos: s.at(arg)}
		if arg.Naked {
			c.words = append(c.words, w)
			continue
		}
		values := a.assignment(arg, s)
		w.prefix += "="
		if arg.Array == nil && arg.Index == nil && !arg.Append && values[0].Value.Known {
			w = known(arg.Name.Value+"="+values[0].Value.Text, w.pos)
		}
		c.words = append(c.words, w)
		a.out.Assigns = append(a.out.Assigns, values...)
		for _, value := range values {
			a.judgeAssignment(value)
		}
	}
	a.run(c, s)
}

// declares judges the words of a declaration: flags that make values be
// evaluated, and assignments in words that the parser left as words.
func (a *analyser) declares(c call, s *scope) {
	integer, reference := false, false
	for _, w := range c.args() {
		name, value, isAssignment := strings.Cut(w.Text, "=")
		switch {
		case w.static() && len(w.Text) > 1 && (w.Text[0] == '-' || w.Text[0] == '+') && !isAssignment:
			integer = integer || strings.Contains(w.Text, "i")
			reference = reference || strings.Contains(w.Text, "n") && c.words[0].Text != "export"
			continue
		case !w.Known:
			// Only the name is needed, if the word begins with it.
			name, _, isAssignment = strings.Cut(w.prefix, "=")
			if !isAssignment || w.loose {
				a.unknown(KindEnvironment, "the name of the variable is known only when it runs", c.text(), c.pos)
				continue
			}
			value = ""
			if !a.hasAssignment(name, w.pos) {
				a.setVariable(Assignment{Name: name, Value: Word{Text: w.Text}, Pos: w.pos}, origin{})
			}
		case isAssignment && !a.hasAssignment(name, w.pos):
			a.setVariable(Assignment{Name: name, Value: Word{Text: value, Known: true}, Pos: w.pos}, origin{numeric: number().MatchString(value)})
		}
		a.declared(strings.TrimSuffix(name, "+"), value, integer, reference, c)
	}
}

// hasAssignment says that the declaration's word was walked as an assignment.
func (a *analyser) hasAssignment(name string, pos Pos) bool {
	for i := len(a.out.Assigns) - 1; i >= 0 && a.out.Assigns[i].Pos == pos; i-- {
		if a.out.Assigns[i].Name == strings.TrimSuffix(name, "+") {
			return true
		}
	}
	return false
}

// setVariable records and judges an assignment that is a command's word.
func (a *analyser) setVariable(assignment Assignment, from origin) {
	assignment.Name = strings.TrimSuffix(assignment.Name, "+")
	a.out.Assigns = append(a.out.Assigns, assignment)
	a.assigned(assignment.Name, from)
	a.judgeAssignment(assignment)
}

// declared judges the name of a declaration.
func (a *analyser) declared(name, value string, integer, reference bool, c call) {
	switch {
	case !plainVariable().MatchString(name):
		a.unknown(KindEvaluation, "the subscript of a declared variable is evaluated", c.text(), c.pos)
	case integer:
		a.evaluate(name, c.text(), c.pos)
	case reference && !plainVariable().MatchString(value) && value != "":
		a.unknown(KindEvaluation, "the subscript in the value of a reference is evaluated", c.text(), c.pos)
	case reference && value == "":
		a.unknown(KindEvaluation, "a reference is set to a name that is known only when it runs", c.text(), c.pos)
	}
}
