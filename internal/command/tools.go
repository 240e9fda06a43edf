package command

import (
	"strings"
)

// tool describes a program that only some options make run other programs, or
// write what it is not asked for by its nature. The tags:
//
//	!write   the value is a file that is written
//	!sets    it writes or changes something that has no name here
//	!command the words up to ; are a command
//	!plain   the value must be a plain word
//	!info    nothing runs
//	!nocommand the operands are no command
type tool struct {
	options optionTable
	style   optionStyle
	// form names a judge for what the table does not say.
	form toolForm
}

// toolForm names a judge of a program's operands and values.
type toolForm uint8

const (
	noForm toolForm = iota
	awkForm
	sedForm
	gitForm
	tarForm
	makeForm
	goForm
	compilerForm
	fetchForm
	secondWritesForm
	// plusForm: a pager. An operand that begins with a plus is a command,
	// and on a terminal so are the keys.
	plusForm
	// anythingForm: whatever its arguments say, it runs other things.
	anythingForm
	// bareForm: it shows something without operands, and with some it runs.
	bareForm
	// remoteForm: the words after the first operand are a text for the shell
	// of another machine, which may be this one.
	remoteForm
)

// tool judges a program by its options.
func (a *analyser) tool(t tool, c call, s *scope) {
	switch t.form {
	case awkForm:
		a.awk(c)
	case sedForm:
		a.sed(c)
	case gitForm:
		a.git(c, s)
	case makeForm:
		a.makeProgram(t, c)
	case goForm:
		a.goProgram(t, c)
	case compilerForm:
		a.compiler(c)
	case anythingForm:
		a.unknown(KindProgram, c.name()+" runs programs that its arguments or its files name", c.text(), c.pos)
	default:
		a.plainTool(t, c, s)
	}
}

// plainTool judges a program by its table alone.
func (a *analyser) plainTool(t tool, c call, s *scope) {
	args := c.args()
	if t.form == tarForm {
		args = oldTarOptions(t, args)
	}
	args = a.optionCommands(t, args, c, s)
	p := t.options.parse(args, t.style)
	if a.settled(p, c) {
		return
	}
	for _, o := range p.options {
		a.toolOption(o, c)
	}
	switch {
	case t.form == bareForm && len(p.operands) > 0:
		a.unknown(KindProgram, c.name()+" runs what its arguments or its files say", c.text(), c.pos)
	case t.form == plusForm:
		if a.tty {
			a.unknown(KindStdinShell, "on a terminal "+c.name()+" takes commands, which can run programs", c.text(), c.pos)
		}
		for _, w := range p.operands {
			if strings.HasPrefix(w.prefix, "+") {
				a.strangeOptions(c, parsed{strange: []word{w}})
			}
		}
	case t.form == remoteForm:
		a.remote(t, p, c, s)
	case t.form == secondWritesForm && len(p.operands) > 1:
		a.writesOption(option{name: "(its second file)", value: p.operands[1], hasValue: true}, c)
	case t.form == fetchForm:
		for _, address := range p.operands {
			if address.static() {
				a.written[lastName(address.Text)] = true
			} else {
				a.blindWrite = true
			}
		}
	}
}

// lastName returns the last name of an address or a path.
func lastName(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address[strings.LastIndexByte(address, '/')+1:]
}

