package config

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/yamlfile"
)

// shownSettings writes the settings of a file, option → origin's line and texts with
// theirs.
func shownSettings(f *file) map[string]string {
	shown := map[string]string{}
	line := func(origin string) string { return strings.TrimPrefix(origin, "file /c:") }
	for name, s := range f.settings {
		text := line(s.origin)
		for _, e := range s.entries {
			text += fmt.Sprintf(" %s:%q", line(e.origin), e.text)
		}
		shown[name] = text
	}
	return shown
}

func TestSettingsAreReadFromYAML(t *testing.T) {
	type settings = map[string]string
	tests := []struct {
		name, text string
		want       settings
	}{
		{"empty", "", settings{}},
		{"comments alone", "# yield: 5s\n", settings{}},
		{"a mark of the document alone", "---\n", settings{}},
		{"an empty mapping", "{}", settings{}},
		{"keys", "---\nyield: 5s # c\n\n\"grace\": '1s'\n", settings{"yield": `2 2:"5s"`, "grace": `4 4:"1s"`}},
		{"as JSON", `{"yield": "5s", "allow": ["ls"]}`, settings{"yield": `1 1:"5s"`, "allow": `1 1:"ls"`}},
		{"a mapping of the rest of a name", "max:\n  output: 1\n  wait: 2s", settings{"max-output": `2 2:"1"`, "max-wait": `3 3:"2s"`}},
		{"mappings at each word", "exit: {with: {parent: true}}", settings{"exit-with-parent": `1 1:"true"`}},
		{"two words in one key", "exit:\n  with_parent: true", settings{"exit-with-parent": `2 2:"true"`}},
		{"a list and a mapping of one word", "deny: [rm]\ndeny_regex: x\nallow: {regex: y}", settings{"deny": `1 1:"rm"`, "deny-regex": `2 2:"x"`, "allow-regex": `3 3:"y"`}},
		{"lists with lines", "allow:\n- a b\n\n- 'c'\nyield: 1s", settings{"allow": `1 2:"a b" 4:"c"`, "yield": `5 5:"1s"`}},
		{"an empty list", "blocked_side_effects: []", settings{"blocked-side-effects": "1"}},
		{"spellings of scalars are kept", "allow: [true, 0x10, 1_000, 1e3, .5, .inf, yes, 7z, 2026-01-02, 007, True]", settings{
			"allow": `1 1:"true" 1:"0x10" 1:"1_000" 1:"1e3" 1:".5" 1:".inf" 1:"yes" 1:"7z" 1:"2026-01-02" 1:"007" 1:"True"`,
		}},
		{"quotes and escapes", `deny: ['^rm\b', "a\\b", "null", "~"]`, settings{"deny": `1 1:"^rm\\b" 1:"a\\b" 1:"null" 1:"~"`}},
		{"texts of several lines", "env_set:\n  - |\n    A=1\n    B\n  - >-\n    C=\n    d\n", settings{"env-set": `1 2:"A=1\nB\n" 5:"C= d"`}},
		{"a mark of the byte order and CRLF", "\ufeffyield: 1s\r\nenv_set:\r\n- |\r\n  A=1\r\n  2\r\n", settings{"yield": `1 1:"1s"`, "env-set": `2 3:"A=1\n2\n"`}},
		{"an empty text", `cwd: ""`, settings{"cwd": `1 1:""`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := parseFile("/c", []byte(test.text))
			if len(f.faults) > 0 {
				t.Fatal(f.faults)
			}
			if diff := cmp.Diff(test.want, shownSettings(f)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultsOfAFileNameTheirLine(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // one a fault: the line, and what begins or is in it
	}{
		{"an unknown key", "yield: 1s\nyeild: 2s", []string{"2: there is no option yeild; did you mean yield?"}},
		{"hyphens", "max-output: 1", []string{"1: there is no option max-output; did you mean max_output?"}},
		{"other case", "Yield: 1s", []string{"1: there is no option Yield; did you mean yield?"}},
		{"an unknown key like nothing", "zzzzzz: 1", []string{"1: there is no option zzzzzz"}},
		{"an unknown key within", "max:\n  outptu: 1", []string{"2: there is no option max_outptu; did you mean max_output?"}},
		{"an unknown mapping", "limits:\n  a: 1\n  b: 2", []string{"1: there is no option limits"}},
		{"a misspelt policy", "polcy: {}", []string{"1: there is no option polcy; did you mean policy?"}},
		{"a policy within", "max: {policy: {}}", []string{"1: there is no option max_policy"}},
		{"another file", "config: x", []string{"1: there is no option config; a file cannot name another one"}},
		{"a key twice", "yield: 1s\nyield: 1s", []string{`2: this is no YAML: mapping key "yield" already defined`}},
		{"a key twice, in quotes", "yield: 1s\n'yield': 1s", []string{`2: this is no YAML: mapping key "yield" already defined`}},
		{"a key twice in brackets", "{yield: 1s, yield: 1s}", []string{`1: this is no YAML: mapping key "yield" already defined`}},
		{"a key twice in the policy", "policy:\n  rules:\n  - a: {b: 1}\n    a: 2", []string{`4: this is no YAML: mapping key "a" already defined`}},
		{"an option twice", "max_output: 1\nmax:\n  output: 2", []string{"3: max_output is set already, by file /c:1; leave one of them"}},
		{"a policy twice", "policy: {}\npolicy: {}", []string{`2: this is no YAML: mapping key "policy" already defined`}},
		{"no value", "yield:\ncwd: ~\nallow: null", []string{
			"1: yield has no value; write one value (duration), or take the line out",
			"2: cwd has no value; write one value (directory), or take the line out",
			"3: allow has no value; write a list of texts (command), such as [one, two], or take the line out",
		}},
		{"a list for one value", "yield: [1s]", []string{"1: yield takes one value (duration)"}},
		{"a value for a list", "deny: rm", []string{"1: deny takes a list of texts (command), such as [one, two]"}},
		{"a mapping for a value", "yield: {s: 1}", []string{"1: yield takes one value (duration), not a mapping"}},
		{"a value for a mapping", "log: debug", []string{"1: log is no option but the beginning of some"}},
		{"entries that are no texts", "deny:\n- rm\n- \n- [a]\n- {a: b}\n- a: b", []string{
			"3: an entry of deny is a text", "4: an entry of deny is a text", "5: an entry of deny is a text", "6: an entry of deny is a text",
		}},
		{"no policy", "policy:", []string{"1: policy takes a mapping, such as rules: [...]"}},
		{"a list as policy", "policy: [a]", []string{"1: policy takes a mapping"}},
		{"a policy of one word", "policy: deny", []string{"1: policy takes a mapping"}},
		{"a list", "- a", []string{"1: a configuration is a mapping from options to values"}},
		{"a word", "yield", []string{"1: a configuration is a mapping from options to values"}},
		{"no blank behind the colon", "yield:1s\nresult: both", []string{"1: this is no YAML"}},
		{"half a list", "deny: [rm\nyield: 1s", []string{"2: this is no YAML"}},
		{"half a text", "shell: \"a\nb", []string{"1: this is no YAML"}},
		{"a tab", "max:\n\toutput: 1", []string{"2: this is no YAML"}},
		{"deeper than it should be", "yield: 1s\n  deny: [rm]", []string{"1: this is no YAML"}},
		{"no comma before a key", "{shell: sh deny: rm}", []string{`1: a comma is missing before a key in "sh deny: rm", or quotes around it`}},
		{"no comma before a list", "{shell: sh deny: [rm]}", []string{"1: this is no YAML"}},
		{"no comma before a line", "policy: {\n a: 1\n b: 2\n}", []string{"3: this is no YAML"}},
		{"no comma behind a text in quotes", "{shell: \"sh\" deny: [rm]}", []string{"1: this is no YAML"}},
		{"no comma behind a list", "policy: {\n a: [1]\n b: 2\n}", []string{"3: this is no YAML"}},
		{"two documents", "yield: 1s\n---\ndeny: [rm]", []string{"3: a second document begins here"}},
		{"two documents with an end", "yield: 1s\n...\ndeny: [rm]", []string{"3: a second document begins here"}},
		{"an alias", "shell: sh\ndeny: [*]", []string{"2: anchors (&), aliases (*) and merge keys (<<) are not read"}},
		{"an anchor", "deny: &a [rm]", []string{"1: anchors (&)"}},
		{"a merge key", "max:\n  <<: {output: 1}", []string{"2: anchors (&)"}},
		{"a tag", "yield: !!str 1s", []string{"1: tags (!) are not read"}},
		{"a directive", "%YAML 1.2\n---\nyield: 1s", []string{"1: directives (%) are not read"}},
		{"a question mark", "? yield\n: 1s", []string{"1: a key after a question mark is not read"}},
		{"not UTF-8", "# a\nshell: \"\xff\"", []string{"2: a byte is not UTF-8"}},
		{"UTF-16", "\xff\xfey\x00", []string{"1: a byte is not UTF-8"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := parseFile("/c", []byte(test.text))
			if len(f.faults) != len(test.want) {
				t.Fatalf("the faults are %v, want %q", errors.Join(f.faults...), test.want)
			}
			for i, want := range test.want {
				if got := f.faults[i].Error(); !strings.HasPrefix(got, "file /c:"+want) {
					t.Errorf("the fault is %s, want %s", got, want)
				}
			}
		})
	}
}

func TestAFileIsBounded(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "k%d: v\n", i)
		}
		return b.String()
	}
	nest := func(n int) string { return "policy: {a: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	indented := func(n int) string {
		var b strings.Builder
		b.WriteString("policy:\n")
		for i := range n {
			b.WriteString(strings.Repeat(" ", i+1) + "a:\n")
		}
		return b.String()
	}
	within := func(s string) string { return "policy:\n " + strings.ReplaceAll(s, "\n", "\n ") }
	const deep, long, many = "this is nested more than 64 levels deep", "the file is too long from here on", "this mapping has more than 256 keys"
	tests := []struct{ name, text, want string }{
		{"256 keys", within(keys(256)), ""},
		{"257 keys", within(keys(257)), many},
		{"257 keys in brackets", "policy: {" + strings.ReplaceAll(keys(257), "\n", ", ") + "}", many},
		{"257 keys of a list", "policy:\n a:\n" + strings.Repeat(" - b: c\n", 257), ""},
		{"200 lists at the column of their keys", within(strings.ReplaceAll(keys(200), ": v\n", ":\n- b\n")), ""},
		{"62 brackets", nest(62), ""},
		{"63 brackets", nest(63), deep},
		{"a hundred thousand brackets", strings.Repeat("[", yamlfile.MostTokens+1), long},
		{"fifty thousand brackets", strings.Repeat("[", 50_000), deep},
		{"fifty thousand mappings", strings.Repeat("{a: ", 20_000), deep},
		{"fifty thousand keys of keys in a block", strings.Repeat("a: ", 40_000), deep},
		{"fifty thousand dashes", strings.Repeat("- ", 50_000), deep},
		{"63 levels by indent", indented(63), ""},
		{"64 levels by indent", indented(64), deep},
		{"a hundred thousand words", "policy: {a: [" + strings.Repeat("b,", 50_000) + "b]}", long},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := parseFile("/c", []byte(test.text))
			got := ""
			if len(f.faults) > 0 {
				got = f.faults[0].Error()
			}
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("the fault is %q, want %q", got, test.want)
			}
		})
	}
}

