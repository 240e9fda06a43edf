package policy

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// allowSet is one source of permissions: a list, the rules of a file, a
// regular expression. A command needs the permission of every set there is.
type allowSet struct {
	name    string // for messages
	entries []entry
	byName  map[string][]int // places in entries, by the name without directory
	rules   []*rule          // those that allow or ask
	// exact holds names that must be written just so, and full expressions
	// that the whole name must match (mcp-shell-server).
	exact []string
	full  []*regexp.Regexp
	// search is searched in the text and in each command; with wholeOnly in
	// the text alone (mcp-yieldshell).
	search    *regexp.Regexp
	wholeOnly bool
}

// newAllowSet makes a set of a list's entries and a file's rules.
func newAllowSet(name string, entries []entry, rules []*rule) *allowSet {
	a := &allowSet{name: name, entries: entries, rules: rules, byName: make(map[string][]int, len(entries))}
	for i := range entries {
		key := path.Base(entries[i].name)
		a.byName[key] = append(a.byName[key], i)
	}
	return a
}

// permits tells whether the set covers a command.
func (a *allowSet) permits(s *scope, trusted []string) bool {
	c := s.command
	name := c.Argv[0]
	if a.search != nil {
		return s.whole.matches(a.search) && (a.wholeOnly || a.search.MatchString(normalised(c)))
	}
	for _, i := range a.byName[path.Base(name.Text)] {
		if a.entries[i].allows(c, trusted) {
			return true
		}
	}
	if name.Known && !name.Glob {
		if slices.Contains(a.exact, name.Text) {
			return true
		}
		for _, re := range a.full {
			if re.MatchString(name.Text) {
				return true
			}
		}
	}
	return slices.ContainsFunc(a.rules, func(r *rule) bool { return r.permits(s, trusted) })
}

// some names a few of the commands that the set permits, for a suggestion.
func (a *allowSet) some() string {
	const most = 3
	var names []string
	for i := range a.entries {
		names = append(names, a.entries[i].text)
	}
	names = append(names, a.exact...)
	for _, r := range a.rules {
		for _, e := range slices.Concat(r.names.entries, r.argv.entries) {
			names = append(names, e.text)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
