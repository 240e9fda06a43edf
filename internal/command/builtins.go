package command

import "strings"

// A judge looks at one command.
type judge func(a *analyser, c call, s *scope)

// builtin returns the judge of a shell's own command, if it changes what later
// commands mean, runs text, or evaluates its words. The others are like
// programs that run nothing.
func builtin(name string) (judge, bool) {
	switch name {
	case "cd", "chdir", "pushd", "popd":
		return changeDirectory, true
	case "eval":
		return evalBuiltin, true
	case "trap":
		return trapBuiltin, true
	case ".", "source":
		return sourceBuiltin, true
	case "command", "builtin", "exec":
		return runBuiltin, true
	case "jobs":
		return jobsBuiltin, true
	case "declare", "typeset", "local", "export", "readonly":
		return (*analyser).declares, true
	case "alias", "hash", "enable", "shopt", "set":
		return redefineBuiltin, true
	case "mapfile", "readarray", "read", "getopts", "printf", "wait", "unset", "test", "[", "let":
		return variableBuiltin, true
	case "compgen", "complete", "compopt", "bind", "fc", "history":
		return interactiveBuiltin, true
	}
	return nil, false
}

// runBuiltin judges command, builtin and exec.
func runBuiltin(a *analyser, c call, s *scope) {
	name := c.words[0].Text
	table := map[string]optionTable{"command": "-p -v!info -V!info", "builtin": "", "exec": "-a: -c -l"}[name]
	p := table.parse(c.args(), leading)
	if len(p.strange) > 0 && !p.hidden() {
		a.strangeOptions(c, p)
		return
	}
	if _, ok := p.tagged("info"); ok || len(p.operands) == 0 {
		return
	}
	by := byCommand
	if name == "exec" {
		by = byExec
	}
	inner := s.under(name)
	inner.wrappers++
	a.run(call{words: p.operands, pos: c.pos, by: by}, inner)
	s.dir, s.functions = inner.dir, inner.functions // command cd, command eval
}

// jobsBuiltin judges jobs, whose -x runs a command.
func jobsBuiltin(a *analyser, c call, s *scope) {
	for i, w := range c.args() {
		if w.hidesOption() || w.static() && strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "x") {
			if rest := c.args()[i+1:]; len(rest) > 0 {
				a.run(call{words: rest, pos: c.pos, by: byExec}, s.under("jobs -x"))
			}
			return
		}
	}
}

// changeDirectory follows cd, pushd and popd.
func changeDirectory(a *analyser, c call, s *scope) {
	p := optionTable("-L -P -e -@ -n").parse(c.args(), leading)
	before := s.dir
	s.dir = ""
	switch {
	case len(p.strange) > 0 || len(p.operands) > 0 && !p.operands[0].static():
		a.unknown(KindDirectory, "the directory is known only when it runs", c.text(), c.pos)
	case c.words[0].Text == "popd":
	case len(p.operands) == 0 || p.operands[0].Text == "-" || strings.HasPrefix(p.operands[0].Text, "+"):
		a.unknown(KindDirectory, "the directory is the home, or one used before", c.text(), c.pos)
	case p.operands[0].Text == "":
		s.dir = before
	default:
		for name := range strings.SplitSeq(p.operands[0].Text, "/") {
			if a.written[name] {
				a.unknown(KindDirectory, "the directory goes through "+name+", which the same text writes and may be a link", c.text(), c.pos)
			}
		}
		s.dir = absolute(p.operands[0].Text, before)
	}
}

// evalBuiltin judges eval: the words, joined, are a script for this shell.
func evalBuiltin(a *analyser, c call, s *scope) {
	words := c.args()
	if len(words) > 0 && words[0].static() && words[0].Text == "--" {
		words = words[1:]
	}
	list, static := texts(words)
	if !static {
		a.unknown(KindEvaluation, "the text that eval runs is known only when it runs", c.text(), c.pos)
		return
	}
	a.inlineScript(strings.Join(list, " "), "eval", c, s)
}

// inlineScript analyses a script that runs in the shell of the scope.
func (a *analyser) inlineScript(text, via string, c call, s *scope) {
	inner := s.under(via)
	inner.pos = c.pos
	a.script(text, s.dialect, inner, false)
	s.dir, s.functions = inner.dir, inner.functions
}

// trapBuiltin judges trap: its action is a script that runs at any time.
func trapBuiltin(a *analyser, c call, s *scope) {
	p := optionTable("-l!info -p!info -P!info").parse(c.args(), leading)
	_, info := p.tagged("info")
	switch {
	case info || len(p.operands) == 0:
	case len(p.strange) > 0 || !p.operands[0].static():
		a.unknown(KindEvaluation, "the action of the trap is known only when it runs", c.text(), c.pos)
	case p.operands[0].Text == "-" || len(p.operands) == 1:
	default:
		inner := s.sub()
		inner.stdin = inner.stdin.shared()
		if s.moves {
			inner.dir = ""
		}
		a.inlineScript(p.operands[0].Text, "trap", c, inner)
	}
}

// sourceBuiltin judges . and source. What a sourced file does to this shell,
// to its functions and variables, decides what all later names mean, so that
// unlike a script of its own it is never let pass.
func sourceBuiltin(a *analyser, c call, s *scope) {
	args := c.args()
	if len(args) > 0 && args[0].static() {
		a.runsFile(args[0].Text, c.pos)
	}
	a.unknown(KindEvaluation, "a sourced file can give every later name another meaning; run it as a script of its own", c.text(), c.pos)
}

// redefineBuiltin judges the commands that give names another meaning, or the
// shell another grammar.
func redefineBuiltin(a *analyser, c call, s *scope) {
	name := c.words[0].Text
	for i, w := range c.args() {
		safe := w.static()
		switch name {
		case "alias":
			safe = safe && !strings.Contains(w.Text, "=")
		case "hash":
			safe = safe && (!strings.HasPrefix(w.Text, "-") || !strings.Contains(w.Text, "p"))
		case "enable":
			safe = safe && (w.Text == "-a" || w.Text == "-p" || w.Text == "-s")
		case "shopt":
			safe = safe && !contains(" expand_aliases extdebug keyword ", w.Text)
		case "set":
			if w.static() && (w.Text == "--" || w.Text == "-") {
				return
			}
			if w.static() && i > 0 && !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+") {
				safe = w.Text != "keyword"
				break
			}
			safe = !w.hidesOption() && (!w.static() || !strings.HasPrefix(w.Text, "-") || !strings.Contains(w.Text, "k"))
		}
		if !safe {
			a.unknown(KindRedefinition, name+" can give a name or the text another meaning: "+span(w.Text), c.text(), c.pos)
		}
	}
}

// interactiveBuiltin judges the commands made for a line editor, which take
// text that is run.
func interactiveBuiltin(a *analyser, c call, s *scope) {
	if len(c.args()) > 0 {
		a.unknown(KindEvaluation, c.words[0].Text+" can run the text that it is given", c.text(), c.pos)
	}
}
