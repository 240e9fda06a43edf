package command

import "strings"

// wrapper describes a program that runs the command in its arguments.
type wrapper struct {
	// options are those that do not change what runs. The tags:
	//
	//	!info    nothing runs
	//	!dir     the value is the directory of the command
	//	!elsewhere  the directory is not known
	//	!script  the value is a text for sh
	//	!split   the value is words that stand before the others (env -S)
	//	!assign  the value is NAME=value for the command
	//	!words   the other words are joined to a text for sh
	//	!exec    the other words are not joined
	//	!write   the value is a file that is written
	options optionTable
	// operands is how many words stand before the command.
	operands int
	// optional lists the values of an operand that may be left out.
	optional string
	// assigns says that NAME=value words stand before the command.
	assigns bool
	// bare says what runs without a command.
	bare bareMeaning
	// joins says that the words are joined to a text for sh.
	joins bool
	// elsewhere says that the command runs in another root or directory.
	elsewhere bool
	// special names a form of its own.
	special specialForm
}

// bareMeaning says what a wrapper does without a command.
type bareMeaning uint8

const (
	_ bareMeaning = iota // it prints something, or fails
	// bareShell: it starts a shell, which reads standard input.
	bareShell
)

// specialForm names wrappers whose arguments have a form of their own.
type specialForm uint8

const (
	plainForm specialForm = iota
	findForm
	xargsForm
	parallelForm
	flockForm
	daemonForm
	userForm
	scriptForm
)

// wrapper judges a program that runs the command in its arguments.
func (a *analyser) wrapper(w wrapper, c call, s *scope) {
	switch w.special {
	case findForm:
		a.find(c, s)
	case xargsForm:
		a.xargs(w, c, s)
	case parallelForm:
		a.parallel(w, c, s)
	case flockForm:
		a.flock(w, c, s)
	case daemonForm:
		a.startStopDaemon(w, c, s)
	case userForm:
		a.switchUser(w, c, s)
	case scriptForm:
		a.typescript(w, c, s)
	default:
		a.unwrap(w, c, c.args(), s)
	}
}

// unwrap judges a wrapper of the plain form: options, operands, command.
func (a *analyser) unwrap(w wrapper, c call, args []word, s *scope) {
	p := w.options.parse(args, leading)
	if len(p.strange) > 0 && (w.operands > 0 || !p.hidden()) {
		a.strangeOptions(c, p)
		return
	}
	if _, ok := p.tagged("info"); ok {
		return
	}
	inner := s.under(c.name())
	inner.functions = nil
	inner.wrappers++
	if w.elsewhere {
		inner.dir = ""
	}
	joins, done := a.wrapperOptions(w, p, c, inner)
	if done {
		return
	}
	words := p.operands
	for range min(w.operands, len(words)) {
		if words[0].many {
			a.unknown(KindOption, "the number of words before the command is known only when it runs", c.text(), c.pos)
			return
		}
		words = words[1:]
	}
	if len(words) > 0 && w.operands > 0 && words[0].static() && words[0].Text == "--" {
		words = words[1:]
	}
	if len(words) > 0 && contains(w.optional, words[0].Text) {
		words = words[1:]
	}
	words, assigns := a.leadingAssigns(w, words, c)
	a.wrapped(w, joins, call{words: words, assigns: assigns, pos: c.pos, by: byExec}, c, inner)
}

// wrapperOptions applies the options that say something about the command.
func (a *analyser) wrapperOptions(w wrapper, p parsed, c call, inner *scope) (joins, done bool) {
	joins = w.joins
	for _, o := range p.options {
		switch o.tag {
		case "dir":
			if o.value.static() {
				inner.dir = absolute(o.value.Text, inner.dir)
			} else {
				inner.dir = ""
			}
		case "elsewhere":
			inner.dir = ""
		case "write":
			a.writesOption(o, c)
		case "words":
			joins = true
		case "exec":
			joins = false
		case "assign":
			a.assignWord(o.value, c)
		case "script":
			a.shellText(c.name()+" "+o.name, dialectSh, []word{o.value}, c, inner)
			done = true
		case "split":
			a.splitString(w, o.value, p.operands, c, inner)
			return joins, true
		}
	}
	return joins, done
}

// leadingAssigns takes NAME=value words from before the command.
func (a *analyser) leadingAssigns(w wrapper, words []word, c call) ([]word, []Assignment) {
	var assigns []Assignment
	for w.assigns && len(words) > 0 {
		name, _, ok := strings.Cut(words[0].prefix, "=")
		if !ok || name == "" {
			break
		}
		if words[0].loose {
			a.unknown(KindOption, "an argument of "+c.name()+" is known only when it runs, and may give several words: "+span(words[0].Text), c.text(), c.pos)
		}
		assignment := assignmentOf(words[0])
		a.assigned(assignment.Name, textOrigin(assignment.Value))
		assigns = append(assigns, assignment)
		words = words[1:]
	}
	return words, assigns
}

// assignmentOf returns the assignment that a word of the form NAME=value is.
func assignmentOf(w word) Assignment {
	name, value, _ := strings.Cut(w.prefix, "=")
	if w.static() {
		return Assignment{Name: name, Value: Word{Text: value, Known: true}, Pos: w.pos}
	}
	return Assignment{Name: name, Value: Word{Text: w.Text}, Pos: w.pos}
}

// assignWord judges a variable for the command that is an option's value.
func (a *analyser) assignWord(w word, c call) {
	if !strings.Contains(w.prefix, "=") {
		if !w.static() {
			a.unknown(KindEnvironment, "the name of the variable is known only when it runs", c.text(), c.pos)
		}
		return
	}
	assignment := assignmentOf(w)
	a.out.Assigns = append(a.out.Assigns, assignment)
	a.assigned(assignment.Name, textOrigin(assignment.Value))
	a.judgeAssignment(assignment)
}

// wrapped judges the command within a wrapper, or what runs without one.
func (a *analyser) wrapped(w wrapper, joins bool, inside, c call, inner *scope) {
	switch {
	case len(inside.words) == 0 && w.bare == bareShell:
		a.shellStdin(c.name(), dialectSh, c, inner)
	case len(inside.words) == 0:
		a.out.Assigns = append(a.out.Assigns, inside.assigns...)
	case joins:
		list, static := texts(inside.words)
		if !static {
			a.unknown(KindEvaluation, "the text that "+c.name()+" gives to a shell is known only when it runs", c.text(), c.pos)
			return
		}
		a.innerScript(c.name(), strings.Join(list, " "), dialectSh, c, inner)
	case strings.HasPrefix(inside.words[0].prefix, "-"):
		a.strangeOptions(c, parsed{strange: inside.words[:1]})
	default:
		a.run(inside, inner)
	}
}

// splitString judges env -S, whose value is words for env itself.
func (a *analyser) splitString(w wrapper, value word, rest []word, c call, inner *scope) {
	if !value.static() || strings.ContainsAny(value.Text, "\\$'\"#") {
		a.unknown(KindOption, "the words that "+c.name()+" splits from a string are not plain", c.text(), c.pos)
		return
	}
	var words []word
	for field := range strings.FieldsSeq(value.Text) {
		words = append(words, known(field, value.pos))
	}
	a.unwrap(w, c, append(words, rest...), inner)
}

// writesOption judges the file that an option makes a program write.
func (a *analyser) writesOption(o option, c call) {
	a.unknown(KindWrite, "the option "+o.name+" of "+c.name()+" writes a file", c.text(), c.pos)
	if o.hasValue {
		a.writesOperand(o.value, c)
	}
}
