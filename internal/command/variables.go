package command

import (
	"strings"
)

// variableBuiltin judges the commands that take names of variables: a
// subscript in a name is evaluated, with the substitutions in it.
func variableBuiltin(a *analyser, c call, s *scope) {
	switch name := c.words[0].Text; name {
	case "read":
		p := optionTable("-a:!name -d: -e -E -i: -n: -N: -p: -r -s -t: -u:").parse(c.args(), leading)
		a.assignsNames(c, p, p.operands)
	case "mapfile", "readarray":
		p := optionTable("-d: -n: -O: -s: -t -u:").parse(c.args(), leading)
		a.assignsNames(c, p, p.operands)
	case "getopts":
		if args := c.args(); len(args) > 1 {
			a.setsName(args[1], c)
		}
	case "printf":
		p := optionTable("-v:!name").parse(c.args(), leading)
		if len(p.operands) == 0 || len(p.options) > 0 {
			a.assignsNames(c, p, nil)
		}
	case "wait":
		p := optionTable("-f -n -p:!name").parse(c.args(), leading)
		a.assignsNames(c, p, nil)
	case "unset":
		a.unsets(c)
	case "test", "[":
		a.tests(c)
	case "let":
		a.lets(c)
	}
}

// assignsNames judges the variables that a command sets.
func (a *analyser) assignsNames(c call, p parsed, operands []word) {
	if len(p.strange) > 0 {
		a.unknown(KindEvaluation, "an option or a name of a variable is not known: "+span(p.strange[0].Text), c.text(), c.pos)
	}
	for _, o := range p.options {
		if o.tag == "name" {
			a.setsName(o.value, c)
		}
	}
	for _, w := range operands {
		a.setsName(w, c)
	}
}

// setsName records a variable that gets a value which is not known.
func (a *analyser) setsName(w word, c call) {
	if a.variable(w, c) {
		a.setVariable(Assignment{Name: w.Text, Value: Word{Text: "$" + w.Text}, Pos: w.pos}, origin{})
	}
}

// fixedSubscript is a variable with a subscript that evaluates to itself.
var fixedSubscript = pattern(`^[A-Za-z_][A-Za-z0-9_]*(\[([0-9]+|@|\*)\])?$`)

// variable says that a word is the name of a variable, and reports it if not.
func (a *analyser) variable(w word, c call) bool {
	if w.Known && fixedSubscript().MatchString(w.Text) {
		return true
	}
	a.unknown(KindEvaluation, "this is taken for the name of a variable, whose subscript is evaluated: "+span(w.Text), c.text(), c.pos)
	return false
}

// unsets judges unset. A pattern is no danger: names[0] is one.
func (a *analyser) unsets(c call) {
	p := optionTable("-f -v!variable -n").parse(c.args(), leading)
	_, variablesOnly := p.tagged("variable")
	if len(p.strange) > 0 {
		a.allUnset = true
	}
	for _, w := range p.operands {
		if !a.variable(w, c) {
			a.allUnset = a.allUnset || !variablesOnly
		} else if !variablesOnly {
			a.unset[w.Text] = true
		}
	}
}

// tests judges test and [: -v and -R take the name of a variable.
func (a *analyser) tests(c call) {
	args := c.args()
	for i, w := range args[:max(0, len(args)-1)] {
		operator := w.static() && (w.Text == "-v" || w.Text == "-R")
		if operator || w.hidesOption() && i == 0 && len(args) <= 3 && args[1].static() && strings.Contains(args[1].Text, "[") {
			a.variable(args[i+1], c)
		}
	}
}

// lets judges let where the parser left it as a word.
func (a *analyser) lets(c call) {
	for _, w := range c.args() {
		if !w.Known || !plainExpression().MatchString(w.Text) {
			a.unknown(KindEvaluation, "let evaluates text that is known only when it runs, or has a subscript", c.text(), c.pos)
			continue
		}
		for _, name := range identifier().FindAllString(w.Text, -1) {
			a.evaluate(name, w.Text, c.pos)
		}
	}
}
