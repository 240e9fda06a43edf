package archtest

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docLines is the least that a package's doc comment has, in lines: what it
// owns, its words and its invariants do not fit in less.
const docLines = 3

func TestEveryPackageSaysWhatItOwns(t *testing.T) {
	report(t, docFaults(house(t)))
}

func docFaults(t tree) []string {
	longest := make(map[string]int) // by package, in lines that are not blank
	first := make(map[string]*source)
	var order []string
	for _, f := range t.files {
		if first[f.pkg] == nil {
			first[f.pkg] = f
			order = append(order, f.pkg)
		}
		if !f.test {
			longest[f.pkg] = max(longest[f.pkg], textLines(f.syntax.Doc))
		}
	}
	var faults []string
	for _, pkg := range order {
		if longest[pkg] < docLines {
			faults = append(faults, t.fault(first[pkg].syntax.Package, "package %s has a doc comment of %d lines, not %d: say what it owns, its words, its invariants and who may call it", pkg, longest[pkg], docLines))
		}
	}
	return faults
}

// textLines counts the lines of a comment that are not blank.
func textLines(c *ast.CommentGroup) int {
	n := 0
	for line := range strings.Lines(c.Text()) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

func TestNoPackageHasAVagueName(t *testing.T) {
	report(t, vagueNameFaults(house(t)))
}

// vagueNameFaults finds packages whose name says nothing of what they own, so
// that anything could be put into them.
func vagueNameFaults(t tree) []string {
	vague := []string{"base", "common", "handler", "helper", "helpers", "impl", "manager", "util", "utils"}
	var faults []string
	for _, f := range t.files {
		name := strings.TrimSuffix(f.syntax.Name.Name, "_test")
		if slices.Contains(vague, name) || slices.Contains(vague, path.Base(f.pkg)) {
			faults = append(faults, t.fault(f.syntax.Package, "%s is no name for a package: name it for what it owns", name))
		}
	}
	return faults
}

func TestNothingRunsBeforeMain(t *testing.T) {
	report(t, initFaults(house(t)))
}

func initFaults(t tree) []string {
	var faults []string
	for _, f := range t.files {
		for _, decl := range f.syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				faults = append(faults, t.fault(fn.Pos(), "func init runs unasked: call it from where its work is needed"))
			}
		}
	}
	return faults
}

// openWork is a note of work left over, with its issue if it names one. The
// words are spelt so that a search for such notes does not find this line.
var openWork = regexp.MustCompile(`\b(?:TO-?DO|FIX-?ME|X{3})\b(\(#\d+\))?`)

func TestOpenWorkNamesItsIssue(t *testing.T) {
	report(t, openWorkFaults(house(t)))
}

func openWorkFaults(t tree) []string {
	var faults []string
	for _, f := range t.files {
		for _, group := range f.syntax.Comments {
			for _, comment := range group.List {
				for _, note := range openWork.FindAllStringSubmatch(comment.Text, -1) {
					if note[1] == "" {
						faults = append(faults, t.fault(comment.Pos(), "%s without an issue: do it, or write %[1]s(#number)", note[0]))
					}
				}
			}
		}
	}
	return faults
}