func TestPolicySectionKeepsItsLinesAndColumns(t *testing.T) {
	tests := []struct{ name, text, want, origin string }{
		{"none", "yield: 1s", "", ""},
		{"a block", "yield: 1s\npolicy:\n  # c\n  rules:\n    - a: é\n  b: 2\n# end\nshell: sh\n", "\n\n\n  rules:\n    - a: é\n  b: 2\n# end\n", "2"},
		{"a block at the end", "policy:\n    a: |\n      x\n       y", "\n    a: |\n      x\n       y", "1"},
		{"brackets", "policy: {a: \"}\", b: []} # c\nyield: 1s", `        {a: "}", b: []}`, "1"},
		{"brackets over lines", "yield: 1s\npolicy: {\n a: 1,\n} # c", "\n        {\n a: 1,\n}", "2"},
		{"within brackets", `{"yield": "1s", "policy": {"é": {}, "b": 1}, "shell": "é"}`, strings.Repeat(" ", 26) + `{"é": {}, "b": 1}`, "1"},
		{"empty", "policy: {}\n", "        {}", "1"},
		{"CRLF", "policy:\r\n  a: 1\r\nyield: 1s\r\n", "\n  a: 1\n", "1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := parseFile("/c", []byte(test.text))
			if len(f.faults) > 0 {
				t.Fatal(f.faults)
			}
			if diff := cmp.Diff(test.want, string(f.policy)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if origin := strings.TrimPrefix(f.section, "file /c:"); origin != test.origin {
				t.Errorf("it stands at %s, want %s", origin, test.origin)
			}
		})
	}
}

func TestDocumentedExamplesHaveNoFaults(t *testing.T) {
	document, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(document), "```yaml\n")[1:]
	if len(examples) == 0 {
		t.Error("there are no examples")
	}
	for _, example := range examples {
		text, _, _ := strings.Cut(example, "```")
		f := parseFile("/c", []byte(text))
		delete(f.settings, "roots") // its directories are the reader's
		if _, _, err := load([]source{f.source}, f); err != nil {
			t.Errorf("%v:\n%s", err, text)
		}
	}
}
