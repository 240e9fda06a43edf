package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCategoriesAreThoseOfTheContract(t *testing.T) {
	all := Effects()
	if len(all) != 21 || !slices.IsSorted(all) {
		t.Errorf("there are %d categories, in the order %v", len(all), all)
	}
	for _, e := range all {
		if advice := e.Advice(); !strings.HasSuffix(advice, ".") {
			t.Errorf("the advice of %s is %q", e, advice)
		}
	}
}

func TestDeclaredEffectsAreChecked(t *testing.T) {
	cases := []struct {
		name  string
		given []string
		want  []Effect
		fault string
	}{
		{"nothing", nil, nil, ""},
		{"none", []string{"NONE"}, []Effect{None}, ""},
		{"none twice", []string{"NONE", "NONE"}, []Effect{None}, ""},
		{"two", []string{"OTHER", "UNKNOWN"}, []Effect{Other, UnknownEffect}, ""},
		{"none and another", []string{"NONE", "OTHER"}, nil, "NONE excludes"},
		{"letter case", []string{"none"}, nil, "did you mean NONE?"},
		{"no category", []string{"XYZZY"}, nil, "the categories are"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseDeclared(c.given)
			if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Fatalf("the fault is %v, want %q", err, c.fault)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("declared (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTableOfEffectsIsWellFormed(t *testing.T) {
	lookup := effectIndex() // panics on an entry that cannot be parsed
	for _, e := range lookup.index.entries {
		if effects := lookup.of[e.text]; len(effects) == 0 || len(slices.Compact(slices.Clone(effects))) != len(effects) {
			t.Errorf("%q has the effects %v", e.text, effects)
		}
	}
}
