package archtest

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// exampleDoc is long enough for the rule of doc comments.
const exampleDoc = "// Package a owns\n// three lines\n// of text.\n"

// example parses a small module, given as the text of each file.
func example(t *testing.T, files map[string]string) tree {
	t.Helper()
	module := make(fstest.MapFS)
	for name, text := range files {
		module[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return parse(t, module)
}

func exampleImports(t tree) []string {
	return importFaults(t, map[string][]string{"cmd/a": {"b"}, "b": nil})
}

func exampleWalls(t tree) []string {
	return wallFaults(t, []wall{
		{path: "example.org/lib", places: []string{"internal/b", "internal/c/one.go"}, reason: "b's"},
		{path: "os/exec", reason: "never"},
		{path: "fmt", names: []string{"Println"}, places: []string{"cmd/a"}, reason: "protocol"},
	})
}

// ruleCase is a small module and the faults that a rule must find in it.
type ruleCase struct {
	name  string
	rule  func(tree) []string
	files map[string]string
	want  []string
}

func tryRules(t *testing.T, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := c.rule(example(t, c.files))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestImportRuleFindsWhatIsNotOnTheMap(t *testing.T) {
	tryRules(t, []ruleCase{
		{
			"an import on the map", exampleImports,
			map[string]string{"cmd/a/a.go": "package main\nimport \"whelk/internal/b\"\n", "internal/b/b.go": "package b\n"},
			nil,
		},
		{
			"an import that is not on the map", exampleImports,
			map[string]string{"cmd/a/a.go": "package main\n", "internal/b/b.go": "package b\nimport \"whelk/cmd/a\"\n"},
			[]string{"internal/b/b.go:2: b may not import cmd/a: the map allows it nothing"},
		},
		{
			"a package that is not on the map", exampleImports,
			map[string]string{"cmd/a/a.go": "package main\n", "internal/b/b.go": "package b\n", "internal/b/c/c.go": "package c\n"},
			[]string{"internal/b/c/c.go:1: package b/c is not on the map: give it a row in internal/archtest, and in ARCHITECTURE.md"},
		},
		{
			"a package that is gone", exampleImports,
			map[string]string{"cmd/a/a.go": "package main\n"},
			[]string{"package b is on the map and not in the tree: take its row out"},
		},
		{
			"tests import what they test and mcptest, no more", exampleImports,
			map[string]string{
				"cmd/a/a.go":           "package main\n",
				"internal/b/b_test.go": "package b_test\nimport (\n\"whelk/internal/b\"\n\"whelk/internal/mcptest\"\n\"whelk/cmd/a\"\n)\n",
			},
			[]string{"internal/b/b_test.go:5: b may not import cmd/a: the map allows it nothing"},
		},
		{
			"mcptest outside of tests", exampleImports,
			map[string]string{"cmd/a/a.go": "package main\n", "internal/b/b.go": "package b\nimport \"whelk/internal/mcptest\"\n"},
			[]string{"internal/b/b.go:2: b may not import mcptest: the map allows it nothing"},
		},
		{
			"testdata and nested modules are no part of the house", exampleImports,
			map[string]string{
				"cmd/a/a.go": "package main\n", "internal/b/b.go": "package b\n",
				"internal/b/testdata/x.go": "package x\n", "tools/go.mod": "module tools\n", "tools/x.go": "package x\n",
			},
			nil,
		},
	})
}

func TestWallRuleFindsWhatIsOutside(t *testing.T) {
	tryRules(t, []ruleCase{
		{
			"libraries in their places and in tests", exampleWalls,
			map[string]string{
				"internal/b/b.go":      "package b\nimport \"example.org/lib/sub\"\n",
				"internal/c/one.go":    "package c\nimport \"example.org/lib\"\n",
				"internal/c/c_test.go": "package c\nimport (\n\"os/exec\"\n\"example.org/any\"\n)\n",
			},
			nil,
		},
		{
			"a library in another file or directory", exampleWalls,
			map[string]string{
				"internal/c/two.go": "package c\nimport \"example.org/lib\"\n",
				"internal/b/d/d.go": "package d\nimport \"os/exec\"\n",
			},
			[]string{
				"internal/b/d/d.go:2: internal/b/d/d.go may not import os/exec: never",
				"internal/c/two.go:2: internal/c/two.go may not import example.org/lib: b's",
			},
		},
		{
			"a library without a wall", exampleWalls,
			map[string]string{"internal/b/b.go": "package b\nimport \"example.org/library\"\n"},
			[]string{"internal/b/b.go:2: example.org/library has no wall: say in internal/archtest where it may be used"},
		},
		{
			"a walled name, renamed or not", exampleWalls,
			map[string]string{
				"cmd/a/a.go":      "package main\nimport \"fmt\"\nvar _ = fmt.Println\n",
				"internal/b/b.go": "package b\nimport \"fmt\"\nvar _, _ = fmt.Println, fmt.Sprintln\n",
				"internal/c/c.go": "package c\nimport f \"fmt\"\nvar _ = f.Println\n",
			},
			[]string{
				"internal/b/b.go:3: fmt.Println is not for this package: protocol",
				"internal/c/c.go:3: fmt.Println is not for this package: protocol",
			},
		},
	})
}

func TestRulesOfConductFindFaults(t *testing.T) {
	long := func(lines int) string {
		return "package b\n\nfunc f() {\n" + strings.Repeat("\t_ = 0\n", lines-2) + "}\n"
	}
	tryRules(t, []ruleCase{
		{
			"a doc comment in one file of the package", docFaults,
			map[string]string{"internal/a/a.go": "package a\n", "internal/a/doc.go": exampleDoc + "package a\n"},
			nil,
		},
		{
			"a short doc comment", docFaults,
			map[string]string{"internal/a/a.go": "// Package a is\n//\n// a.\npackage a\n", "internal/a/a_test.go": exampleDoc + "package a\n"},
			[]string{"internal/a/a.go:4: package a has a doc comment of 2 lines, not 3: say what it owns, its words, its invariants and who may call it"},
		},
		{
			"a vague name of a package or a directory", vagueNameFaults,
			map[string]string{"internal/b/b.go": "package util\n", "internal/helpers/b.go": "package b\n", "internal/utility/u.go": "package utility\n"},
			[]string{
				"internal/b/b.go:1: util is no name for a package: name it for what it owns",
				"internal/helpers/b.go:1: b is no name for a package: name it for what it owns",
			},
		},
		{
			"func init, but not a method of that name", initFaults,
			map[string]string{"internal/b/b.go": "package b\ntype t int\nfunc (t) init() {}\nfunc init() {}\n"},
			[]string{"internal/b/b.go:4: func init runs unasked: call it from where its work is needed"},
		},
		{
			"open work with and without an issue", openWorkFaults,
			map[string]string{"internal/b/b.go": "package b\n// TO" + "DO(#7): a\n// TO" + "DO: b\nvar mastodon, s = 1, \"TO" + "DO\"\n"},
			[]string{"internal/b/b.go:3: TO" + "DO without an issue: do it, or write TO" + "DO(#number)"},
		},
		{
			"sizes at their limits", sizeFaults,
			map[string]string{"internal/b/f.go": long(80), "internal/b/b.go": "package b\n" + strings.Repeat("\n", 799), "internal/b/b_test.go": long(81)},
			nil,
		},
		{
			"sizes over their limits", sizeFaults,
			map[string]string{"internal/b/f.go": long(81), "internal/b/b_test.go": "package b\n" + strings.Repeat("\n", 800)},
			[]string{
				"internal/b/b_test.go:1: the file has 801 lines, more than 800",
				"internal/b/f.go:3: f has 81 lines, more than 80",
			},
		},
	})
}

func TestTransitionsAreReadFromCode(t *testing.T) {
	table := func(rows string) tree {
		return example(t, map[string]string{"internal/execution/state.go": "package execution\nvar transitions = [...]transition{" + rows + "}\n"})
	}
	got, err := codedTransitions(table(`{stateRunning, stateEnded, "it ended"}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]transition{{"running", "ended", "it ended"}}, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for _, rows := range []string{`{stateRunning, stateEnded}`, `{stateRunning, stateEnded, cause}`, `row`} {
		if got, err := codedTransitions(table(rows)); err == nil {
			t.Errorf("%s is read as %v", rows, got)
		}
	}
	if got, err := codedTransitions(example(t, map[string]string{"internal/other/state.go": "package other\n"})); err == nil {
		t.Errorf("no table is read as %v", got)
	}
}

// exampleDocument has the two sections that are held to the code.
const exampleDocument = `# Architecture
| from | to | cause |
|---|---|---|
| not | this | table |

## States of an execution
Some words.

| from | to | cause |
|---|:-:|---|
| %[1]srunning%[1]s | ended | it ended |

## Imports

- %[1]sa%[1]s → b, tools/c

%[1]s%[1]s%[1]s
# a comment
b → nothing
%[1]s%[1]s%[1]s

## Words
x → y
`

func TestSectionsAreReadFromTheDocument(t *testing.T) {
	document := fmt.Sprintf(exampleDocument, "`")
	rows, err := shownTransitions(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]transition{{"running", "ended", "it ended"}}, rows); diff != "" {
		t.Errorf("transitions (-want +got):\n%s", diff)
	}
	imports, ok := shownImports(document)
	if diff := cmp.Diff(map[string]string{"a": "b, tools/c", "b": "nothing"}, imports); !ok || diff != "" {
		t.Errorf("imports, found %v (-want +got):\n%s", ok, diff)
	}
	if rows, err := shownTransitions("# Words\n"); err == nil {
		t.Errorf("no section is read as %v", rows)
	}
	if rows, err := shownTransitions("# States of an execution\n| a | b |\n"); err == nil {
		t.Errorf("a table of two columns is read as %v", rows)
	}
	if rows, ok := shownImports("# Words\n"); ok {
		t.Errorf("no section is read as %v", rows)
	}
}