// toolOption judges an option that the table knows.
func (a *analyser) toolOption(o option, c call) {
	switch o.tag {
	case "write":
		if o.hasValue && o.value.static() && (o.value.Text == "-" || contains(freeDevices, o.value.Text)) {
			return
		}
		a.writesOption(o, c)
	case "sets":
		a.unknown(KindWrite, "the option "+o.name+" of "+c.name()+" changes or removes something", c.text(), c.pos)
	case "archive":
		// tar takes host:file for a file of another host, and runs rsh.
		before, _, colon := strings.Cut(o.value.Text, ":")
		if colon && !strings.Contains(before, "/") || !o.value.Known && o.value.prefix == "" && o.value.many {
			a.strangeOptions(c, parsed{strange: []word{o.value}})
		} else if o.value.static() {
			a.judgeArchive(o.value, c)
		}
	case "plain":
		if !o.value.static() || !plainValue().MatchString(o.value.Text) {
			a.strangeOptions(c, parsed{strange: []word{known(o.name+" "+o.value.Text, c.pos)}})
		}
	case "sshoption":
		key, _, _ := strings.Cut(strings.ToLower(o.value.prefix), "=")
		if !o.value.static() && !strings.Contains(o.value.prefix, "=") || !contains(safeSSHOptions, strings.TrimSpace(key)) {
			a.strangeOptions(c, parsed{strange: []word{known(o.name+" "+o.value.Text, c.pos)}})
		}
	case "sshcommand":
		if !o.value.static() || o.value.Text != "ssh" {
			a.strangeOptions(c, parsed{strange: []word{known(o.name+" "+o.value.Text, c.pos)}})
		}
	}
}

// plainValue is a value that names no program and no file elsewhere.
var plainValue = pattern(`^([A-Za-z0-9_.,:=+ -]*|CMAKE_(INSTALL_)?PREFIX(_PATH)?(:PATH)?=[/\w.-]+)$`)

// safeSSHOptions are settings of ssh that run nothing.
const safeSSHOptions = " stricthostkeychecking userknownhostsfile globalknownhostsfile connecttimeout connectionattempts batchmode serveraliveinterval serveralivecountmax loglevel port user identitiesonly passwordauthentication pubkeyauthentication preferredauthentications compression tcpkeepalive addressfamily forwardagent forwardx11 requesttty exitonforwardfailure numberofpasswordprompts hostkeyalgorithms kexalgorithms ciphers "

// judgeArchive judges the file that tar reads or writes.
func (a *analyser) judgeArchive(w word, c call) {
	if protectedFile(w.Text) != "" {
		a.unknown(KindProtected, "the archive is a protected file: "+w.Text, c.text(), c.pos)
	}
}

