package differential

import (
	"fmt"
	"strings"
	"testing"

	"whelk/internal/command"
)

// The tests of the fuzzer itself: that it can find, and is the same each time.

func TestProgramIsAFunctionOfItsSeed(t *testing.T) {
	seen := make(map[string]bool)
	for seed := range uint64(200) {
		first, second := newProgram(seed), newProgram(seed)
		if first.String() != second.String() {
			t.Fatalf("seed %d makes two programs:\n%s\n%s", seed, first, second)
		}
		seen[first.Text] = true
	}
	if len(seen) < 150 {
		t.Errorf("200 seeds make only %d texts", len(seen))
	}
}

func TestJudge(t *testing.T) {
	known := func(list ...string) command.Command {
		var c command.Command
		for _, text := range list {
			c.Argv = append(c.Argv, command.Word{Text: text, Known: true})
		}
		return c
	}
	open := known("c0", "a")
	open.Argv = append(open.Argv, command.Word{Text: "$x"})
	added := known("c0", "a")
	added.Via = []string{"xargs"}
	unknown := func(kind command.Kind) []command.Unknown { return []command.Unknown{{Kind: kind}} }
	cases := []struct {
		name     string
		analysis command.Analysis
		ran      []string
		resolved bool
		miss     bool
	}{
		{"a name that is not there", command.Analysis{Commands: []command.Command{known("c1")}}, []string{"c0"}, true, true},
		{"a name that is there", command.Analysis{Commands: []command.Command{known("c1"), known("c0")}}, []string{"c0"}, true, false},
		{"another argument", command.Analysis{Commands: []command.Command{known("c0", "a")}}, []string{"c0", "b"}, true, true},
		{"an argument too many", command.Analysis{Commands: []command.Command{known("c0", "a")}}, []string{"c0", "a", "b"}, true, true},
		{"two commands of one name", command.Analysis{Commands: []command.Command{known("c0", "a"), known("c0", "b")}}, []string{"c0", "b"}, true, false},
		{"an open word becomes none", command.Analysis{Commands: []command.Command{open}}, []string{"c0", "a"}, true, false},
		{"an open word becomes two", command.Analysis{Commands: []command.Command{open}}, []string{"c0", "a", "b", "c"}, true, false},
		{"before an open word", command.Analysis{Commands: []command.Command{open}}, []string{"c0", "b", "c"}, true, true},
		{"what xargs adds", command.Analysis{Commands: []command.Command{added}}, []string{"c0", "a", "b"}, true, false},
		{"an unknown that hides commands", command.Analysis{Unknown: unknown(command.KindSyntax)}, []string{"c0"}, false, false},
		{"an unknown that hides none", command.Analysis{Unknown: unknown(command.KindRedirect)}, []string{"c0"}, true, true},
		{"a refusal", command.Analysis{Refused: &command.Refusal{}}, []string{"c0"}, false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := judge(&c.analysis, [][]string{c.ran})
			if v.resolved != c.resolved || v.miss() != c.miss {
				t.Errorf("resolved %v, miss %v; want %v, %v", v.resolved, v.miss(), c.resolved, c.miss)
			}
		})
	}
}

func TestShrinkKeepsWhatTheMissNeeds(t *testing.T) {
	p := program{Shell: "bash", Text: "c1 a; { c2; }\necho \"$(c0)\" >f0\nc3\n"}
	small := shrink(p, func(p program) bool { return strings.Contains(p.Text, "$(c0)") })
	if small.Text != "$(c0)" {
		t.Errorf("the smallest text is %q", small.Text)
	}
}

func TestSandboxShowsWhatRuns(t *testing.T) {
	s := newSandbox(t)
	cases := []struct{ name, shell, text, want string }{
		{"arguments", "bash", `c0 a 'b  c' ""`, `[["c0" "a" "b  c" ""]]`},
		{"a failing stub", "dash", "c5 || c1", `[["c5"] ["c1"]]`},
		{"what is left in the background", "bash", "(c7; c8) &", `[["c7"] ["c8"]]`},
		{"an endless loop", "dash", "c0; while :; do :; done", `[["c0"]]`},
		{"which shell it is", "sh", `[ "$BASH_VERSION" ] && c0 || c1`, `[["c1"]]`},
		{"the folder is empty", "dash", "for f in *; do c0 \"$f\"; done; >f0", `[["c0" "*"]]`},
		{"the folder is empty again", "dash", "for f in *; do c0 \"$f\"; done", `[["c0" "*"]]`},
		{"nothing outside can be written", "bash", "for f in / /tools/ /stubs/ /lib/ /usr/ /dev/; do >${f}new && c0; done 2>/dev/null", `[]`},
		{"no network", "bash", `while read -r name rest; do [[ $name == *: ]] && c0 "$name"; done </proc/net/dev`, `[["c0" "lo:"]]`},
		{"other processes are out of sight", "bash", `for f in /proc/[0-9]*; do [[ $f == /proc/1 || $f == /proc/$$ ]] || c0; done`, `[]`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := s.run(program{Shell: c.shell, Sh: "dash", Text: c.text}, &command.Analysis{Text: c.text})
			if shown := quoted(got); shown != c.want {
				t.Errorf("ran %s, want %s", shown, c.want)
			}
		})
	}
}

// quoted shows runs on one line.
func quoted(ran [][]string) string { return fmt.Sprintf("%q", ran) }
