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

// anyPolicy draws one that may be nil.
func anyPolicy(t *rapid.T, label string) *Policy {
	if rapid.Bool().Draw(t, label+" is nil") {
		return nil
	}
	o := Options{
		Documents: []Document{{Rules: anyRules(t, label+" rules")}},
		Allow:     rapid.SliceOfN(rapid.SampledFrom([]string{"ls", "git", "echo"}), 0, 2).Draw(t, label+" allow"),
		OnUnknown: rapid.SampledFrom([]string{"", "allow", "ask", "deny"}).Draw(t, label+" on unknown"),
	}
	if rapid.Bool().Draw(t, label+" blocks nothing") {
		o.Blocked = []Effect{}
	}
	p, _, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAndIsTheStrictestWithTheMatchesOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []*Policy{anyPolicy(t, "p"), anyPolicy(t, "q"), anyPolicy(t, "r")}
		together := all[0].And(all[1]).And(all[2])
		if rapid.Bool().Draw(t, "the other way round") {
			together = all[0].And(all[1].And(all[2]))
		}
		r := Request{Input: command.Input{Text: anyText(t), HasText: true, Dir: "/w"}}
		got := together.Decide(r)
		strictest, configured := Allow, false
		for _, p := range all {
			v := p.Decide(r)
			strictest, configured = max(strictest, v.Decision), configured || p.Configured()
			for _, m := range v.Matched {
				if !slices.Contains(got.Matched, m) {
					t.Errorf("%q: the match %+v is lost", r.Input.Text, m)
				}
			}
			for _, e := range v.Effects {
				if !slices.Contains(got.Effects, e) {
					t.Errorf("%q: the side effect %s is lost", r.Input.Text, e)
				}
			}
		}
		if got.Decision != strictest {
			t.Errorf("%q is %s, and %s by the strictest of them", r.Input.Text, got.Decision, strictest)
		}
		if (got.Denial() == nil) != (strictest == Allow) {
			t.Errorf("%q: denial %v of %s", r.Input.Text, got.Denial(), got.Decision)
		}
		if together.Configured() != configured {
			t.Errorf("configured: %v, want %v", together.Configured(), configured)
		}
	})
}

func TestAndChangesNeither(t *testing.T) {
	p, q, r := mustPolicy(t, Options{Deny: []string{"rm"}}), mustPolicy(t, Options{Deny: []string{"git"}}), mustPolicy(t, Options{Deny: []string{"ls"}})
	base := p.And(q)
	_, _ = base.And(r), base.And(mustPolicy(t, Options{Deny: []string{"echo"}}))
	for text, want := range map[string]Decision{"rm x": Deny, "git x": Deny, "ls": Allow, "echo": Allow} {
		if got := base.Decide(Request{Input: command.Input{Text: text, HasText: true, Dir: "/w"}}).Decision; got != want {
			t.Errorf("%q is %s, not %s", text, got, want)
		}
	}
}
