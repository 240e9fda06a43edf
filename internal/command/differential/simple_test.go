package differential

import "strings"

// simple is a simple command.
func (g *grammar) simple() string {
	var parts []string
	if g.chance(12) {
		parts = append(parts, g.assignment())
	}
	if g.chance(5) {
		parts = append(parts, g.redirect())
	}
	switch {
	case g.fuel > 0 && g.chance(25):
		parts = append(parts, g.wrapped())
	case g.chance(16):
		parts = append(parts, g.builtin())
	case g.chance(5):
		parts = append(parts, g.assignment())
	default:
		parts = append(parts, g.name())
		for g.chance(45) {
			parts = append(parts, g.word())
		}
	}
	for g.chance(12) {
		parts = append(parts, g.redirect())
	}
	return strings.Join(parts, g.of(" ", " ", " ", " ", "  ", "\t", " \\\n"))
}

// name is the name of a stub, in one of its spellings.
func (g *grammar) name() string {
	name := g.stub()
	if g.chance(75) {
		return name
	}
	forms := []string{
		"'" + name + "'", `"` + name + `"`, `\` + name, "c\\\n" + name[1:], `c"` + name[1:] + `"`, `''` + name,
		`"c"'` + name[1:] + "'", "fn", name + `""`, `c\` + name[1:],
	}
	if g.bash {
		forms = append(forms, "$'"+name+"'", "$'\\x63"+name[1:]+"'", "{"+name+",a}", "$'c\\x3"+name[1:]+"'", "c{"+name[1:]+",}", `$"`+name+`"`)
	}
	if g.chance(20) {
		forms = []string{"$x", "${v0}", "${x:-" + name + "}", "$(echo " + name + ")", "`echo " + name + "`", "c$((1))", "c?", "${x}" + name, "$@" + name}
	}
	return g.of(forms...)
}

func (g *grammar) assignment() string {
	name := g.variable()
	if g.bash && g.chance(15) {
		return name + g.of("+=a", "=(a b)", "=("+g.word()+")", "[0]=a", "["+g.sum()+"]=1", "+=("+g.word()+")", "=([0]=a)", "=("+g.word()+"\n"+g.word()+")")
	}
	return name + "=" + g.of("", "a", "1", "c1", g.word(), g.word())
}

// redirect goes to files of the working directory, or to a here-document.
func (g *grammar) redirect() string {
	switch {
	case g.fuel > 0 && g.chance(20):
		return g.document()
	case g.bash && g.chance(20):
		return g.of("<<<"+g.word(), "<<< "+g.word(), "&>f0", ">&f1", "&>>f0", "{x}>f2", "<("+g.stub()+")", "< <("+g.stub()+")", "> >("+g.stub()+")", "<<<'"+g.stub()+"'")
	}
	return g.of(">f0", "> f1", ">>f0", "2>f1", "2>&1", ">/dev/null", "</dev/null", "<f0", ">|f0", "<>f2", ">&2", "2>/dev/null", "3>f0", "<&-", "3<&0", ">"+g.word(), ">&-", "1>&2", ">\\\nf0")
}

