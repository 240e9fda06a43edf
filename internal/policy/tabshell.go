package policy

import (
	"slices"
	"strings"
)

// TabShell returns the settings of tab-shell-mcp: a whitelist if it has an
// entry, else a blacklist. Blank entries count as none. Side effects are no
// matter of that server.
func TabShell(blacklist, whitelist []string) Options {
	o := Options{SideEffects: Off, Blocked: []Effect{}}
	if o.Allow = withoutBlank(whitelist); len(o.Allow) == 0 {
		o.Deny = withoutBlank(blacklist)
	}
	return o
}

// withoutBlank drops entries of nothing but blanks, and blanks around others.
func withoutBlank(texts []string) []string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return slices.Clip(out)
}
