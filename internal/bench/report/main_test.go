package main

import (
	"bufio"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const text = `limits: C
goos: linux
cpu: a processor
BenchmarkTimes/execute-2         	       7	       723.3 p10-limit-µs	         1.398 p10-ratio	      1011 p10-µs
BenchmarkTimes/execute-200-live-16 	       7	       815.9 p10-limit-µs	         1.821 p10-ratio	      1486 p10-µs
BenchmarkTimes/page 	       1	   1e-05 p10-µs
limits: C
PASS
`

func TestReadFindsEveryFigure(t *testing.T) {
	got, err := read(bufio.NewScanner(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	want := results{
		about: []string{"limits: C", "cpu: a processor"},
		measures: map[string]map[string]float64{
			"Times/execute":          {"p10-limit-µs": 723.3, "p10-ratio": 1.398, "p10-µs": 1011},
			"Times/execute-200-live": {"p10-limit-µs": 815.9, "p10-ratio": 1.821, "p10-µs": 1486},
			"Times/page":             {"p10-µs": 1e-05},
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(results{})); diff != "" {
		t.Error(diff)
	}
}

func TestRowSaysWhetherItsAimIsMet(t *testing.T) {
	measured := map[string]map[string]float64{
		"Times/x": {"p10-µs": 100, "p10-limit-µs": 40, "p10-ratio": 2.5, "MB/s": 123.4},
	}
	x := timed("", "", "x", "p10")
	rate := counted("", "", "Times/x", "MB/s", "MB/s")
	tests := []struct {
		name string
		row  row
		want cells
	}{
		{"no aim", x, cells{"100 µs", "40 µs", "2.50", ""}},
		{"ratio at its bound", x.ratioAtMost(2.5), cells{"100 µs", "40 µs", "2.50", "met"}},
		{"ratio over it", x.ratioAtMost(2.49), cells{"100 µs", "40 µs", "2.50", "NOT MET"}},
		{"ratio under the least", x.ratioAtLeast(2.51), cells{"100 µs", "40 µs", "2.50", "NOT MET"}},
		{"time over its bound", x.atMost(99), cells{"100 µs", "40 µs", "2.50", "NOT MET"}},
		{"rate over the least", rate.atLeast(100), cells{"123 MB/s", "-", "-", "met"}},
		{"another measure", timed("", "", "y", "p10").atMost(1), cells{"?", "?", "?", "not measured"}},
		{"another quantile", timed("", "", "x", "p50"), cells{"?", "?", "?", "not measured"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := tt.row.cells(measured)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(cells{})); diff != "" {
				t.Error(diff)
			}
			if ok != (got.verdict != "not measured") {
				t.Errorf("ok is %v", ok)
			}
		})
	}
}

func TestReportFailsWhenRowsAreMissing(t *testing.T) {
	var out strings.Builder
	err := report(strings.NewReader(text), &out)
	if err == nil || !strings.Contains(err.Error(), "not measured") {
		t.Errorf("error: %v", err)
	}
	for _, want := range []string{"cpu: a processor", "1011 µs", "723 µs", "≤ 1.4 ", "met", "NOT MET", "not measured"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
