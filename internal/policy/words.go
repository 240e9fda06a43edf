package policy

import (
	"path"
	"slices"
	"strings"

	"whelk/internal/command"
)

// progress is how far the words of an entry have been found: the number of words,
// whether the next argument is an option's value, whether an option that may
// or may not take a value was passed on the way.
type progress struct {
	found   int
	value   bool
	guessed bool
}

// leads tells whether the sub-commands begin the arguments, options and their
// values left out. An option that is not known is read both ways at once, so
// that neither reading can hide a sub-command.
func leads(words []string, args []command.Word, p program) certainty {
	if len(words) == 0 {
		return yes
	}
	best := no
	places := []progress{{}}
	for i := 0; i < len(args) && len(places) > 0; i++ {
		var next []progress
		for _, at := range places {
			reached, sure := step(at, words, &args[i], p)
			best = max(best, sure)
			for _, r := range reached {
				if !slices.Contains(next, r) {
					next = append(next, r)
				}
			}
		}
		if best == yes {
			return yes
		}
		places = next
	}
	return best
}

// step reads one argument: where it leads, and how sure it is that all words
// are found with it.
func step(at progress, words []string, w *command.Word, p program) ([]progress, certainty) {
	if !w.Known {
		if at.value && staysOneWord(w) {
			at.value = false
			return []progress{at}, no
		}
		at.guessed = true // it may be any number of words of any kind
		skipped := at
		skipped.value = false
		return []progress{at, skipped}, maybe
	}
	if at.value {
		at.value = false
		return []progress{at}, no
	}
	text := w.Text
	switch {
	case text == "--" || text == "" && !w.Glob || strings.HasPrefix(text, "+"): // cargo +nightly
		return []progress{at}, no
	case isOption(text):
		return afterOption(at, text, p), no
	case w.Glob:
		if ok, err := path.Match(text, words[at.found]); ok || err != nil {
			return nil, maybe
		}
		return nil, no
	case text == words[at.found] || p.same[text] != "" && p.same[text] == usual(words[at.found], p):
		return found(at, len(words))
	case slices.Contains(p.groups, text):
		return []progress{at}, no
	}
	return nil, no
}

// found counts one more word of the entry.
func found(at progress, all int) ([]progress, certainty) {
	at.found++
	if at.found < all {
		return []progress{at}, no
	}
	if at.guessed {
		return nil, maybe
	}
	return nil, yes
}

// usual returns the usual spelling of a sub-command.
func usual(word string, p program) string {
	if same := p.same[word]; same != "" {
		return same
	}
	return word
}

// afterOption returns where an option leads: past itself, past its value, or
// both when it is not known.
func afterOption(at progress, text string, p program) []progress {
	if strings.Contains(text, "=") || slices.Contains(p.flags, text) {
		return []progress{at}
	}
	value := at
	value.value = true
	if slices.Contains(p.values, text) {
		return []progress{value}
	}
	at.guessed, value.guessed = true, true
	return []progress{at, value}
}

// begins tells whether the words begin the arguments for certain: only global
// options that are known stand before them, and nothing between them.
func begins(words []string, args []command.Word, p program) bool {
	if len(words) == 0 {
		return true
	}
	i := 0
	for ; i < len(args) && args[i].Known && !args[i].Glob && isOption(args[i].Text) && args[i].Text != words[0]; i++ {
		name, _, attached := strings.Cut(args[i].Text, "=")
		switch {
		case slices.Contains(p.flags, args[i].Text) || attached && slices.Contains(p.values, name):
		case slices.Contains(p.values, args[i].Text):
			if i++; i == len(args) || !staysOneWord(&args[i]) {
				return false
			}
		default:
			return false
		}
	}
	if len(args)-i < len(words) {
		return false
	}
	for j, word := range words {
		if w := args[i+j]; !w.Known || w.Glob || w.Text != word {
			return false
		}
	}
	return true
}
