package archtest

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "whelk/"

// houseMap is the map of the house. Tests may import two packages more: the
// one that they test, and mcptest.
func houseMap() map[string][]string {
	return map[string][]string{
		"cmd/whelk":      {"audit", "auth", "config", "config/seeds", "doctor", "execution", "policy", "principal", "proc", "redact", "server", "tools/mcpshell", "tools/native", "tools/tabshell"}, // wiring
		"server":         {"jsontext", "principal", "server/httpguard"},
		"tools/mcpshell": {"audit", "execution", "jsontext", "output", "principal", "tools/listing", "tools/schema"},
		"tools/native":   {"command", "execution", "jsontext", "output", "policy", "principal", "tools/listing", "tools/schema"},
		"tools/tabshell": {"execution", "jsontext", "output", "policy", "principal", "tools/listing", "tools/schema"},
		"tools/schema":   {"jsontext", "nearest"},
		"auth":           {"policy", "principal"},
		"execution":      {"command", "output", "policy", "principal", "proc", "redact"},
		"principal":      {"policy"},
		"policy":         {"command", "nearest"},
		"config":         {"nearest", "yamlfile"},
		"config/seeds":   {"nearest", "yamlfile"},
		"doctor":         {"proc"},

		"server/conformance": {"server"},
		"server/httpguard":   {"auth", "principal"},

		// Leaves.
		"audit":         nil,
		"command":       nil,
		"jsontext":      nil,
		"nearest":       nil,
		"output":        nil,
		"proc":          nil,
		"yamlfile":      nil,
		"tools/listing": {"principal"},
		"redact":        nil,

		// Tests and measurements.
		"archtest":             nil,
		"bench":                {"mcptest", "output", "proc"},
		"bench/report":         nil,
		"command/differential": {"command"},
		"mcptest":              nil,
	}
}

func TestImportsFollowTheMap(t *testing.T) {
	report(t, importFaults(house(t), houseMap()))
}

// importFaults finds imports that are not on the map, packages that are not on
// it, and packages on it that are not in the tree.
func importFaults(t tree, allowed map[string][]string) []string {
	var faults []string
	found := make(map[string]bool)
	for _, f := range t.files {
		may, mapped := allowed[f.pkg]
		if !mapped && !found[f.pkg] {
			faults = append(faults, t.fault(f.syntax.Package, "package %s is not on the map: give it a row in internal/archtest, and in ARCHITECTURE.md", f.pkg))
		}
		found[f.pkg] = true
		for _, spec := range f.syntax.Imports {
			name, ours := strings.CutPrefix(unquote(spec.Path.Value), module)
			if !ours || !mapped {
				continue
			}
			name = short(name)
			ofTests := f.test && (name == f.pkg || name == "mcptest")
			if !ofTests && !slices.Contains(may, name) {
				faults = append(faults, t.fault(spec.Pos(), "%s may not import %s: the map allows it %s", f.pkg, name, listed(may)))
			}
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(allowed)) {
		if !found[pkg] {
			faults = append(faults, "package "+pkg+" is on the map and not in the tree: take its row out")
		}
	}
	return faults
}

// listed is the right side of a row of the map.
func listed(packages []string) string {
	if len(packages) == 0 {
		return "nothing"
	}
	return strings.Join(packages, ", ")
}

// unquote returns what a string literal says.
func unquote(literal string) string {
	text, err := strconv.Unquote(literal)
	if err != nil {
		return literal // the parser has refused such a file already
	}
	return text
}
