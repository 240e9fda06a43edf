package differential

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"whelk/internal/command"
)

// TestRegressionsStayForeseen runs texts that shells and parsers once read
// differently. Each runs c0 in its shell.
func TestRegressionsStayForeseen(t *testing.T) {
	s := newSandbox(t)
	for _, p := range regressions(t) {
		a := command.Analyse(p.input())
		ran := s.run(p, a)
		if !slices.ContainsFunc(ran, func(run []string) bool { return run[0] == "c0" }) {
			t.Errorf("%s: the shell does not run c0, so this shows nothing: %s", p.Name, describe(p, a, ran))
		}
		if v := judge(a, ran); v.miss() {
			t.Errorf("%s: a miss: names %q, arguments %q\n%s", p.Name, v.missed, v.changed, describe(p, a, ran))
		}
	}
}

// regressions reads the programs: one JSON object a line, because a text may
// hold any byte.
func regressions(t *testing.T) []program {
	t.Helper()
	data, err := os.ReadFile("testdata/regressions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var list []program
	for line := range bytes.Lines(data) {
		var p program
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, p)
	}
	return list
}
