package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whelk/internal/command"
)

// mostRegex is how many bytes a regular expression may have. RE2 takes time in
// proportion to it.
const mostRegex = 4096

// Rule is one rule of an operator. All conditions of Match must hold.
type Rule struct {
	Name     string
	Match    Conditions
	Decision Decision
	// Reason and Suggest are shown when the rule decides; both may be "".
	Reason, Suggest string
	// Tests run when the policy is made: the whole policy must decide so.
	Tests []Test
	// Line is the rule's place in its file; 0 is no file.
	Line int
}

// Conditions say what a rule is about. A condition that is not given holds. Of
// a list, a rule that denies or asks needs one element to hold for one thing
// in the command; a rule that allows needs everything in the command to be
// covered by the list.
type Conditions struct {
	// Name holds names of programs.
	Name []string
	// Argv holds a program and the words that follow it, known global
	// options left out.
	Argv []string
	// Flags holds options: one of them is used; to allow, no other is.
	Flags []string
	// Path holds patterns for the files that arguments and redirections
	// name, Redirect for those of redirections alone, Cwd for the directory.
	Path, Redirect, Cwd []string
	// SideEffect holds categories, declared or detected.
	SideEffect []Effect
	// Raw is a regular expression (RE2). It is searched in the command after
	// quote removal and, if no other condition is about one command, in the
	// text as given; to allow, both must match.
	Raw string
}

// Test is one expectation of a rule. One of Command and Argv is given.
type Test struct {
	Command string
	Argv    []string // with operators, see command.Stages
	// Cwd is the absolute directory it is for; "" is the first root, or a
	// workspace that is nobody's home.
	Cwd      string
	Decision Decision
	Line     int
}

// rule is a rule that is ready for use.
type rule struct {
	Rule
	names     index
	argv      index // of one entry at most
	paths     []pattern
	redirects []pattern
	cwds      []pattern
	raw       *regexp.Regexp
}

// compile checks a rule.
func (r Rule) compile(home string) (*rule, error) {
	out := &rule{Rule: r}
	m := r.Match
	if len(m.Name)+len(m.Argv)+len(m.Flags)+len(m.Path)+len(m.Redirect)+len(m.Cwd)+len(m.SideEffect) == 0 && m.Raw == "" {
		return nil, errors.New("match is empty: give at least one condition")
	}
	var names []entry
	for _, name := range m.Name {
		e, err := parseEntry(name)
		if err != nil {
			return nil, err
		}
		if len(e.words) > 0 {
			return nil, fmt.Errorf("the name %q has several words: write them under argv", name)
		}
		names = append(names, e)
	}
	out.names = newIndex(names)
	if len(m.Argv) > 0 {
		e, err := parseEntry(strings.Join(m.Argv, " "))
		if err != nil {
			return nil, err
		}
		out.argv = newIndex([]entry{e})
	}
	for _, f := range m.Flags {
		if !isOption(f) || strings.ContainsAny(f, " \t\n=") {
			return nil, fmt.Errorf("%q is no option: write it as the program takes it, without a value, such as --force", shown(f))
		}
	}
	var err error
	if out.raw, err = compileRegex(m.Raw); err != nil {
		return nil, err
	}
	for _, list := range []struct {
		texts []string
		into  *[]pattern
	}{{m.Path, &out.paths}, {m.Redirect, &out.redirects}, {m.Cwd, &out.cwds}} {
		for _, text := range list.texts {
			p, err := parsePattern(text, home)
			if err != nil {
				return nil, err
			}
			*list.into = append(*list.into, p)
		}
	}
	return out, nil
}

// compileRegex returns nil for "".
func compileRegex(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > mostRegex {
		return nil, fmt.Errorf("the regular expression %q is longer than %d bytes", shown(text), mostRegex)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("the regular expression %q is not valid in RE2: %w", shown(text), err)
	}
	return re, nil
}

// isAboutCommands tells whether the rule needs a single command to hold.
func (r *rule) isAboutCommands() bool {
	return len(r.names.entries)+len(r.argv.entries)+len(r.Match.Flags) > 0
}

// holds tells whether the conditions hold, or could hold, for a command or for
// the input as a whole.
func (r *rule) holds(s *scope) certainty {
	if r.isAboutCommands() != (s.command != nil) {
		return no
	}
	sure := yes
	for _, condition := range []func(*scope) certainty{
		r.nameHolds, r.argvHolds, r.flagHolds, r.effectHolds, r.rawHolds, r.cwdHolds, r.redirectHolds, r.pathHolds,
	} {
		if sure = min(sure, condition(s)); sure == no {
			return no
		}
	}
	return sure
}

func (r *rule) nameHolds(s *scope) certainty { return s.isOneOf(&r.names) }

func (r *rule) argvHolds(s *scope) certainty { return s.isOneOf(&r.argv) }

