package command

import "slices"

import "strings"

// flock judges flock: a file, then a command, or -c and a text.
func (a *analyser) flock(w wrapper, c call, s *scope) {
	p := w.options.parse(c.args(), leading)
	if len(p.strange) > 0 {
		a.strangeOptions(c, p)
		return
	}
	if len(p.operands) < 2 {
		return // a descriptor to lock
	}
	inner := s.under("flock")
	inner.functions = nil
	inner.wrappers++
	rest := p.operands[1:]
	if first := rest[0]; first.static() && (first.Text == "-c" || first.Text == "--command") {
		a.shellText("flock -c", dialectSh, rest[1:], c, inner)
		return
	}
	a.wrapped(w, false, call{words: rest, pos: c.pos, by: byExec}, c, inner)
}

// switchUser judges su and runuser, whose command is a text, or with
// runuser -u the words.
func (a *analyser) switchUser(w wrapper, c call, s *scope) {
	p := w.options.parse(c.args(), permuted)
	if len(p.strange) > 0 {
		a.strangeOptions(c, p)
		return
	}
	inner := s.under(c.name())
	inner.functions = nil
	inner.wrappers++
	for _, o := range p.options {
		switch {
		case o.tag == "info":
			return
		case o.tag == "script":
			a.shellText(c.name()+" -c", dialectSh, []word{o.value}, c, inner)
			return
		case o.name == "-s" || o.name == "--shell":
			if !o.value.static() || dialectOf(o.value.Text) == noDialect {
				a.strangeOptions(c, parsed{strange: []word{o.value}})
				return
			}
		case o.name == "-u" || o.name == "--user":
			a.wrapped(w, false, call{words: p.operands, pos: c.pos, by: byExec}, c, inner)
			return
		}
	}
	operands := p.operands
	if len(operands) > 0 && operands[0].Text == "-" {
		operands = operands[1:]
	}
	if len(operands) > 1 {
		a.unknown(KindOption, "the words after the user are options of the user's shell", c.text(), c.pos)
		return
	}
	a.shellStdin(c.name(), dialectSh, c, inner)
}

// typescript judges script, which runs a text or a shell and writes a file.
func (a *analyser) typescript(w wrapper, c call, s *scope) {
	p := w.options.parse(c.args(), permuted)
	if len(p.strange) > 0 || len(p.operands) > 1 {
		a.strangeOptions(c, parsed{strange: append(p.strange, p.operands[min(1, len(p.operands)):]...)})
		return
	}
	if _, ok := p.tagged("info"); ok {
		return
	}
	for _, file := range p.operands {
		a.writesOperand(file, c)
	}
	if o, ok := p.tagged("script"); ok {
		a.shellText("script -c", dialectSh, []word{o.value}, c, s)
		return
	}
	a.shellStdin("script", dialectSh, c, s)
}

// startStopDaemon judges the program that an option names, with the operands
// as its arguments.
func (a *analyser) startStopDaemon(w wrapper, c call, s *scope) {
	p := w.options.parse(c.args(), permuted)
	if a.settled(p, c) {
		return
	}
	for _, o := range p.options {
		if o.tag == "program" && o.hasValue {
			inner := s.under("start-stop-daemon")
			inner.functions, inner.dir = nil, ""
			inner.wrappers++
			words := append([]word{o.value}, p.operands...)
			a.run(call{words: words, pos: c.pos, by: byExec}, inner)
		}
	}
}

// find judges find, whose tests may run commands and write files.
func (a *analyser) find(c call, s *scope) {
	args := c.args()
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.hidesOption():
			a.strangeOptions(c, parsed{strange: []word{w}})
		case !w.static() || len(w.Text) < 2 || w.Text[0] != '-':
		case contains(findCommands, w.Text):
			end := findEnd(args[i+1:])
			a.findCommand(w.Text, args[i+1:i+1+end], c, s)
			i += end + 1
		case contains(findTests, w.Text):
		case contains(findValues, w.Text):
			if i++; i < len(args) && args[i].many && !args[i].Glob {
				a.strangeOptions(c, parsed{strange: args[i : i+1]})
			}
		case contains(findWrites, w.Text):
			a.unknown(KindWrite, "find "+w.Text+" deletes or writes files", c.text(), c.pos)
			if i+1 < len(args) && w.Text != "-delete" {
				a.writesOperand(args[i+1], c)
			}
		case w.Text[1] == 'O' && len(w.Text) == 3, strings.HasPrefix(w.Text, "-newer") && len(w.Text) == 8:
		default:
			a.strangeOptions(c, parsed{strange: []word{w}})
		}
	}
}

