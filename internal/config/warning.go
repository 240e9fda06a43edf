package config

import (
	"fmt"
	"slices"
	"strings"

	"whelk/internal/nearest"
)

// Warnings returns one line for each variable of environ that looks like an option
// and is none, in the order of their names. It is a warning and no fault, since an
// older program must start in the environment of a newer one.
func Warnings(environ []string) []string {
	var known []string
	for _, o := range Options() {
		known = append(known, strings.TrimPrefix(o.Variable(), variablePrefix))
	}
	var warnings []string
	for _, entry := range environ {
		variable, value, _ := strings.Cut(entry, "=")
		name, ours := strings.CutPrefix(variable, variablePrefix)
		if !ours || value == "" || slices.Contains(known, name) {
			continue
		}
		warning := fmt.Sprintf("the variable %s is ignored: there is no such option", shown(variable))
		if near := nearest.Name(name, known); near != "" {
			warning += "; did you mean " + variablePrefix + near + "?"
		}
		warnings = append(warnings, warning)
	}
	slices.Sort(warnings)
	return slices.Compact(warnings)
}
