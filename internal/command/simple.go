package command

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is a simple command on its way through the judges.
type call struct {
	words     []word
	assigns   []Assignment
	redirects []Redirect
	pos       Pos
	// by says who starts it, and so what its name can mean.
	by starter
}

// starter says what a command's name can mean.
type starter uint8

const (
	// byShell: a function, one of the shell's own commands, or a program.
	byShell starter = iota
	// byCommand: as by the builtins command and builtin; no function.
	byCommand
	// byExec: a program.
	byExec
)

// name returns the base name of the program.
func (c call) name() string { return path.Base(c.words[0].Text) }

// text returns the command as text, for messages.
func (c call) text() string {
	var b strings.Builder
	for i, w := range c.words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.WriteString(w.Text); b.Len() > maxSpanBytes {
			break
		}
	}
	return b.String()
}

// args returns the words after the name.
func (c call) args() []word { return c.words[1:] }

// simple walks a simple command of a script.
func (a *analyser) simple(expr *syntax.CallExpr, redirects []Redirect, in *stdin, s *scope) {
	c := call{redirects: redirects, pos: s.at(expr)}
	for _, assign := range expr.Assigns {
		c.assigns = append(c.assigns, a.assignment(assign, s)...)
	}
	c.words = a.words(expr.Args, s)
	if len(c.words) == 0 {
		a.out.Redirects = append(a.out.Redirects, redirects...)
		a.out.Assigns = append(a.out.Assigns, c.assigns...)
		for _, assignment := range c.assigns {
			a.judgeAssignment(assignment)
		}
		return
	}
	outer := s.stdin
	if in != nil {
		s.stdin = *in
	}
	a.run(c, s)
	if c.words[0].Text != "exec" || in == nil || len(c.words) > 1 {
		s.stdin = outer
	}
	if in == nil {
		// What it left of the input is for those after it.
		s.stdin = s.stdin.shared()
	}
}

// run judges a command: it records it, and what it runs in turn.
func (a *analyser) run(c call, s *scope) {
	head := c.words[0]
	for _, assignment := range c.assigns {
		if assignment.Name != "IFS" || head.Text != "read" {
			a.judgeAssignment(assignment)
		}
	}
	if c.by == byShell && head.static() && s.functions[head.Text] {
		a.called[head.Text] = true
		a.out.Redirects = append(a.out.Redirects, c.redirects...)
		a.out.Assigns = append(a.out.Assigns, c.assigns...)
		return
	}
	a.out.Commands = append(a.out.Commands, Command{
		Argv: publish(c.words), Assigns: c.assigns, Redirects: c.redirects,
		Dir: s.dir, Via: s.via, Pos: c.pos,
	})
	if !head.static() {
		a.unknown(KindDynamicName, "the name of the command is known only when it runs: "+span(head.Text), c.text(), c.pos)
		return
	}
	if s.wrappers > maxWrappers {
		a.unknown(KindLimit, "commands that run commands are nested too deep to be analysed", c.text(), c.pos)
		return
	}
	if strings.Contains(head.Text, "/") {
		a.runsFile(head.Text, c.pos)
	}
	a.judge(c, s)
}

// judge asks the judge of the command's name, if it has one.
func (a *analyser) judge(c call, s *scope) {
	name := c.name()
	if c.by != byExec && c.words[0].Text == name {
		if judge, ok := builtin(name); ok {
			judge(a, c, s)
			return
		}
	}
	if isShell(name) || isShell(withoutVersion(name)) {
		a.shell(c, s)
		return
	}
	if isLoader(name) {
		name = "ld.so"
	}
	if w, ok := lookup(wrappers, name); ok {
		a.wrapper(w, c, s)
		return
	}
	if u, ok := lookup(suites, name); ok {
		a.suite(u, c, s)
		return
	}
	if i, ok := lookup(interpreters, name); ok {
		a.interpreter(i, c, s)
		return
	}
	if t, ok := lookup(tools, name); ok {
		a.tool(t, c, s)
		return
	}
	a.judgeWriter(name, c)
}

// lookup finds a program in a table, also by a name that has more to it:
// python3.12, gcc-14, x86_64-linux-gnu-gcc, vim.tiny.
func lookup[T any](table map[string]T, name string) (T, bool) {
	if entry, ok := table[name]; ok {
		return entry, true
	}
	if _, tool, ok := strings.Cut(name, "-linux-gnu-"); ok {
		name = tool
	}
	if program, flavour, ok := strings.Cut(name, "."); ok && contains(flavours, flavour) {
		name = program
	}
	entry, ok := table[withoutVersion(name)]
	return entry, ok
}

// flavours are the endings by which systems tell variants of a program apart.
const flavours = " basic tiny nox gtk3 athena openbsd traditional gnu real distrib "

// withoutVersion returns a program's name without the version at its end.
func withoutVersion(name string) string { return strings.TrimRight(name, "0123456789.-") }

// isLoader says that a program is the dynamic loader, which runs its operand.
func isLoader(name string) bool {
	return strings.HasPrefix(name, "ld-") && strings.Contains(name, ".so") || strings.HasPrefix(name, "ld-musl-") || strings.HasPrefix(name, "ld64.so")
}
