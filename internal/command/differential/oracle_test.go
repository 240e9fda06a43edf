package differential

import (
	"fmt"
	"slices"
	"strings"

	"whelk/internal/command"
)

// verdict compares an analysis with a run.
type verdict struct {
	resolved bool
	// missed are the names that ran and are not in the analysis.
	missed []string
	// changed are the runs whose name is in the analysis, but not with these
	// arguments.
	changed [][]string
}

// miss says that the analysis is wrong.
func (v verdict) miss() bool { return len(v.missed)+len(v.changed) > 0 }

// judge compares what is known of a program with what it ran.
func judge(a *command.Analysis, ran [][]string) verdict {
	v := verdict{resolved: resolved(a)}
	if !v.resolved {
		return v
	}
	for _, run := range ran {
		switch named, exact := foresees(a, run); {
		case !named:
			v.missed = append(v.missed, run[0])
		case !exact:
			v.changed = append(v.changed, run)
		}
	}
	slices.Sort(v.missed)
	v.missed = slices.Compact(v.missed)
	return v
}

// resolved says that the analysis claims to have every command.
func resolved(a *command.Analysis) bool {
	return a.Refused == nil && !slices.ContainsFunc(a.Unknown, func(u command.Unknown) bool { return u.Kind.HidesCommand() })
}

// foresees says whether the analysis has a command of the run's name, and
// whether one of those can have its arguments.
func foresees(a *command.Analysis, run []string) (named, exact bool) {
	for _, c := range a.Commands {
		if c.Argv[0].Text != run[0] {
			continue
		}
		named = true
		if slices.Contains(c.Via, "xargs") || fits(c.Argv[1:], run[1:]) {
			return true, true // xargs adds arguments to its command
		}
	}
	return named, false
}

// fits says that words can become these arguments. A word that is not known
// can become any number of them.
func fits(words []command.Word, args []string) bool {
	if len(words) == 0 {
		return len(args) == 0
	}
	if !words[0].Known || words[0].Glob {
		for n := range len(args) + 1 {
			if fits(words[1:], args[n:]) {
				return true
			}
		}
		return false
	}
	return len(args) > 0 && words[0].Text == args[0] && fits(words[1:], args[1:])
}

// maxShown is how many runs of one program a message shows.
const maxShown = 20

// describe shows a miss: both lists, for a person.
func describe(p program, a *command.Analysis, ran [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nran:\n", p)
	for i, run := range ran {
		if i == maxShown {
			fmt.Fprintf(&b, "  and %d more\n", len(ran)-i)
			break
		}
		fmt.Fprintf(&b, "  %q\n", run)
	}
	b.WriteString("the analysis has:\n")
	for _, c := range a.Commands {
		b.WriteString("  ")
		for _, w := range c.Argv {
			mark := ""
			if !w.Known {
				mark = "?"
			} else if w.Glob {
				mark = "*"
			}
			fmt.Fprintf(&b, "%q%s ", w.Text, mark)
		}
		fmt.Fprintf(&b, "via %q\n", c.Via)
	}
	for _, u := range a.Unknown {
		fmt.Fprintf(&b, "  unknown: %s: %s (%s)\n", u.Kind, u.Reason, u.Text)
	}
	if a.Refused != nil {
		fmt.Fprintf(&b, "  refused: %s\n", a.Refused.Reason)
	}
	return b.String()
}
