package command

import "strings"

// suite describes a program of subcommands, some of which run a command.
type suite struct {
	// options stand before the subcommand.
	options optionTable
	// runners are the subcommands that run the command in their arguments.
	runners map[string]wrapper
	// refused lists subcommands that run other things, or change what the
	// program runs later. "" stands for the program without a subcommand.
	refused string
	// args, if it is not "", are the options of all other subcommands.
	args optionTable
	// direct says that the command follows at once, as for npx.
	direct bool
}

// suite judges a program of subcommands.
func (a *analyser) suite(u suite, c call, s *scope) {
	if u.direct {
		a.unwrap(wrapper{options: u.options}, c, c.args(), s)
		return
	}
	p := u.options.parse(c.args(), leading)
	if len(p.strange) > 0 {
		a.strangeOptions(c, p)
		return
	}
	if len(p.operands) == 0 {
		return
	}
	name, rest := p.operands[0], p.operands[1:]
	if !name.static() {
		a.unknown(KindOption, "the subcommand of "+c.name()+" is known only when it runs", c.text(), c.pos)
		return
	}
	if name.Text == "container" && len(rest) > 0 && rest[0].static() {
		name, rest = rest[0], rest[1:] // docker container exec
	}
	if runner, ok := u.runners[name.Text]; ok {
		inner := c
		inner.words = append([]word{known(c.name()+" "+name.Text, c.pos)}, rest...)
		a.unwrap(runner, inner, rest, s)
		return
	}
	if contains(u.refused, name.Text) {
		a.unknown(KindProgram, c.name()+" "+name.Text+" can run other programs, or change what is run later", c.text(), c.pos)
		return
	}
	a.suiteArguments(u, rest, c)
}

// suiteArguments judges the words after a subcommand that runs nothing itself.
func (a *analyser) suiteArguments(u suite, rest []word, c call) {
	if u.args != "" {
		if p := u.args.parse(rest, permuted); len(p.strange) > 0 {
			a.strangeOptions(c, p)
		}
		return
	}
	for _, w := range rest {
		if w.static() && w.Text == "--" {
			return
		}
		if name, _, _ := strings.Cut(w.prefix, "="); name == "--config" {
			a.strangeOptions(c, parsed{strange: []word{w}})
		}
	}
}
