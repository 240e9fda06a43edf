package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"whelk/internal/command"
)

// mostEntry is how many bytes an entry of a list may have; a longer one is no
// command that somebody wrote.
const mostEntry = 1024

// entry is one line of an allow or a deny list.
type entry struct {
	text    string   // as the operator wrote it
	name    string   // the first word
	words   []string // all the others, in order
	subs    []string // those that are no options
	flags   []flag   // those that are
	global  program
	options program
}

// parseEntry reads a program, or a program with words.
func parseEntry(text string) (entry, error) {
	words := strings.Fields(text)
	switch {
	case len(words) == 0:
		return entry{}, errors.New("an entry is empty: write the name of a program")
	case len(text) > mostEntry:
		return entry{}, fmt.Errorf("the entry %q is longer than %d bytes", shown(text), mostEntry)
	case strings.ContainsAny(text, "\x00\r\n"):
		return entry{}, fmt.Errorf("the entry %q has more than one line: write one entry for each", shown(text))
	case strings.ContainsAny(text, ";|&$<>()`'\"\\"):
		// It would match nothing, and a deny list would be open in silence.
		return entry{}, fmt.Errorf("the entry %q has characters of the shell: an entry is a program and words as they stand, and matches every command that begins with them; for a pattern write a rule or a regular expression", shown(text))
	case isOption(words[0]):
		return entry{}, fmt.Errorf("the entry %q begins with an option: write the program first", shown(text))
	}
	e := entry{text: strings.Join(words, " "), name: words[0], words: words[1:]}
	key := family(path.Base(e.name))
	for _, word := range e.words {
		if !isOption(word) {
			e.subs = append(e.subs, word)
		}
	}
	e.global, e.options = programOf(key, e.subs)
	for _, word := range e.words {
		if isOption(word) {
			e.flags = append(e.flags, parseFlag(word, e.options))
		}
	}
	return e, nil
}

// key is the name under which the entry denies.
func (e *entry) key() string { return family(path.Base(e.name)) }

// denies tells whether a command is, or could be, what the entry names. Its
// name has been compared already, through keysOf.
func (e *entry) denies(base string, args []command.Word) certainty {
	if len(e.words) == 0 {
		return yes
	}
	subs := e.subs
	// git-push is git push.
	if len(subs) > 0 && base == path.Base(e.name)+"-"+subs[0] {
		subs = subs[1:]
	}
	sure := leads(subs, args, e.global)
	for _, f := range e.flags {
		if sure == no {
			break
		}
		sure = min(sure, f.in(args, e.options))
	}
	return sure
}

// allows tells whether a command is what the entry names, for certain. An
// entry without a slash means a bare name or a program in a trusted directory;
// one with a slash means exactly that file.
func (e *entry) allows(c *command.Command, dirs []string) bool {
	return nameAllows(e.name, c.Argv[0], dirs) && begins(e.words, c.Argv[1:], e.global)
}

// nameAllows compares the name of a command as an allowing entry does.
func nameAllows(name string, w command.Word, dirs []string) bool {
	if !w.Known || w.Glob && w.Text != "[" {
		return false
	}
	if strings.Contains(name, "/") || !strings.Contains(w.Text, "/") {
		return w.Text == name
	}
	return trusted(w.Text, dirs) && path.Base(w.Text) == name
}

// index finds the entries that may deny a command by the command's name, so
// that the length of a list costs nothing.
type index struct {
	entries []entry
	byName  map[string][]int
}

func newIndex(entries []entry) index {
	x := index{entries: entries, byName: make(map[string][]int, len(entries))}
	for i := range entries {
		key := entries[i].key()
		x.byName[key] = append(x.byName[key], i)
	}
	return x
}

// each calls visit for every entry that a command is or could be, in the order
// of the list. base, keys and args are those of baseName, namesOf and
// argumentsOf.
func (x *index) each(base string, keys []string, args []command.Word, visit func(*entry, certainty)) {
	if base == "" || len(x.entries) == 0 {
		return
	}
	for _, i := range x.candidates(base, keys) {
		if sure := x.entries[i].denies(base, args); sure != no {
			visit(&x.entries[i], sure)
		}
	}
	if module, rest := moduleOf(keys, args); module != "" {
		x.each(module, keysOf(module, true), rest, visit)
	}
}

// moduleOf returns the program that python is told to be with -m, and its
// arguments: python3 -m pip install is pip install.
func moduleOf(keys []string, args []command.Word) (string, []command.Word) {
	if !slices.Contains(keys, "python") {
		return "", nil
	}
	for i := 0; i+1 < len(args) && args[i].Known && isOption(args[i].Text); i++ {
		switch text := args[i].Text; {
		case strings.HasPrefix(text, "--"):
		case strings.HasSuffix(text, "m") && args[i+1].Known:
			return args[i+1].Text, args[i+2:]
		case text == "-W" || text == "-X":
			i++
		}
	}
	return "", nil
}

// best returns how sure it is that one of the entries means a command.
func (x *index) best(base string, keys []string, args []command.Word) certainty {
	sure := no
	x.each(base, keys, args, func(_ *entry, s certainty) { sure = max(sure, s) })
	return sure
}

// allows tells whether one of the entries means a command for certain. Where
// there are none, every command is meant.
func (x *index) allows(c *command.Command, trusted []string) bool {
	return len(x.entries) == 0 || slices.ContainsFunc(x.entries, func(e entry) bool { return e.allows(c, trusted) })
}

// candidates returns the entries of a program's names, in order.
func (x *index) candidates(base string, keys []string) []int {
	var hits []int
	for _, key := range keys {
		hits = append(hits, x.byName[key]...)
	}
	if before, sub, ok := strings.Cut(base, "-"); ok {
		for _, i := range x.byName[before] {
			if e := &x.entries[i]; len(e.subs) > 0 && e.subs[0] == sub {
				hits = append(hits, i)
			}
		}
	}
	if len(keys) > 1 || len(hits) > 1 {
		slices.Sort(hits)
		hits = slices.Compact(hits)
	}
	return hits
}

// argumentsOf returns the words after the name, and one that is not known for
// what xargs and its like append.
func argumentsOf(c *command.Command) []command.Word {
	args := c.Argv[1:]
	if len(c.Via) == 0 {
		return args
	}
	switch name, _, _ := strings.Cut(c.Via[len(c.Via)-1], " "); name {
	case "xargs", "parallel":
		return append(slices.Clone(args), command.Word{Text: "$appended"})
	}
	return args
}
