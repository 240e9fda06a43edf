package policy

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"whelk/internal/command"
)

// anyRules draws rules over a few programs, so that they meet the commands.
func anyRules(t *rapid.T, label string) []Rule {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Rule {
		r := Rule{
			Name:     rapid.StringMatching("[a-z]{3}").Draw(t, "name"),
			Decision: rapid.SampledFrom([]Decision{Allow, Ask, Deny}).Draw(t, "decision"),
		}
		r.Match.Name = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"ls", "rm", "git", "echo"}), 1, 2, rapid.ID[string]).Draw(t, "names")
		if rapid.Bool().Draw(t, "has flags") {
			r.Match.Flags = []string{rapid.SampledFrom([]string{"-f", "-r", "--all"}).Draw(t, "flag")}
		}
		return r
	}), 0, 5).Draw(t, label)
}

func anyText(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"ls", "rm -rf x", "git push -f; ls", "echo a | rm --all", "$x", "ls $x", "echo hi && git log --all", "'", "rm -- -f",
	}).Draw(t, "text")
}

func decisionOf(t *rapid.T, rules []Rule, text string) Decision {
	p, _, err := New(Options{Documents: []Document{{Rules: rules}}, Blocked: []Effect{}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Decide(Request{Input: command.Input{Text: text, HasText: true, Dir: "/w"}}).Decision
}

func TestOrderOfRulesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, text := anyRules(t, "rules"), anyText(t)
		shuffled := rapid.Permutation(slices.Clone(rules)).Draw(t, "shuffled")
		if a, b := decisionOf(t, rules, text), decisionOf(t, shuffled, text); a != b {
			t.Errorf("%q is %s, and %s in another order", text, a, b)
		}
	})
}

func TestRuleThatDeniesNeverPermitsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, text := anyRules(t, "rules"), anyText(t)
		more := slices.DeleteFunc(anyRules(t, "more"), func(r Rule) bool { return r.Decision != Deny })
		if a, b := decisionOf(t, rules, text), decisionOf(t, slices.Concat(rules, more), text); b < a {
			t.Errorf("%q was %s and is %s with more rules that deny", text, a, b)
		}
	})
}

func TestSecondAllowListNeverPermitsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText(t)
		list := rapid.SliceOfN(rapid.SampledFrom([]string{"ls", "rm", "git push", "echo", "git"}), 1, 3)
		one, other := list.Draw(t, "one"), list.Draw(t, "other")
		decide := func(o Options) Decision {
			o.Blocked = []Effect{}
			p, _, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			return p.Decide(Request{Input: command.Input{Text: text, HasText: true, Dir: "/w"}}).Decision
		}
		a := decide(Options{Allow: one})
		if b := decide(Options{Allow: one, Documents: []Document{{Allow: other}}}); b < a {
			t.Errorf("%q was %s and is %s with a second list", text, a, b)
		}
	})
}
