package command

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAnArgvIsDividedIntoStages(t *testing.T) {
	tests := []struct {
		name, argv string // divided at blanks
		want       []Stage
	}{
		{"one program", "ls -l", []Stage{{Argv: []string{"ls", "-l"}, Index: []int{0, 1}}}},
		{"three", "cat f | grep a | wc", []Stage{
			{Argv: []string{"cat", "f"}, Index: []int{0, 1}},
			{Argv: []string{"grep", "a"}, Index: []int{3, 4}},
			{Argv: []string{"wc"}, Index: []int{6}},
		}},
		{"redirections of each (M7)", "a > x | b < y >> z c", []Stage{
			{Argv: []string{"a"}, Index: []int{0}, Redirections: []Redirection{{">", "x", 1}}},
			{Argv: []string{"b", "c"}, Index: []int{4, 9}, Redirections: []Redirection{{"<", "y", 5}, {">>", "z", 7}}},
		}},
		{"before the program", "> x a b", []Stage{
			{Argv: []string{"a", "b"}, Index: []int{2, 3}, Redirections: []Redirection{{">", "x", 0}}},
		}},
		{"what only looks like operators", "a |& 2>&1 &> 2> << <<< >| <> x>y a|b & ( )", []Stage{{
			Argv:  []string{"a", "|&", "2>&1", "&>", "2>", "<<", "<<<", ">|", "<>", "x>y", "a|b", "&", "(", ")"},
			Index: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13},
		}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Stages(strings.Split(tt.argv, " "))
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("error %v, stages (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestFaultyOperatorsAreNamed(t *testing.T) {
	tests := []struct {
		name  string
		argv  []string
		fault StageFault
		op    string
		index int
	}{
		{"| first", []string{"|", "cat"}, NoProgram, "|", 0},
		{"| last", []string{"ls", "|"}, NoProgram, "|", 1},
		{"| twice", []string{"ls", "|", "|", "cat"}, NoProgram, "|", 2},
		{"| alone", []string{"|"}, NoProgram, "|", 0},
		{"no program at all", []string{"<", "f"}, NoProgram, "<", 0},
		{"no program after |", []string{"ls", "|", ">", "f"}, NoProgram, "|", 1},
		{"no file", []string{"cat", "<"}, NoFile, "<", 1},
		{"an empty file", []string{"cat", ">", "", "x"}, NoFile, ">", 1},
		{"| as file", []string{"cat", ">>", "|", "cat"}, OperatorAsFile, ">>", 1},
		{"> as file", []string{"cat", "<", ">", "f"}, OperatorAsFile, "<", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Stages(tt.argv)
			fault, ok := errors.AsType[*StageError](err)
			if !ok || *fault != (StageError{tt.fault, tt.op, tt.index}) {
				t.Fatalf("error %+v; want fault %v of %s at %d", err, tt.fault, tt.op, tt.index)
			}
			if !slices.Contains(kinds(Analyse(Input{Argv: tt.argv, Operators: true})), string(KindSyntax)) {
				t.Error("the analysis knows all of it")
			}
		})
	}
}

func TestWithoutOperatorsEveryElementIsAnArgument(t *testing.T) {
	argv := []string{"grep", "|", "f", ">", "../x", "&&", ";", "<"}
	a := Analyse(Input{Argv: argv, Dir: "/srv"})
	if len(a.Commands) != 1 || len(a.Unknown) > 0 || len(a.Commands[0].Redirects) > 0 {
		t.Fatalf("commands %+v, unknowns %+v", a.Commands, a.Unknown)
	}
	if diff := cmp.Diff(argv, a.Commands[0].Texts()); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	if len(a.Stages) != 1 || !slices.Equal(a.Stages[0].Argv, argv) {
		t.Errorf("stages %+v", a.Stages)
	}
}

func TestEachStageIsJudged(t *testing.T) {
	tests := []struct {
		name, argv, names, kinds string
		redirects                []Redirect
	}{
		{"a shell that reads a pipe", "cat x | sh", "cat sh", "stdin-shell", nil},
		{"a shell that reads a file", "sh < x", "sh", "stdin-shell", []Redirect{{Op: "<", Path: "/srv/x", Reads: true}}},
		{"a wrapper in the middle", "a | env b | c", "a env b c", "", nil},
		{"a file outside, by ..", "a > x/../../y", "a", "redirect", []Redirect{{Op: ">", Path: "/y", Writes: true}}},
		{"an absolute file", "a < /etc/passwd", "a", "redirect", []Redirect{{Op: "<", Path: "/etc/passwd", Reads: true}}},
		{"files of each", "a < x | b >> y", "a b", "", []Redirect{
			{Op: "<", Path: "/srv/x", Reads: true}, {Op: ">>", Path: "/srv/y", Writes: true},
		}},
		{"what is written and run", "cat in > x | ./x", "cat x", "written-code", []Redirect{{Op: ">", Path: "/srv/x", Writes: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := Analyse(Input{Argv: strings.Split(tt.argv, " "), Operators: true, Dir: "/srv"})
			if got := strings.Join(names(a), " "); got != tt.names {
				t.Errorf("commands %q; want %q", got, tt.names)
			}
			if got := strings.Join(kinds(a), " "); got != tt.kinds {
				t.Errorf("unknowns %q; want %q", got, tt.kinds)
			}
			var redirects []Redirect
			for _, c := range a.Commands {
				redirects = append(redirects, c.Redirects...)
			}
			if diff := cmp.Diff(tt.redirects, redirects, cmpopts.IgnoreFields(Redirect{}, "Target", "Pos")); diff != "" {
				t.Errorf("redirections (-want +got):\n%s", diff)
			}
		})
	}
}

// What goes in comes out: the stages and their redirections, put together
// again, are the list.
func FuzzStages(f *testing.F) {
	for _, seed := range []string{
		"ls", "a | b", "|", "a |", "| a", "a < f > g | b >> h i", "> x a", "a > > b", "a >  b", "a | | b", "<", "a 2>&1 |& b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		argv := strings.Split(text, " ")
		stages, err := Stages(argv)
		if err == nil {
			if diff := cmp.Diff(argv, joined(stages, len(argv))); diff != "" {
				t.Errorf("put together (-argv +stages):\n%s", diff)
			}
			for _, st := range stages {
				if len(st.Argv) == 0 || slices.ContainsFunc(st.Argv, isOperator) {
					t.Errorf("stage %q", st.Argv)
				}
			}
		} else if !slices.ContainsFunc(argv, isOperator) {
			t.Errorf("%q: %v", argv, err)
		}
		a := Analyse(Input{Argv: argv, Operators: true})
		checkAnalysis(t, a)
		if a.Refused == nil && err != nil && len(a.Unknown) == 0 {
			t.Errorf("%q is known in full in spite of %v", argv, err)
		}
		for _, st := range a.Stages {
			if len(st.Argv) > 0 && !slices.ContainsFunc(a.Commands, func(c Command) bool { return c.Argv[0].Text == st.Argv[0] }) {
				t.Errorf("%q would run and is no command of the analysis", st.Argv[0])
			}
		}
	})
}

// joined puts stages together again, by the places that they name.
func joined(stages []Stage, n int) []string {
	argv := make([]string, n)
	for i := range argv {
		argv[i] = "|" // what no stage claims
	}
	for _, st := range stages {
		for i, at := range st.Index {
			argv[at] = st.Argv[i]
		}
		for _, r := range st.Redirections {
			argv[r.Index], argv[r.Index+1] = r.Op, r.File
		}
	}
	return argv
}