// The words of find: those that run a command, tests and actions without a
// value, those with one, and those that delete or write.
const (
	findCommands = " -exec -execdir -ok -okdir "
	findTests    = ` -H -L -P -a -and -o -or -not -daystart -depth -d -follow -ignore_readdir_race -noignore_readdir_race -mount -xdev -nowarn -warn -noleaf -empty -executable -false -nogroup -nouser -readable -true -writable -print -print0 -prune -quit -ls -help --help -version --version `
	findValues   = ` -D -files0-from -maxdepth -mindepth -regextype -amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -mmin -mtime -name -newer -path -perm -regex -samefile -size -type -uid -used -user -wholename -xtype -printf `
	findWrites   = " -delete -fprint -fprint0 -fprintf -fls "
)

// findEnd returns where the command of -exec ends: at ; or at {} +.
func findEnd(words []word) int {
	for i, w := range words {
		if w.static() && (w.Text == ";" || w.Text == "+" && i > 0 && words[i-1].Text == "{}") {
			return i
		}
	}
	return len(words)
}

// findCommand judges the command of -exec, where {} stands for a file. find
// takes no start that begins with a dash, so that {} is never an option.
func (a *analyser) findCommand(action string, words []word, c call, s *scope) {
	if len(words) == 0 {
		return
	}
	inner := s.under("find " + action)
	inner.functions = nil
	inner.wrappers++
	if strings.HasSuffix(action, "dir") {
		inner.dir = ""
	}
	if strings.HasPrefix(action, "-ok") {
		inner.stdin = stdin{}
	}
	a.run(call{words: placeholders(words, "{}", "./"), pos: c.pos, by: byExec}, inner)
}

// placeholders returns words in which a placeholder stands for something that
// begins with the given prefix.
func placeholders(words []word, placeholder, prefix string) []word {
	out := make([]word, len(words))
	for i, w := range words {
		if before, _, ok := strings.Cut(w.Text, placeholder); ok && placeholder != "" {
			w.Known, w.Glob = false, false
			w.prefix = before
			if before == "" {
				w.prefix = prefix
			}
		}
		out[i] = w
	}
	return out
}

// xargs judges xargs, which appends words from standard input.
func (a *analyser) xargs(w wrapper, c call, s *scope) {
	p := w.options.parse(c.args(), leading)
	if len(p.strange) > 0 {
		a.strangeOptions(c, p)
		return
	}
	placeholder := ""
	for _, o := range p.options {
		switch o.name {
		case "-I", "-i", "--replace":
			placeholder = "{}"
			if o.hasValue && o.value.static() {
				placeholder = o.value.Text
			} else if o.hasValue {
				a.strangeOptions(c, parsed{strange: []word{o.value}})
			}
		}
		if o.tag == "info" {
			return
		}
	}
	words := p.operands
	if len(words) == 0 {
		return // echo
	}
	if placeholder != "" {
		words = placeholders(words, placeholder, "")
	} else {
		words = append(slices.Clip(words), word{Word: Word{Text: "words from standard input"}, many: true, loose: true, pos: c.pos})
	}
	inner := s.under("xargs")
	inner.functions = nil
	inner.wrappers++
	inner.stdin = stdin{} // /dev/null, but with -o the terminal
	a.run(call{words: words, pos: c.pos, by: byExec}, inner)
}

// parallel judges GNU parallel, which joins its words to a text for a shell
// and fills in arguments, which it quotes.
func (a *analyser) parallel(w wrapper, c call, s *scope) {
	p := w.options.parse(c.args(), leading)
	if len(p.strange) > 0 && !p.hidden() {
		a.strangeOptions(c, p)
		return
	}
	if _, ok := p.tagged("info"); ok {
		return
	}
	var words []word
	for _, operand := range p.operands {
		if strings.HasPrefix(operand.Text, ":::") {
			break
		}
		words = append(words, operand)
	}
	list, static := texts(words)
	text := strings.Join(list, " ")
	switch {
	case len(words) == 0:
		a.unknown(KindStdinShell, "without a command parallel runs its arguments as commands", c.text(), c.pos)
	case !static || strings.Contains(text, "{="):
		a.unknown(KindEvaluation, "the text that parallel gives to a shell is known only when it runs", c.text(), c.pos)
	default:
		// A placeholder becomes one quoted word, as an expansion would.
		for _, placeholder := range []string{"{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}", "{1}", "{2}", "{3}"} {
			text = strings.ReplaceAll(text, placeholder, `"$WHELK_ARGUMENT"`)
		}
		a.innerScript("parallel", text+` "$@"`, dialectSh, c, s)
	}
}