// isOneOf tells whether the command is one of the entries. Where there are
// none, every command is.
func (s *scope) isOneOf(x *index) certainty {
	if len(x.entries) == 0 {
		return yes
	}
	return x.best(s.base, s.keys, s.args)
}

func (r *rule) flagHolds(s *scope) certainty {
	if len(r.Match.Flags) == 0 {
		return yes
	}
	best := no
	options := s.options()
	for _, text := range r.Match.Flags {
		best = max(best, parseFlag(text, options).in(s.args, options))
	}
	return best
}

func (r *rule) effectHolds(s *scope) certainty {
	if len(r.Match.SideEffect) == 0 || slices.ContainsFunc(r.Match.SideEffect, func(e Effect) bool { return slices.Contains(s.effects, e) }) {
		return yes
	}
	return no
}

func (r *rule) rawHolds(s *scope) certainty {
	if r.raw == nil || s.command == nil && s.whole.matches(r.raw) || slices.ContainsFunc(s.texts, r.raw.MatchString) {
		return yes
	}
	return no
}

func (r *rule) cwdHolds(s *scope) certainty {
	return anyHolds(r.cwds, s.dirs)
}

func (r *rule) redirectHolds(s *scope) certainty {
	return r.openedHolds(r.redirects, s)
}

func (r *rule) pathHolds(s *scope) certainty {
	if len(r.paths) == 0 {
		return yes
	}
	return max(r.openedHolds(r.paths, s), anyHolds(r.paths, s.named()))
}

// openedHolds looks at the files that redirections open, the command's own and
// those of the groups around it.
func (r *rule) openedHolds(patterns []pattern, s *scope) certainty {
	if len(patterns) == 0 {
		return yes
	}
	return max(s.whole.anyOpened(patterns), anyHolds(patterns, s.whole.places.opened(s.redirects, s.dir, false)))
}

// anyHolds tells whether one of the patterns means one of the files.
func anyHolds(patterns []pattern, files []target) certainty {
	if len(patterns) == 0 {
		return yes
	}
	best := no
	for _, p := range patterns {
		for _, t := range files {
			best = max(best, p.meets(t))
		}
	}
	return best
}

// permits tells whether the rule covers a command for certain.
func (r *rule) permits(s *scope, trusted []string) bool {
	c := s.command
	switch {
	case !r.names.allows(c, trusted) || !r.argv.allows(c, trusted):
		return false
	case len(r.Match.Flags) > 0 && !onlyFlags(r.Match.Flags, c.Argv[1:]):
		return false
	case r.raw != nil && !(r.raw.MatchString(normalised(c)) && (r.isAboutCommands() || s.whole.matches(r.raw))):
		return false
	case len(r.Match.SideEffect) > 0 && slices.ContainsFunc(s.effects, func(e Effect) bool {
		return e != None && !slices.Contains(r.Match.SideEffect, e)
	}):
		return false
	}
	return allHold(r.cwds, s.dirs) &&
		coversWritten(r.redirects, s) &&
		(len(r.paths) == 0 || coversWritten(r.paths, s) && !hidesPath(c.Argv[1:]) && allHold(r.paths, s.named()))
}

// coversWritten tells whether the patterns cover all files that redirections
// write, those of the groups around the command included.
func coversWritten(patterns []pattern, s *scope) bool {
	return len(patterns) == 0 || s.whole.allWritten(patterns) &&
		allHold(patterns, s.whole.places.opened(s.redirects, s.dir, true))
}

// allHold tells whether the patterns cover all files for certain.
func allHold(patterns []pattern, files []target) bool {
	if len(patterns) == 0 {
		return true
	}
	for _, t := range files {
		if !slices.ContainsFunc(patterns, func(p pattern) bool { return p.holds(t) }) {
			return false
		}
	}
	return true
}

// onlyFlags tells whether the arguments hold no option besides the listed
// ones, for certain.
func onlyFlags(listed []string, args []command.Word) bool {
	for i := range args {
		w := &args[i]
		switch {
		case w.Known && w.Text == "--":
			return true
		case !w.Known && couldBeOption(w), w.Glob && strings.ContainsAny(w.Text[:1], "*?[-"):
			return false
		case !w.Known || !isOption(w.Text):
			continue
		}
		if name, _, _ := strings.Cut(w.Text, "="); slices.Contains(listed, name) {
			continue
		}
		if strings.HasPrefix(w.Text, "--") {
			return false
		}
		for j := 1; j < len(w.Text); j++ { // a cluster of listed letters
			if !slices.Contains(listed, "-"+w.Text[j:j+1]) {
				return false
			}
		}
	}
	return true
}

// hidesPath tells whether an option carries a file in a way that is not
// understood ("-f/etc/passwd").
func hidesPath(args []command.Word) bool {
	return slices.ContainsFunc(args, func(w command.Word) bool {
		return isOption(w.Text) && !strings.Contains(w.Text, "=") && strings.Contains(w.Text, "/")
	})
}
