package differential

import "strings"

func (g *grammar) variable() string { return g.of("x", "y", "z") }

// readable is a variable that has a value, or not.
func (g *grammar) readable() string {
	return g.of("x", "y", "z", "x", "v0", "v1", "v2", "v3", "v5", "u", "HOME")
}

// word is one word of parts.
func (g *grammar) word() string {
	if g.fuel <= 0 || g.chance(35) {
		return g.of("a", "b", "1", "a-b", "-n", "c", "a.b", "/srv/a")
	}
	return g.repeat(1, 3, "", g.part)
}

func (g *grammar) part() string {
	forms := []func() string{
		g.literal, g.literal, g.single, g.double, g.double, g.escape,
		func() string { return g.expansion(false) }, func() string { return g.expansion(false) },
		g.substitution, g.arithmetic,
	}
	if g.bash {
		forms = append(forms, g.ansi, g.process, g.extended)
	}
	return g.one(forms...)
}

func (g *grammar) literal() string {
	return g.of("a", "b", "=", "x=1", "~", "*", "[ab]", "{a,b}", "{1..2}", "{a,}", "{a,$x}", "{a..c}", "-n", "a#b", "+", ":", "%", "@", "!", "{", "}", "^", "]", ",", "a{", "{}")
}

func (g *grammar) escape() string {
	return `\` + g.of("a", "$", "'", `"`, "\\", "\n", " ", "#", ";", "&", "|", "`", "(", "{", "~", "*")
}

// fragment is a piece of quoted text that means much when it is not quoted.
func (g *grammar) fragment() string {
	return g.of("a", " ", g.stub(), "$("+g.stub()+")", "`"+g.stub()+"`", "; "+g.stub(), "\n"+g.stub(), "#", "\\", "$x", "${x", "}", ")", "((", `"`, "&", "|", "<<E", "$", "\t", "\\\n", "!")
}

func (g *grammar) single() string {
	return "'" + g.repeat(0, 3, "", g.fragment) + "'"
}

func (g *grammar) ansi() string {
	return g.of("$'", "$'", `$"`) + g.repeat(0, 3, "", func() string {
		return g.of("a", `\'`, `\\`, `\n`, `\x41`, `\"`, " ", ";"+g.stub(), `\101`, `\cA`, `\u41`, "$("+g.stub()+")")
	}) + g.of("'", "'", `"`)
}

func (g *grammar) double() string {
	return `"` + g.repeat(0, 3, "", g.within) + `"`
}

// within is a part of double quotes or of a here-document.
func (g *grammar) within() string {
	return g.one(
		func() string { return g.of("a", " ", "#", "'", ";", "&", "(", "*", "{a,b}", "\n", "$'a'", "!", "$") },
		func() string { return `\` + g.of("$", "`", `"`, "\\", "\n", "a", "'") },
		func() string { return `\$(` + g.stub() + `)` },
		func() string { return "'$(" + g.stub() + ")'" },
		func() string { return g.expansion(true) },
		func() string { return g.expansion(true) },
		g.substitution, g.arithmetic,
	)
}

// expansion is a parameter's.
func (g *grammar) expansion(quoted bool) string {
	name := g.readable()
	if g.fuel <= 0 || g.chance(35) {
		return g.of("$"+name, "${"+name+"}", "$1", "$@", "$*", "$#", "$?", "${#"+name+"}", "$-")
	}
	g.fuel--
	forms := []string{
		":-" + g.operand(quoted), "-" + g.operand(quoted), ":+" + g.operand(quoted), "+" + g.operand(quoted),
		":=" + g.operand(quoted), "=" + g.operand(quoted), "#" + g.operand(quoted), "##" + g.operand(quoted),
		"%" + g.operand(quoted), "%%" + g.operand(quoted), ":-" + g.operand(quoted), ":+" + g.operand(quoted),
	}
	if g.chance(5) {
		forms = []string{":?" + g.operand(quoted), "?" + g.operand(quoted)}
	}
	if g.bash && g.chance(35) {
		forms = []string{
			"/" + g.operand(quoted) + "/" + g.operand(quoted), "//" + g.operand(quoted), "/#a/" + g.operand(quoted),
			"^", ",,", "^" + g.operand(quoted), ":1", ":0:1", ": -1", ":" + g.sum(), "[0]", "[@]", "[x]", "[" + g.sum() + "]",
			"@Q", "@U", "@P", "[@]:1", "/%" + g.operand(quoted) + "/a",
		}
		if g.chance(10) {
			return "${!" + name + g.of("", "*", "@", "[@]", ":-a") + "}"
		}
	}
	return "${" + name + g.of(forms...) + "}"
}

// operand is the word after an expansion's operator.
func (g *grammar) operand(quoted bool) string {
	return g.repeat(0, 2, "", func() string {
		if g.chance(25) {
			return g.of("a", "'", " ", "'$("+g.stub()+")'", "'`"+g.stub()+"`'", `"`+g.of("a", "$("+g.stub()+")")+`"`, `\}`, "'}'", `"}"`, "~", "*", "\\'", "/", "(", "{", "$'a'", "#", "\n")
		}
		if quoted {
			return g.within()
		}
		return g.part()
	})
}

func (g *grammar) substitution() string {
	if g.fuel <= 0 {
		return g.of("$("+g.stub()+")", "`"+g.stub()+"`")
	}
	text := g.nested(func() string { return g.list(1, 2) })
	if g.chance(25) {
		return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(text) + "`"
	}
	return "$(" + g.of("", " ", "\n", "", "#a\n") + text + g.of("", " ", "\n", " #'\n") + ")"
}

func (g *grammar) process() string {
	return g.of("<(", ">(", "<(") + g.nested(func() string { return g.list(1, 2) }) + ")"
}

func (g *grammar) extended() string {
	return g.of("@(", "+(", "!(", "?(", "*(") + g.of("a", "a|b", g.stub(), "$("+g.stub()+")", "'a'") + ")"
}

func (g *grammar) arithmetic() string {
	text := g.sum()
	if g.bash && g.chance(5) {
		return "$[" + text + "]"
	}
	return "$((" + text + "))"
}

// sum is an arithmetic expression.
func (g *grammar) sum() string {
	if g.chance(50) {
		return g.number()
	}
	return g.number() + g.of("+", " - ", "*", "<<", "&&", "|", " ? 1 : ", ",", "<", "==", "=") + g.number()
}

func (g *grammar) number() string {
	g.fuel--
	switch {
	case g.fuel > 0 && g.chance(10):
		return g.substitution()
	case g.chance(5):
		return g.of("v1", "$v1", "x[0]", "x[$("+g.stub()+")]", "'1'", `"1"`, "x++", "a[v1]", "$x", "(x=1)")
	case g.chance(10):
		return g.of("x", "y", "${#x}", "$#", "${y:-2}", "u")
	}
	return g.of("1", "2", "0", "0x1", "(1)", "-1", "!1", "~1")
}
