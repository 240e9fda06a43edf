package command

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wordsOf returns words of fields; one that begins with $ is unknown, one that
// begins with $$ may be several.
func wordsOf(fields string) []word {
	var out []word
	for field := range strings.FieldsSeq(fields) {
		w := known(field, Pos{})
		if before, _, ok := strings.Cut(field, "$"); ok {
			w = word{Word: Word{Text: field}, prefix: before}
			w.many = strings.Contains(field, "$$")
			w.loose = w.many
		}
		out = append(out, w)
	}
	return out
}

func TestOptionTables(t *testing.T) {
	const table optionTable = "-a -b -o: -i? --all --out= --color? -name="
	tests := []struct {
		name, args                  string
		style                       optionStyle
		options, operands, strangex string
	}{
		{"flags", "-a -ab x", permuted, "-a -a -b", "x", ""},
		{"a value apart", "-o v x", permuted, "-o=v", "x", ""},
		{"a value attached", "-aov x", permuted, "-a -o=v", "x", ""},
		{"a value that looks like an option", "-o -z x", permuted, "-o=-z", "x", ""},
		{"an optional value", "-i x -iv", permuted, "-i -i=v", "x", ""},
		{"long", "--all --out v --out=w --color x --color=y", permuted, "--all --out=v --out=w --color --color=y", "x", ""},
		{"an abbreviation", "--ou=v", permuted, "", "", "--ou=v"},
		{"a value for a flag", "--all=x", permuted, "", "", "--all=x"},
		{"not in the table", "-z -az --zip", permuted, "-a", "", "-z -az --zip"},
		{"after --", "-a -- -z --zip", permuted, "-a", "-z --zip", ""},
		{"a lone dash", "- -a", permuted, "-a", "-", ""},
		{"options end with an operand", "-a x -z", leading, "-a", "x -z", ""},
		{"a single dash", "-name v -all --name=w", singleDash, "-name=v --name=w", "", "-all"},
		{"a word that may be an option", "$x y", permuted, "", "y", "$x"},
		{"a word that is none", "./$x", permuted, "", "./$x", ""},
		{"words that may hold one", "./$$x", permuted, "", "", "./$$x"},
		{"an unknown value", "-o $x --out $x", permuted, "-o=$x --out=$x", "", ""},
		{"values of unknown number", "-o $$x", permuted, "-o=$$x", "", "$$x"},
		{"a known option, an unknown value", "-o$x --out=$x", permuted, "-o=-o$x --out=--out=$x", "", ""},
		{"an option in part", "-a$x --ou$x", permuted, "-a", "", "-a$x --ou$x"},
		{"unknown words after --", "-- $x $$y", permuted, "", "$x $$y", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := table.parse(wordsOf(tt.args), tt.style)
			var options []string
			for _, o := range p.options {
				if o.hasValue {
					options = append(options, o.name+"="+o.value.Text)
				} else {
					options = append(options, o.name)
				}
			}
			join := func(words []word) string {
				var out []string
				for _, w := range words {
					out = append(out, w.Text)
				}
				return strings.Join(out, " ")
			}
			got := []string{strings.Join(options, " "), join(p.operands), join(p.strange)}
			if diff := cmp.Diff([]string{tt.options, tt.operands, tt.strangex}, got); diff != "" {
				t.Errorf("options, operands, strange (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTablesAreWellFormed finds fields that could never match, or that hide one
// another.
func TestTablesAreWellFormed(t *testing.T) {
	tables := map[string]optionTable{"git": gitOptions, "git arguments": gitArguments, "sh": shellOptions, "sed": sedOptions, "awk": awkOptions, "npm": npmOptions}
	for name, w := range wrappers {
		tables[name] = w.options
	}
	for name, i := range interpreters {
		tables[name] = i.options
	}
	for name, u := range tools {
		tables[name] = u.options
	}
	for name, u := range suites {
		tables[name] = u.options
		for sub, w := range u.runners {
			tables[name+" "+sub] = w.options
		}
	}
	for name, table := range tables {
		seen := make(map[string]bool)
		for field := range strings.FieldsSeq(string(table)) {
			option := field
			if i := strings.IndexAny(field[1:], ":?=!"); i > 0 {
				option = field[:i+1]
			}
			if !strings.HasPrefix(field, "-") || seen[option] {
				t.Errorf("%s: the field %q is no option, or is there twice", name, field)
			}
			seen[option] = true
			if _, _, ok := table.find(option); !ok {
				t.Errorf("%s: the option %q is not found", name, option)
			}
		}
	}
}

// TestEveryProgramTakesOddWords holds each table against words that name no
// option, as an empty one: the analysis must come to an end.
func TestEveryProgramTakesOddWords(t *testing.T) {
	odd := []string{"", "-", "--", "=", "-=", "--=", ":", "-:", "!", " ", "-é", "\n"}
	var programs []string
	for _, names := range [][]string{
		slices.Collect(maps.Keys(wrappers)), slices.Collect(maps.Keys(interpreters)),
		slices.Collect(maps.Keys(tools)), slices.Collect(maps.Keys(suites)),
	} {
		programs = append(programs, names...)
	}
	for _, program := range programs {
		for _, w := range odd {
			for _, argv := range [][]string{{program, w}, {program, w, w, "x"}, {program, "x", w}, {program, "-x", w}, {program, "--", w}} {
				checkAnalysis(t, Analyse(Input{Argv: argv}))
			}
		}
	}
}
