package command

import (
	"path"
	"strings"
)

// shellOptions are the options of sh, bash and dash that change nothing of
// what a script's text says. -i and -l read start-up files of the user, which
// are the user's own.
const shellOptions optionTable = `-a -b -e -f -h -i -l -m -n -p -r -t -u -v -x -B -C -E -H -P -T -D
 -c!script -s!stdin -o: -O: --norc --noprofile --posix --login --verbose --restricted --noediting
 --help!info --version!info`

// shell judges a shell that is run as a command.
func (a *analyser) shell(c call, s *scope) {
	name := c.name()
	d := dialectOf(name)
	if d == noDialect {
		a.unknown(KindShell, "the language of "+name+" is not analysed; use bash, dash or sh", c.text(), c.pos)
		return
	}
	p := shellOptions.parse(c.args(), leading)
	if len(p.operands) > 0 && p.operands[0].static() && p.operands[0].Text == "-" {
		p.operands = p.operands[1:] // ends the options, as -- does
	}
	p.strange = append(p.strange, strangeShellOptions(p)...)
	_, info := p.tagged("info")
	_, script := p.tagged("script")
	_, reads := p.tagged("stdin")
	switch {
	case len(p.strange) > 0 && !p.hidden():
		a.strangeOptions(c, p)
	case info:
	case script:
		a.shellText(name+" -c", d, p.operands, c, s)
	case reads || len(p.operands) == 0:
		a.shellStdin(name, d, c, s)
	default:
		a.scriptFile(name, p.operands[0], c)
	}
}

// strangeShellOptions returns the words that shells, unlike other programs,
// take for options, and options that change what a text means.
func strangeShellOptions(p parsed) (strange []word) {
	if len(p.operands) > 0 && strings.HasPrefix(p.operands[0].prefix, "+") {
		strange = append(strange, p.operands[0])
	}
	for _, o := range p.options {
		if o.name != "-o" && o.name != "-O" || !o.hasValue {
			continue
		}
		// The value of -o is the next word, whatever letters follow it.
		if o.attached || !o.value.static() || strings.HasPrefix(o.value.Text, "-") || contains(" keyword expand_aliases extdebug history histexpand ", o.value.Text) {
			strange = append(strange, o.value)
		}
	}
	return strange
}

// shellText analyses the text after -c. The words after it are its positional
// parameters, which are unknown to it.
func (a *analyser) shellText(via string, d dialect, operands []word, c call, s *scope) {
	if len(operands) == 0 {
		return
	}
	if !operands[0].static() {
		a.unknown(KindEvaluation, "the text that the shell runs is known only when it runs", c.text(), c.pos)
		return
	}
	a.innerScript(via, operands[0].Text, d, c, s)
}

// innerScript analyses a script for a shell of its own.
func (a *analyser) innerScript(via, text string, d dialect, c call, s *scope) {
	inner := s.under(via)
	inner.functions, inner.pos = nil, c.pos
	inner.wrappers++
	a.script(text, d, inner, false)
}

// shellStdin judges a shell that reads its script from standard input.
func (a *analyser) shellStdin(name string, d dialect, c call, s *scope) {
	switch s.stdin.kind {
	case stdinText:
		inner := s.under(name + " <")
		inner.functions, inner.pos = nil, c.pos
		// The commands of the script read what is left of it.
		inner.stdin = stdin{kind: stdinOpen}
		a.script(s.stdin.text, d, inner, false)
	case stdinOpen:
		a.unknown(KindStdinShell, name+" reads its script from standard input, which comes while it runs; give the text with -c", c.text(), c.pos)
	}
}

// scriptFile judges a script that is given as a file. The operator chose the
// interpreter, and so its scripts; but not what comes through a file.
func (a *analyser) scriptFile(name string, file word, c call) {
	switch {
	case file.process || !file.static():
		a.unknown(KindStdinShell, "the script that "+name+" runs is known only when it runs", c.text(), c.pos)
	case file.Text == "-" || isStream(file.Text):
		a.unknown(KindStdinShell, name+" reads its script from a stream", c.text(), c.pos)
	default:
		a.runsFile(file.Text, c.pos)
	}
}

// isStream says that a path names an open descriptor, and no file.
func isStream(file string) bool {
	clean := path.Clean(file)
	return strings.HasPrefix(clean, "/dev/") || strings.HasPrefix(clean, "/proc/")
}

// settled says that the options alone decide about a program: some are outside
// of its table, which is reported, or one of them makes it run nothing.
func (a *analyser) settled(p parsed, c call) bool {
	if len(p.strange) > 0 {
		a.strangeOptions(c, p)
		return true
	}
	_, info := p.tagged("info")
	return info
}

// strangeOptions reports options outside of a table.
func (a *analyser) strangeOptions(c call, p parsed) {
	for _, w := range p.strange {
		reason := "the option " + span(w.Text) + " of " + c.name() + " is not known to be safe, and " + c.name() + " can run other programs"
		if !w.static() {
			reason = "an argument of " + c.name() + " is known only when it runs, and could be an option that runs another program; put -- before it or ./ in front of it: " + span(w.Text)
		}
		a.unknown(KindOption, reason, c.text(), c.pos)
	}
}
