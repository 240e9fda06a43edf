package archtest

import (
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const architecture = "ARCHITECTURE.md"

// readArchitecture returns the document, which must be there.
func readArchitecture(t *testing.T) string {
	t.Helper()
	text, err := fs.ReadFile(root(), architecture)
	if err != nil {
		t.Fatalf("%s shows the states and the imports: %v", architecture, err)
	}
	return string(text)
}

func TestArchitectureShowsTheTransitions(t *testing.T) {
	shown, err := shownTransitions(readArchitecture(t))
	if err != nil {
		t.Fatal(err)
	}
	coded, err := codedTransitions(house(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(coded, shown); diff != "" {
		t.Errorf("the table of internal/execution/state.go (-) and that of %s (+) differ:\n%s", architecture, diff)
	}
}

func TestArchitectureShowsTheImports(t *testing.T) {
	shown, ok := shownImports(readArchitecture(t))
	if !ok {
		return // the document may leave the imports to the map
	}
	coded := make(map[string]string)
	for pkg, imports := range houseMap() {
		coded[pkg] = listed(imports)
	}
	if diff := cmp.Diff(coded, shown); diff != "" {
		t.Errorf("the map (-) and that of %s (+) differ:\n%s", architecture, diff)
	}
}

// transition is a row of the table of an execution's states.
type transition struct{ From, To, Cause string }

// shownTransitions reads the table from | to | cause of the section "States of
// an execution".
func shownTransitions(document string) ([]transition, error) {
	const heading = "States of an execution"
	lines, ok := section(document, heading)
	if !ok {
		return nil, fmt.Errorf("%s has no section %q", architecture, heading)
	}
	var rows []transition
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 {
			return nil, fmt.Errorf("%s: the row %q has %d columns, not from, to and cause", architecture, line, len(cells))
		}
		for i, cell := range cells {
			cells[i] = strings.Trim(cell, " `")
		}
		if cells[0] == "from" || strings.Trim(cells[0], "-:") == "" {
			continue // the head and the line below it
		}
		rows = append(rows, transition{cells[0], cells[1], cells[2]})
	}
	return rows, nil
}

// shownImports reads the rows "package → a, b" of the section "Imports".
func shownImports(document string) (map[string]string, bool) {
	lines, ok := section(document, "Imports")
	if !ok {
		return nil, false
	}
	rows := make(map[string]string)
	for _, line := range lines {
		pkg, imports, ok := strings.Cut(strings.ReplaceAll(line, "`", ""), "→")
		if ok {
			rows[strings.Trim(pkg, " -*")] = strings.TrimSpace(imports)
		}
	}
	return rows, true
}

// section returns the lines below a heading, up to the next one.
func section(document, heading string) (lines []string, ok bool) {
	code := false
	for line := range strings.SplitSeq(document, "\n") {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if !code && strings.HasPrefix(line, "#") {
			if ok {
				return lines, true
			}
			ok = strings.TrimLeft(line, "# ") == heading
			continue
		}
		if ok {
			lines = append(lines, line)
		}
	}
	return lines, ok
}

// codedTransitions reads the literal of the variable transitions in package
// execution. The word of a state is its constant's name without "state".
func codedTransitions(t tree) ([]transition, error) {
	table := transitionsLiteral(t)
	if table == nil {
		return nil, errors.New("package execution has no table named transitions")
	}
	var rows []transition
	for _, element := range table.Elts {
		row, ok := element.(*ast.CompositeLit)
		if !ok || len(row.Elts) != 3 {
			return nil, errors.New(t.fault(element.Pos(), "not a row of from, to and cause"))
		}
		from, fromOK := row.Elts[0].(*ast.Ident)
		to, toOK := row.Elts[1].(*ast.Ident)
		cause, causeOK := row.Elts[2].(*ast.BasicLit)
		if !fromOK || !toOK || !causeOK {
			return nil, errors.New(t.fault(element.Pos(), "not a row of two states and a text"))
		}
		rows = append(rows, transition{stateWord(from.Name), stateWord(to.Name), unquote(cause.Value)})
	}
	return rows, nil
}

func transitionsLiteral(t tree) *ast.CompositeLit {
	for _, f := range t.code() {
		if f.pkg != "execution" {
			continue
		}
		for node := range ast.Preorder(f.syntax) {
			spec, ok := node.(*ast.ValueSpec)
			if ok && spec.Names[0].Name == "transitions" && len(spec.Values) == 1 {
				table, _ := spec.Values[0].(*ast.CompositeLit)
				return table
			}
		}
	}
	return nil
}

func stateWord(constant string) string {
	return strings.ToLower(strings.TrimPrefix(constant, "state"))
}
