package policy

import (
	"path"
	"strings"

	"whelk/internal/command"
)

// flag is an option that a rule or an entry names: "-rf", "--force", "-exec".
type flag struct {
	text string // with its dashes
	// letters holds the options of a cluster; "" for a long one.
	letters string
	long    string // the name of a long one, without dashes
}

// parseFlag reads an option as it is written for a program.
func parseFlag(text string, p program) flag {
	f := flag{text: text}
	switch {
	case strings.HasPrefix(text, "--"):
		f.long = strings.TrimPrefix(text, "--")
	case !p.wholeWords:
		f.letters = strings.TrimPrefix(text, "-")
	}
	return f
}

// isOption tells whether a word has the form of an option.
func isOption(text string) bool { return len(text) > 1 && text[0] == '-' }

// in tells whether the arguments hold the option, in any of its spellings:
// in a cluster, as the short or the long form, abbreviated as GNU programs
// allow, with a value. The letters of a cluster may be spread over the words.
func (f flag) in(args []command.Word, p program) certainty {
	if f.letters == "" {
		return presence(args, p, f.text, func(word string) bool { return f.spelt(word, p) || isOperand(word, f.long, p) })
	}
	all := yes
	for i := range len(f.letters) {
		letter := f.letters[i]
		found := presence(args, p, "-"+f.letters, func(word string) bool {
			return word == f.text || hasLetter(word, letter, p) || isOperand(word, p.long[letter], p)
		})
		all = min(all, found)
	}
	return all
}

// spelt tells whether a word is the long or whole-word option.
func (f flag) spelt(word string, p program) bool {
	if !isOption(word) {
		return false
	}
	name, _, _ := strings.Cut(word, "=")
	if f.long == "" { // one dash and a whole word; programs of that kind take two as well
		return name == f.text || name == "-"+f.text
	}
	if name == f.text {
		return true
	}
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return long != "" && strings.HasPrefix(f.long, long)
	}
	for letter, long := range p.long {
		if long == f.long && hasLetter(word, letter, p) {
			return true
		}
	}
	return p.wholeWords && name == "-"+f.long
}

// hasLetter tells whether a word is a cluster with the short option, or the
// long option of the same meaning.
func hasLetter(word string, letter byte, p program) bool {
	if !isOption(word) {
		return false
	}
	if name, ok := strings.CutPrefix(word, "--"); ok {
		name, _, _ = strings.Cut(name, "=")
		return name != "" && p.long[letter] != "" && strings.HasPrefix(p.long[letter], name)
	}
	for i := 1; i < len(word); i++ {
		if word[i] == letter || p.long[word[i]] != "" && p.long[word[i]] == p.long[letter] {
			return true
		}
		if strings.IndexByte(p.valued, word[i]) >= 0 {
			return false
		}
	}
	return false
}

// isOperand tells whether a word is no option and means what one means.
func isOperand(word, long string, p program) bool {
	prefix := p.operands[long]
	return prefix != "" && len(word) > len(prefix) && strings.HasPrefix(word, prefix)
}

// presence looks for an option among the words before "--". A word that is not
// known counts as maybe, if it could be an option at all.
func presence(args []command.Word, p program, text string, is func(string) bool) certainty {
	found := no
	for i := range args {
		w := &args[i]
		switch {
		case w.Known && w.Text == "--" && !p.wholeWords:
			return found
		case !w.Known:
			if couldBeOption(w) {
				found = maybe
			}
		case w.Glob && strings.ContainsAny(w.Text[:1], "*?[-"):
			// A file may be named like an option: "rm *" with a file "-rf".
			if ok, err := path.Match(w.Text, text); ok || err != nil {
				found = max(found, maybe)
			}
		case is(w.Text):
			return yes
		}
	}
	return found
}

// couldBeOption tells whether a word that is not known may turn into an
// option. One that begins with other text and stays one word cannot.
func couldBeOption(w *command.Word) bool {
	if w.Text == "{}" {
		return false // a path that find or xargs puts in
	}
	first := strings.TrimLeft(w.Text, `"`)
	return !staysOneWord(w) || first == "" || strings.IndexByte("$`-", first[0]) >= 0
}

// staysOneWord tells whether a word is exactly one argument when it runs: it
// is known, or all of its expansions stand in double quotes. "$@" and arrays
// become several words even there.
func staysOneWord(w *command.Word) bool {
	if w.Known {
		return !w.Glob
	}
	t := w.Text
	if !strings.ContainsAny(t, "$`*?[{") {
		return true // a tilde
	}
	return len(t) > 1 && t[0] == '"' && t[len(t)-1] == '"' &&
		!strings.Contains(t[1:len(t)-1], `"`) && !strings.ContainsAny(t, "@`(") && !strings.Contains(t, "[*")
}
