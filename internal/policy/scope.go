package policy

import (
	"regexp"
	"strings"

	"whelk/internal/command"
)

// scope is what conditions are tested on: one command, or the input as a whole.
type scope struct {
	command  *command.Command // nil for the input
	commands []command.Command
	base     string
	keys     []string // the names that an entry may know the program by
	args     []command.Word
	// texts hold what regular expressions are searched in, besides the text.
	texts []string
	// redirects are the command's own, or those of all commands.
	redirects []command.Redirect
	effects   []Effect // detected and declared
	dir       string
	dirs      []target // the command's directory, or those of all commands
	whole     *wholeInput
}

// wholeInput is what all scopes of one request share. What is asked of it for
// each command is answered once, so that a long text costs no square of time.
type wholeInput struct {
	text   string
	places *places
	// groups are the files that redirections of groups, loops and functions
	// open, which concern every command.
	groups   []target
	written  []target // those of them that are written
	searched map[*regexp.Regexp]bool
	opened   map[*pattern]certainty
	covered  map[*pattern]bool
}

// scopes returns one scope for each command and one for the whole, which comes
// last.
func (p *Policy) scopes(r *Request, d detected) []scope {
	a := r.Analysis
	shared := &wholeInput{
		text: textOf(r), places: &p.places, searched: map[*regexp.Regexp]bool{},
		opened: map[*pattern]certainty{}, covered: map[*pattern]bool{},
	}
	shared.groups = shared.places.opened(a.Redirects, r.Input.Dir, false)
	shared.written = shared.places.opened(a.Redirects, r.Input.Dir, true)
	all := make([]scope, 0, len(a.Commands)+1)
	whole := scope{
		commands: a.Commands, dir: r.Input.Dir, dirs: []target{directory(r.Input.Dir)}, whole: shared,
		effects: ordered(append(append([]Effect(nil), d.all...), r.Declared...)),
	}
	if p.onlyNamed {
		whole.commands = named(a.Commands)
	}
	for i := range a.Commands {
		c := &a.Commands[i]
		if p.onlyNamed && len(c.Via) > 0 {
			continue
		}
		s := scope{
			command: c, commands: a.Commands[i : i+1], base: baseName(c), keys: namesOf(c, p.trusted),
			args: argumentsOf(c), dir: c.Dir, dirs: []target{directory(c.Dir)},
			redirects: c.Redirects, whole: shared, texts: []string{normalised(c)},
			effects: append([]Effect(nil), r.Declared...),
		}
		if d.commands != nil {
			s.effects = append(s.effects, d.commands[i]...)
		}
		whole.texts = append(whole.texts, s.texts...)
		whole.redirects = append(whole.redirects, c.Redirects...)
		if last := whole.dirs[len(whole.dirs)-1]; last.path != c.Dir {
			whole.dirs = append(whole.dirs, s.dirs...)
		}
		all = append(all, s)
	}
	return append(all, whole)
}

// named returns the commands that nothing else runs.
func named(commands []command.Command) []command.Command {
	var own []command.Command
	for _, c := range commands {
		if len(c.Via) == 0 {
			own = append(own, c)
		}
	}
	return own
}

// directory makes a target of a directory that may be unknown.
func directory(dir string) target { return target{path: dir, exact: dir != "", open: dir == ""} }

// textOf returns what regular expressions are searched in: the text that runs,
// or the arguments with a blank between them.
func textOf(r *Request) string {
	if r.Input.HasText {
		return r.Analysis.Text
	}
	return strings.Join(r.Input.Argv, " ")
}

// matches tells whether the text holds a regular expression.
func (w *wholeInput) matches(re *regexp.Regexp) bool {
	hit, ok := w.searched[re]
	if !ok {
		hit = re.MatchString(w.text)
		w.searched[re] = hit
	}
	return hit
}

// anyOpened is anyHolds for what groups open.
func (w *wholeInput) anyOpened(patterns []pattern) certainty {
	hit, ok := w.opened[&patterns[0]]
	if !ok {
		hit = anyHolds(patterns, w.groups)
		w.opened[&patterns[0]] = hit
	}
	return hit
}

// allWritten is allHold for what groups write.
func (w *wholeInput) allWritten(patterns []pattern) bool {
	hit, ok := w.covered[&patterns[0]]
	if !ok {
		hit = allHold(patterns, w.written)
		w.covered[&patterns[0]] = hit
	}
	return hit
}

// options returns what is known of the command's options.
func (s *scope) options() program {
	if len(s.keys) == 0 {
		return program{}
	}
	for i := range s.args {
		if w := s.args[i]; w.Known && !isOption(w.Text) {
			_, options := programOf(s.keys[0], []string{w.Text})
			return options
		}
	}
	_, options := programOf(s.keys[0], nil)
	return options
}

// opened returns the files that redirections open, or only those that they
// write.
func (p *places) opened(redirects []command.Redirect, dir string, onlyWritten bool) []target {
	var files []target
	for i := range redirects {
		r := &redirects[i]
		switch {
		case !r.Writes && (onlyWritten || !r.Reads):
		case r.Path != "":
			files = append(files, target{path: r.Path, exact: true})
		default:
			files = append(files, p.targetOf(&r.Target, dir))
		}
	}
	return files
}

// named returns the files that arguments name. What a program that opens no
// files is given names none.
func (s *scope) named() []target {
	var files []target
	for i := range s.commands {
		c := &s.commands[i]
		switch baseName(c) {
		case "echo", "printf", "true", "false", ":", "export", "set", "exit", "return", "sleep", "kill", "seq", "expr":
			continue
		}
		for j := range c.Argv[1:] {
			w := c.Argv[j+1]
			if _, value, ok := strings.Cut(w.Text, "="); ok {
				w.Text = value
			} else if w.Known && isOption(w.Text) {
				continue
			}
			files = append(files, s.whole.places.targetOf(&w, c.Dir))
		}
	}
	return files
}
