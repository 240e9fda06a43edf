package differential

import "strings"

// script is a whole text.
func (g *grammar) script() string {
	text := g.list(1, 4)
	if len(g.pending) > 0 || g.chance(20) {
		text += g.newline()
	}
	return text
}

// nested makes a form that has its own here-documents.
func (g *grammar) nested(form func() string) string {
	outer := g.pending
	g.pending = nil
	text := form()
	if len(g.pending) > 0 {
		text += g.newline()
	}
	g.pending = outer
	return text
}

// newline ends a line, with the here-documents that were announced on it.
func (g *grammar) newline() string {
	text := "\n" + strings.Join(g.pending, "")
	g.pending = nil
	return text
}

// list is some commands in a row.
func (g *grammar) list(low, high int) string {
	var b strings.Builder
	for i := range low + g.IntN(high-low+1) {
		if i > 0 {
			b.WriteString(g.separator())
		}
		b.WriteString(g.statement())
	}
	return b.String()
}

func (g *grammar) separator() string {
	if len(g.pending) > 0 {
		return g.newline()
	}
	switch g.IntN(12) {
	case 0, 1, 2:
		return g.of("; ", ";")
	case 3, 4, 5:
		return g.newline()
	case 6, 7:
		return g.of(" && ", "&&", " && \\\n", " &&\n")
	case 8:
		return g.of(" || ", "||", " ||\n")
	case 9:
		return g.of(" & ", "&\n")
	case 10:
		return g.comment()
	default:
		return g.of("\n\n", " ;\\\n ", "\n \t", "\r\n")
	}
}

func (g *grammar) comment() string {
	return g.of(" #", "\n#", " # ", "\n\t# ", ";#") + g.repeat(0, 3, "", g.fragment) + g.of("", "", "", "\\", "'", "\"", "`", "<<E") + "\n"
}

// end closes a compound command's list: a terminator where one is needed.
func (g *grammar) end() string {
	if len(g.pending) > 0 || g.chance(30) {
		return g.newline()
	}
	return "; "
}

// statement is a pipeline, or a command with a prefix.
func (g *grammar) statement() string {
	g.fuel--
	text := ""
	if g.chance(5) {
		text = g.of("! ", "time ", "! ! ", "time -p ")
		if !g.bash {
			text = "! "
		}
	}
	text += g.command()
	for g.fuel > 0 && g.chance(12) {
		text += g.of(" | ", "|", " |\n", g.bashOnly(" |& ", " | ")) + g.command()
	}
	return text
}

// bashOnly chooses by the shell.
func (g *grammar) bashOnly(yes, no string) string {
	if g.bash {
		return yes
	}
	return no
}

func (g *grammar) command() string {
	g.fuel--
	if g.fuel <= 0 {
		return g.stub()
	}
	if g.chance(62) {
		return g.simple()
	}
	forms := []func() string{
		g.group, g.subshell, g.ifClause, g.loop, g.forLoop, g.caseClause, g.function,
	}
	if g.bash {
		forms = append(forms, g.test, g.arithmeticCommand, g.coproc, g.cStyle, g.selection)
	}
	text := g.one(forms...)
	if g.chance(15) {
		text += " " + g.redirect()
	}
	return text
}

func (g *grammar) group() string {
	return "{ " + g.list(1, 3) + g.end() + "}"
}

func (g *grammar) subshell() string {
	text := "(" + g.of("", " ") + g.list(1, 3)
	if len(g.pending) > 0 {
		text += g.newline()
	}
	return text + ")"
}

func (g *grammar) ifClause() string {
	text := "if " + g.list(1, 2) + g.end() + "then " + g.list(1, 2) + g.end()
	if g.chance(25) {
		text += "elif " + g.list(1, 1) + g.end() + "then " + g.list(1, 1) + g.end()
	}
	if g.chance(40) {
		text += "else " + g.list(1, 2) + g.end()
	}
	return text + "fi"
}

// loop ends after a round or two, mostly.
func (g *grammar) loop() string {
	text := g.of("while ", "until ") + g.list(1, 1) + g.end() + "do " + g.list(1, 2) + g.end()
	if g.chance(99) {
		text += g.of("break", "break", "exit", "return") + g.end()
	}
	return text + "done"
}

func (g *grammar) forLoop() string {
	text := "for " + g.variable()
	if g.chance(90) {
		text += g.of(" in ", "\nin ") + g.repeat(0, 3, " ", g.word)
	}
	return text + g.end() + "do " + g.list(1, 2) + g.end() + "done"
}

func (g *grammar) cStyle() string {
	return "for ((" + g.of("", "x=0", g.sum()) + ";" + g.of("x<2", "y<1", g.sum()) + ";" + g.of("x++", "y=1,x++") + ")); do " + g.list(1, 2) + "; " + g.of("break; ", "break\n") + "done"
}

func (g *grammar) selection() string {
	return "select " + g.variable() + " in a " + g.word() + "; do " + g.list(1, 1) + g.end() + "break; done <<<" + g.of("1", "2", "c")
}

func (g *grammar) caseClause() string {
	text := "case " + g.word() + " in" + g.of(" ", "\n")
	for range 1 + g.IntN(3) {
		text += g.of("", "(") + g.repeat(1, 2, "|", g.pattern) + ") " + g.list(0, 2)
		if len(g.pending) > 0 {
			text += g.newline()
		}
		text += g.of(";;", " ;;", "\n;;", g.bashOnly(";&", ";;"), g.bashOnly(";;&", ";;")) + g.of(" ", "\n")
	}
	return text + "esac"
}

func (g *grammar) pattern() string {
	return g.of("*", "a*", "[ab]", "?", g.word(), g.word(), "esac", "'*'")
}

// function defines one, and calls it most of the time. Some take the name of
// a stub.
func (g *grammar) function() string {
	name := g.of("fn", "fn", "fn", g.stub())
	text := name + g.of("()", " () ", "( )") + g.of(" ", "\n")
	if g.bash && g.chance(30) {
		text = "function " + name + g.of(" ", "() ", " ()\n")
	}
	text += g.one(g.group, g.group, g.group, g.subshell, g.ifClause)
	if g.chance(10) {
		text += " " + g.redirect()
	}
	if g.chance(75) {
		text += g.of("\n", "; ") + name + g.of("", " a", " "+g.word())
		if len(g.pending) > 0 {
			text += g.newline() + g.stub()
		}
	}
	return text
}

func (g *grammar) test() string {
	return "[[ " + g.of(
		g.word()+" == "+g.pattern(), g.word()+" = "+g.word(), g.word()+" != "+g.word(),
		"-n "+g.word(), "-z "+g.word()+" && -f "+g.word(), "! -e "+g.word(), "( -n "+g.word()+" )",
		g.word()+" =~ "+g.of("^a", "a.*", g.word()), g.word()+" < "+g.word(),
		g.number()+" -eq "+g.number(), g.word()+" -lt "+g.number(), "-v "+g.of("x", "x[0]", g.word()),
	) + " ]]"
}

func (g *grammar) arithmeticCommand() string {
	return "((" + g.of("", " ") + g.sum() + g.of("", " ") + "))"
}

func (g *grammar) coproc() string {
	return "coproc " + g.of("", "x=1 ", "N ", "{x}>f0 ") + g.one(g.group, g.simple, g.stub)
}
