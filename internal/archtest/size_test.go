package archtest

import (
	"go/ast"
	"go/token"
	"testing"
)

// The aims are half of these limits, 400 and 40 lines. What passes a limit is
// two ideas: split it.
const (
	maxFileLines     = 800
	maxFunctionLines = 80 // tests apart: a table of cases is long and still simple
)

func TestFilesAndFunctionsStaySmall(t *testing.T) {
	report(t, sizeFaults(house(t)))
}

func sizeFaults(t tree) []string {
	var faults []string
	for _, f := range t.files {
		if lines := t.lines(f.syntax.FileStart, f.syntax.FileEnd); lines > maxFileLines {
			faults = append(faults, t.fault(f.syntax.FileStart, "the file has %d lines, more than %d", lines, maxFileLines))
		}
		if f.test {
			continue
		}
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if lines := t.lines(fn.Pos(), fn.End()); lines > maxFunctionLines {
				faults = append(faults, t.fault(fn.Pos(), "%s has %d lines, more than %d", fn.Name.Name, lines, maxFunctionLines))
			}
		}
	}
	return faults
}

// lines counts the lines from one position to another, both included.
func (t tree) lines(from, to token.Pos) int {
	return t.fset.Position(to).Line - t.fset.Position(from).Line + 1
}