// document announces a here-document.
func (g *grammar) document() string {
	end := g.of("E", "E", "E", "EOF", "E-1")
	mark := g.of(end, end, "'"+end+"'", `"`+end+`"`, `\`+end, end[:1]+"''"+end[1:])
	quoted := mark != end
	dash, tab := "", ""
	if g.chance(25) {
		dash, tab = "-", "\t"
	}
	line := func() string {
		if quoted {
			return tab + strings.ReplaceAll(g.repeat(0, 3, "", g.fragment), "\n", " ") + "\n"
		}
		return tab + g.nested(func() string { return g.repeat(0, 3, "", g.within) }) + "\n"
	}
	body := g.repeat(0, 3, "", line)
	if g.chance(5) {
		body += g.of(" "+end+"\n", end+" \n", "\t"+end+"\n", end+"\\\n", "\\"+end+"\n")
	}
	g.pending = append(g.pending, body+tab+end+"\n")
	return g.of("", "", "0", "3") + "<<" + dash + g.of("", " ") + mark
}

// plainCommand is a stub with plain arguments.
func (g *grammar) plainCommand() string {
	text := g.name()
	for g.chance(40) {
		text += " " + g.word()
	}
	return text
}

// wrapped is a command that another runs.
func (g *grammar) wrapped() string {
	g.fuel--
	inner := g.plainCommand
	if g.fuel > 2 && g.chance(25) {
		inner = g.wrapped
	}
	forms := []func() string{
		func() string {
			return "env " + g.of("", "", "A=1 ", "-i ", "-u x ", "-- ", "x="+g.word()+" ") + inner()
		},
		func() string { return "env -S " + g.of("'"+g.plainCommand()+"'", `"c1 a"`, "'x=1 c2 b'") },
		func() string {
			return "timeout " + g.of("1 ", "-k 1 1 ", "--foreground 1 ", "-s TERM 1 ", "1s ") + inner()
		},
		func() string { return "nohup " + inner() },
		func() string { return "nice " + g.of("", "-n 1 ", "-n1 ", "--adjustment=1 ", "-1 ") + inner() },
		func() string { return "setsid " + g.of("", "-w ", "--wait ") + inner() },
		func() string {
			return g.of("echo a b | ", "echo "+g.stub()+" | ", "") + "xargs " + g.of("", "-n1 ", "-n 1 ", "-r ", "-I{} ", "-I {} ", "-0 ", "-t ", "-i ", "-d, ", "-P2 ") + g.of(inner(), inner(), "{} a", "", "c1 {}", "sh -c 'c2 {}'")
		},
		func() string {
			return g.of("command ", "exec ", "command -p ", "command -- ", "exec -- ", "command -v ") + inner()
		},
		func() string {
			return "eval " + g.of(g.quotedScript(), inner(), "-- "+g.quotedScript(), g.quotedScript()+" "+g.stub())
		},
		func() string { return g.shellCall() },
		func() string { return g.shellCall() },
		func() string { return g.fedShell() },
		func() string {
			return "trap " + g.of("", "-- ") + g.quotedScript() + " " + g.of("EXIT", "0", "INT", "EXIT INT")
		},
		func() string { return g.of(". ", "source ") + g.of("./f0", "f0", "/dev/stdin") },
	}
	if g.bash {
		forms = append(forms,
			func() string {
				return g.of("builtin ", "exec -a x ", "exec -c ", "builtin command ", "command builtin ") + inner()
			},
			func() string { return "trap " + g.quotedScript() + " " + g.of("DEBUG", "ERR", "RETURN") },
		)
	}
	return g.one(forms...)
}

// quotedScript is a script as one word, in one of its spellings.
func (g *grammar) quotedScript() string {
	text := g.nested(func() string { return g.list(1, 2) })
	if text == "" {
		text = ":"
	}
	switch g.IntN(8) {
	case 0:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
	case 1:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"` // expanded twice
	case 2:
		if g.bash {
			return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(text) + "'"
		}
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func (g *grammar) shellCall() string {
	return g.of("sh ", "bash ", "dash ", "sh ", "/bin/bash ") + g.of("", "", "", "-e ", "-x ", "-u ", "+e ", "-o errexit ") +
		g.of("-c ", "-c ", "-c -- ", "-ec ", "-c -e ") + g.quotedScript() + g.of("", "", " a", " a "+g.word(), ` "$@"`)
}

// fedShell is a shell that reads its script.
func (g *grammar) fedShell() string {
	shell := g.of("sh", "bash", "dash", "sh -s", "bash -s a", "sh -", "sh -s -- a", "xargs", "xargs -n1 env")
	switch g.IntN(5) {
	case 0:
		return "echo " + g.of(g.stub(), "'"+g.stub()+" a'", g.quotedScript()) + " | " + shell
	case 1:
		return "cat " + g.document() + " | " + shell
	case 2:
		return shell + " " + g.document()
	case 3:
		end := g.of("E", "EOF")
		g.pending = append(g.pending, g.nested(func() string { return g.list(1, 2) })+"\n"+end+"\n")
		return shell + " <<" + g.of("'"+end+"'", end, `\`+end)
	}
	if g.bash {
		return shell + " <<<" + g.quotedScript()
	}
	return "true | " + shell
}

// builtin is one of the shell's own commands, with arguments that it may
// evaluate.
func (g *grammar) builtin() string {
	forms := []string{
		"echo " + g.word(), "echo " + g.word() + " " + g.word(), "printf '%s\\n' " + g.word(), ": " + g.word(), ":", "true", "false",
		"test -n " + g.word(), "[ " + g.word() + " = " + g.word() + " ]", "[ -n " + g.word() + " ]", "[ 1 -eq 1 ]", "cd " + g.of(".", "/srv", "-", "a"),
		"set -- " + g.word() + " " + g.word(), "set -e", "set -u", "set -f", "shift", "unset x", "unset -f fn", "export x=" + g.word(), "export y",
		"readonly z=1", "read x", "read -r x y", "cat", "cat f0", "wait", "exit", "return", "alias c1=c2", "unalias c1", "umask 022", "type c0", "command -v c0", "local x=" + g.word(),
	}
	if g.bash && g.chance(40) {
		forms = []string{
			"declare x=" + g.word(), "declare -a x=(a " + g.word() + ")", "declare -i x=" + g.number(), "declare -A x", "typeset -r y=1", "declare -n x=y", "declare -f fn",
			"let x=1", "let " + g.of("x+=1", "'x=1+1'", "x="+g.number()), "printf -v x %s " + g.word(), "printf -v 'x[0]' a", "read -a x", "mapfile -t x", "shopt -s " + g.of("extglob", "nullglob", "expand_aliases", "lastpipe"),
			"test -v x", "[ -v " + g.word() + " ]", "unset 'x[0]'", "unset x[0]", "set -o " + g.of("posix", "pipefail", "noglob"), "hash -r", "enable -n echo", "pushd .", "local -i y=1", "getopts a x", "export -n x", "export -f fn", "disown", "caller",
		}
	}
	return g.of(forms...)
}

// reader is a text that may run what it reads.
func (g *grammar) reader() string {
	return g.of("", "", g.stub()+"\n", ": </dev/null\n", "cd .; ", "exec </dev/null; ", "read x; ", "exec 3<&0; ") + g.of(
		"sh", "bash", "dash -s a", "xargs "+g.stub(), "xargs -n1", "cat | sh", "{ sh; }", "(sh)", "exec sh", "sh -c sh", "env sh", "timeout 1 bash",
		"sh >f0", "sh 2>&1", "sh </dev/null", "sh <&0", "sh & wait", "true && bash", "true | sh", "fn() { sh; }; fn", "eval sh", "if sh; then :; fi", "while sh; do break; done",
		"read x; eval \"$x\"", "sh -", "bash /dev/stdin", "sh <<E\n"+g.stub()+"\nE", "cat", "sh <&3", "nohup dash", "command sh", "$(sh)", "x=`sh`", "trap sh EXIT", "sh; "+g.stub(),
	)
}

// argv is a program with its arguments, run without a shell.
func (g *grammar) argv() []string {
	script := g.nested(func() string { return g.list(1, 2) })
	shell := g.of("sh", "bash", "dash")
	lists := [][]string{
		{g.stub(), g.of("a", ";", "$("+g.stub()+")", "&&"), g.stub()},
		{shell, "-c", script},
		{shell, g.of("-e", "-x", "-u"), "-c", script, "a", g.stub()},
		{shell, g.of("-ec", "-xc"), script},
		{"env", "A=1", g.stub(), "a"},
		{"env", "-i", "PATH=/stubs", g.stub()},
		{"timeout", "1", shell, "-c", script},
		{"nohup", "env", "nice", "-n", "1", g.stub(), "a b"},
		{"env", "-S", g.stub() + " a", g.stub()},
		{"xargs", g.stub(), "a"},
		{"setsid", "-w", "timeout", "-k", "1", "1", g.stub()},
	}
	return lists[g.IntN(len(lists))]
}
