package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docRow is a line of a table in docs/compat.
type docRow struct {
	id, kind string
	shows    []string
}

var inBackticks = regexp.MustCompile("`([^`]+)`")

// docRows reads the rows of a page.
func docRows(page string) (map[string]docRow, error) {
	const columns = 6
	rows := make(map[string]docRow)
	for line := range strings.SplitSeq(page, "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, ""), "|")
		if len(cells) != columns {
			return nil, fmt.Errorf("the row %.80q has %d columns, not %d", line, len(cells), columns)
		}
		id := inBackticks.FindStringSubmatch(cells[0])[1]
		if _, twice := rows[id]; twice {
			return nil, fmt.Errorf("the row %s is there twice", id)
		}
		row := docRow{id: id, kind: strings.TrimSpace(cells[4])}
		for _, m := range inBackticks.FindAllStringSubmatch(cells[5], -1) {
			row.shows = append(row.shows, m[1])
		}
		rows[id] = row
	}
	return rows, nil
}

// TestPagesOfCompatibilityAreTrue holds docs/compat to the differences and to
// the cases.
func TestPagesOfCompatibilityAreTrue(t *testing.T) {
	tests := namesOfTests(t)
	for _, s := range seedServers() {
		path := filepath.Join("..", "..", "docs", "compat", s.name+".md")
		page, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		rows, err := docRows(string(page))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for _, d := range differences() {
			if row, ok := rows[d.row]; d.seed == s.name && (!ok || row.kind != d.kind) {
				t.Errorf("%s: want a row %s of the kind %s: %s", path, d.row, d.kind, d.reason)
			}
		}
		var cases []string
		for _, g := range readRecording(t, s) {
			for _, c := range g.cases {
				cases = append(cases, c.id())
			}
		}
		for _, row := range rows {
			checkDocRow(t, path, row, cases, tests)
		}
	}
}

func checkDocRow(t *testing.T, path string, row docRow, cases, tests []string) {
	t.Helper()
	if !slices.Contains([]string{"kept", better, different}, row.kind) {
		t.Errorf("%s: row %s is of the kind %q: kept, better or different", path, row.id, row.kind)
	}
	if len(row.shows) == 0 {
		t.Errorf("%s: row %s names neither a case nor a test", path, row.id)
	}
	for _, name := range row.shows {
		if strings.HasPrefix(name, "Test") {
			if !slices.Contains(tests, name) {
				t.Errorf("%s: row %s names %s, which is no test", path, row.id, name)
			}
		} else if !slices.ContainsFunc(cases, patternOf(name).MatchString) {
			t.Errorf("%s: row %s names %s, and no case is called so", path, row.id, name)
		}
	}
}

// namesOfTests returns the names of all tests of the module.
func namesOfTests(t *testing.T) []string {
	t.Helper()
	var names []string
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
