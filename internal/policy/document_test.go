package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const example = `
rules:
  - name: no-force
    match:
      argv: [git, push]
      flags: [--force, -f]
    decision: deny
    reason: history is shared
    suggest: push without force
    tests:
      - {command: git push -f, decision: deny}
      - argv: [git, push]
        decision: allow
  - name: publish
    match: {name: true}
    decision: ask
on_unknown: ask
deny:
  - rm
  - 7z
blocked_side_effects: [DELETES_FILES]
side_effects: advise
`

func TestDocumentIsRead(t *testing.T) {
	got, err := ParseDocument([]byte(example), "p.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := Document{
		Name: "p.yaml", OnUnknown: "ask", Deny: []string{"rm", "7z"}, Blocked: []Effect{DeletesFiles}, SideEffects: Advise,
		Rules: []Rule{{
			Name: "no-force", Decision: Deny, Reason: "history is shared", Suggest: "push without force", Line: 3,
			Match: Conditions{Argv: []string{"git", "push"}, Flags: []string{"--force", "-f"}},
			Tests: []Test{{Command: "git push -f", Decision: Deny, Line: 11}, {Argv: []string{"git", "push"}, Line: 12}},
		}, {
			Name: "publish", Decision: Ask, Line: 14, Match: Conditions{Name: []string{"true"}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

func TestFaultsInDocumentsAreNamed(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"a key of the policy", "denny: [rm]", `p:1: the policy has no key "denny"; did you mean deny?`},
		{"a key with a dash", "on-unknown: deny", "did you mean on_unknown?"},
		{"a key of a rule", "rules:\n- nam: x", `p:2: a rule has no key "nam"; did you mean name?`},
		{"a key of match", "rules:\n- name: x\n  decision: deny\n  match:\n    flag: [-f]", `p:5: match has no key "flag"; did you mean flags?`},
		{"a key twice", "deny: [a]\ndeny: [b]", "p:2:"},
		{"a text for a list", "deny: rm", "p:1: deny takes a list"},
		{"a mapping for a list", "deny: {rm: x}", "p:1: deny takes a list of texts, not keys with values"},
		{"a list for a text", "on_unknown: [deny]", "p:1: on_unknown takes a text, not a list"},
		{"nothing", "allow:", "p:1: allow takes a list of texts, not nothing"},
		{"an empty list", "allow: []", "p:1: allow has no entry"},
		{"a null entry", "deny:\n- rm\n-", "an entry of deny takes a text, not nothing"},
		{"a list for the policy", "- a", "p:1: the policy takes keys with values, not a list"},
		{"a text for the policy", "rm", "p:1: the policy takes keys with values"},
		{"an empty text", "", "the policy is empty"},
		{"a rule without a name", "rules:\n- decision: deny\n  match: {name: x}", "a rule has no name"},
		{"a rule without a decision", "rules:\n- name: x\n  match: {name: x}", `the rule "x" has no decision`},
		{"a rule without match", "rules:\n- name: x\n  decision: deny", `the rule "x" has no match`},
		{"two rules of one name", "rules:\n- {name: x, decision: deny, match: {name: a}}\n- {name: x, decision: ask, match: {name: b}}", "p:3: two rules are named"},
		{"a decision", "rules:\n- {name: x, decision: forbid, match: {name: a}}", `"forbid" is no decision`},
		{"a category", "blocked_side_effects: [DELETE_FILES]", "did you mean DELETES_FILES?"},
		{"a test with both", "rules:\n- {name: x, decision: deny, match: {name: a}, tests: [{command: a, argv: [a], decision: deny}]}", "either command or argv"},
		{"a test without decision", "rules:\n- {name: x, decision: deny, match: {name: a}, tests: [{command: a}]}", "a test has no decision"},
		{"a test in a relative directory", "rules:\n- {name: x, decision: deny, match: {name: a}, tests: [{command: a, cwd: b, decision: deny}]}", "an absolute directory"},
		{"an alias", "deny: &a [rm]\nallow: *a", "is not read here"},
		{"two documents", "deny: [a]\n---\ndeny: [b]", "a second document"},
		{"no YAML", "deny: [a", "p:1: this is no YAML"},
		{"deep nesting", strings.Repeat("[", 50_000), "nested more than"},
		{"deep lists", strings.Repeat("- ", 50_000) + "x", "nested more than"},
		{"size", "deny: [" + strings.Repeat("x", mostBytes) + "]", "longer than"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseDocument([]byte(c.text), "p")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the fault is %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	_, err := ParseDocument([]byte("denny: [rm]\nrules:\n- {name: x}\n- {name: y, decision: no, match: {name: a}}\n"), "p")
	if err == nil {
		t.Fatal("no fault is found")
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 {
		t.Errorf("the faults are %q", lines)
	}
}

func FuzzLoadRules(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("rules:\n- name: a\n  match: {path: '/etc/**', raw: '^x', cwd: ., redirect: [a], side_effect: NONE}\n  decision: allow\n"))
	f.Add([]byte("allow: [git status, ls -l]\nallow_regex: '('\n"))
	f.Add([]byte("? a\n: *b\n- !!x {"))
	f.Add([]byte("a: |\n  b\n\t- c: [}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ParseDocument(text, "fuzz")
		if err != nil {
			if cmp.Diff(Document{}, d) != "" {
				t.Errorf("a faulty document is %v", d)
			}
			return
		}
		if p, _, err := New(Options{Documents: []Document{d}, Home: "/home/me"}); (p == nil) != (err != nil) {
			t.Errorf("policy %v with error %v", p, err)
		}
	})
}