// oldTarOptions turns the options of tar without a dash into ones with it:
// tar xzf a.tgz.
func oldTarOptions(t tool, args []word) []word {
	if len(args) == 0 || !args[0].static() || strings.HasPrefix(args[0].Text, "-") {
		return args
	}
	var out []word
	rest := args[1:]
	for _, letter := range args[0].Text {
		w := known("-"+string(letter), args[0].pos)
		out = append(out, w)
		if mode, _, ok := t.options.find(w.Text); ok && mode == ":" && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

// optionCommands judges the commands that stand among the options, as after
// fd -x, and returns the words without them.
func (a *analyser) optionCommands(t tool, args []word, c call, s *scope) []word {
	if !strings.Contains(string(t.options), "!command") {
		return args
	}
	for i, w := range args {
		if !w.static() {
			continue
		}
		if w.Text == "--" {
			break
		}
		if _, tag, ok := t.options.find(w.Text); !ok || tag != "command" {
			continue
		}
		end := i + 1
		for end < len(args) && !(args[end].static() && args[end].Text == ";") {
			end++
		}
		inner := s.under(c.name() + " " + w.Text)
		inner.functions, inner.stdin = nil, stdin{}
		inner.wrappers++
		words := args[i+1 : end]
		for _, placeholder := range []string{"{}", "{/}", "{//}", "{.}", "{/.}"} {
			words = placeholders(words, placeholder, "./")
		}
		a.wrapped(wrapper{}, false, call{words: words, pos: c.pos, by: byExec}, c, inner)
		return append(args[:i:i], args[min(end+1, len(args)):]...)
	}
	return args
}

// makeProgram judges make: variables in its arguments are those of the rules,
// and its file may be one that the same text writes.
func (a *analyser) makeProgram(t tool, c call) {
	p := t.options.parse(c.args(), permuted)
	if a.settled(p, c) {
		return
	}
	for _, w := range p.operands {
		name, value, ok := strings.Cut(w.prefix, "=")
		name = strings.TrimRight(name, ":+?!")
		if !ok {
			continue
		}
		safe := w.static() && makeValue().MatchString(value) && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "MAKE") && name != "SHELL"
		if !safe || isCodeVariable(name) && !contains(harmlessValues, value) {
			a.unknown(KindOption, "a variable that is given to make is a part of the commands of its rules: "+span(w.Text), c.text(), c.pos)
		}
	}
	if file, ok := p.tagged("makefile"); ok {
		a.scriptFile(c.name(), file.value, c)
		return
	}
	for _, file := range []string{"Makefile", "makefile", "GNUmakefile"} {
		a.runsFile(file, c.pos)
	}
}

// makeValue is a value that stays one word of a command, and names no program
// of the working directory.
var makeValue = pattern(`^[A-Za-z0-9_/@%+:,-][A-Za-z0-9_./@%+=:,-]*$|^$`)

// goTools are what go tool runs without running anything else.
const goTools = " cover nm objdump addr2line pprof trace buildid doc "

// goProgram judges go.
func (a *analyser) goProgram(t tool, c call) {
	args := c.args()
	if len(args) == 0 {
		return
	}
	if !args[0].static() {
		a.strangeOptions(c, parsed{strange: args[:1]})
		return
	}
	name, rest := args[0].Text, args[1:]
	if name == "tool" {
		if len(rest) > 0 && (!rest[0].static() || !contains(goTools, rest[0].Text)) {
			a.unknown(KindProgram, "go tool runs the program "+span(rest[0].Text), c.text(), c.pos)
		}
		return
	}
	style := singleDash
	if name == "run" {
		style = singleDashLeading // the others are the program's
	}
	p := t.options.parse(rest, style)
	for _, o := range p.options {
		switch {
		case o.tag == "ldflags" && (!o.value.static() || !plainLinkerFlags().MatchString(o.value.Text)):
			p.strange = append(p.strange, known(o.name+" "+o.value.Text, c.pos))
		case name == "env" && (o.name == "-w" || o.name == "-u"), name == "bug", name == "telemetry":
			p.strange = append(p.strange, known(o.name, c.pos))
		}
	}
	if len(p.strange) > 0 {
		a.strangeOptions(c, p)
		return
	}
	for _, o := range p.options {
		a.toolOption(o, c)
	}
	for _, w := range p.operands {
		if w.static() && strings.HasSuffix(w.Text, ".go") && (name == "run" || name == "test") {
			a.runsFile(w.Text, c.pos)
		}
	}
}

// plainLinkerFlags are flags of the linker of go that choose no other linker.
var plainLinkerFlags = pattern(`^(\s|-s|-w|-X[ =]'?[\w./-]+=[^\s']*'?|-buildid=\w*)*$`)

// compilerFlags are the flags of C compilers that run no other program.
var compilerFlags = pattern(`^-(o|O\w*|g\w*|W[a-z0-9=+-]*|std=.*|[DUILl].*|[cSEvswC]|M\w*|f[a-oq-z][\w=,-]*|f(PIC|PIE|pic|pie|profile[\w=-]*|p[a-km-z][\w-]*)|m[\w=.-]+|pthread|pipe|static|shared|ansi|pedantic|pedantic-errors|x|nostd\w+|isystem|include|idirafter|iquote|h|-version|-help.*|-std=.*|-target=.*|print-[\w=-]+|dump\w+)$`)

// compiler judges a C compiler, which has flags for wrappers and plugins.
func (a *analyser) compiler(c call) {
	for _, w := range c.args() {
		switch {
		case w.hidesOption(), strings.HasPrefix(w.prefix, "@"):
		case !strings.HasPrefix(w.prefix, "-"), w.static() && (w.Text == "-" || compilerFlags().MatchString(w.Text)):
			continue
		}
		a.strangeOptions(c, parsed{strange: []word{w}})
	}
}
