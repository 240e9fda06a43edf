package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whelk/internal/command"
)

// judge decides on a text in the directory /w of a machine without links.
func judge(t testing.TB, o Options, text string) Verdict {
	t.Helper()
	return mustPolicy(t, o).Decide(Request{Input: command.Input{Text: text, HasText: true, Dir: "/w"}})
}

func mustPolicy(t testing.TB, o Options) *Policy {
	t.Helper()
	if o.Home == "" {
		o.Home = "/home/me"
	}
	p, _, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// document makes the options of one policy file.
func document(t testing.TB, text string) Options {
	t.Helper()
	d, err := ParseDocument([]byte(text), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return Options{Documents: []Document{d}}
}

func TestNothingConfiguredPermitsAllButWhatMayNeverRun(t *testing.T) {
	for name, p := range map[string]*Policy{"nil": nil, "zero": {}} {
		if p.Configured() {
			t.Errorf("the %s policy is configured", name)
		}
		for text, want := range map[string]Decision{
			"rm -rf / && $x": Allow, "echo 'open": Allow, "echo a\x00b": Deny, "echo a\r# ; rm x": Deny,
		} {
			v := p.Decide(Request{Input: command.Input{Text: text, HasText: true}})
			if v.Decision != want {
				t.Errorf("the %s policy says %s to %q, not %s", name, v.Decision, text, want)
			}
		}
	}
	p := mustPolicy(t, Options{Blocked: []Effect{}})
	if p.Configured() {
		t.Error("a policy without anything is configured")
	}
}

func TestPrecedence(t *testing.T) {
	cases := []struct {
		name, policy, command string
		want                  Decision
		rule                  string
	}{
		{"deny beats allow", "allow: [rm]\ndeny: [rm]", "rm x", Deny, `deny "rm"`},
		{"deny beats ask", "deny: [rm]\nrules: [{name: r, match: {name: rm}, decision: ask}]", "rm x", Deny, `deny "rm"`},
		{"ask beats allow", "allow: [rm]\nrules: [{name: r, match: {name: rm}, decision: ask}]", "rm x", Ask, "r"},
		{"a later rule that is stricter", "rules: [{name: a, match: {name: rm}, decision: ask}, {name: b, match: {argv: [rm, -r]}, decision: deny}]", "rm -r x", Deny, "b"},
		{"the first of equals", "rules: [{name: a, match: {name: rm}, decision: deny}, {name: b, match: {name: rm}, decision: deny}]", "rm", Deny, "a"},
		{"one denied of many", "deny: [rm]", "ls; echo a | cat; rm x", Deny, `deny "rm"`},
		{"one not listed of many", "allow: [ls, cat]", "ls | cat; id", Deny, "allow"},
		{"all listed", "allow: [ls, cat]", "ls | cat", Allow, ""},
		{"a wrapper and what it wraps", "allow: [env, ls]", "env ls", Allow, ""},
		{"a wrapper alone", "allow: [env]", "env ls", Deny, "allow"},
		{"what a wrapper wraps alone", "allow: [ls]", "env ls", Deny, "allow"},
		{"a rule that allows makes a set", "rules: [{name: a, match: {name: ls}, decision: allow}]", "id", Deny, "allow"},
		{"a rule that allows joins the list", "allow: [cat]\nrules: [{name: a, match: {name: ls}, decision: allow}]", "ls | cat", Allow, ""},
		{"a rule that asks lists its command", "allow: [cat]\nrules: [{name: a, match: {name: ls}, decision: ask}]", "ls | cat", Ask, "a"},
		{"a rule that denies makes no set", "rules: [{name: a, match: {name: rm}, decision: deny}]", "ls", Allow, ""},
		{"the list and the expression", "allow: [ls]\nallow_regex: ^ls -l", "ls -a", Deny, "allow_regex"},
		{"the list and the expression, both", "allow: [ls]\nallow_regex: ^ls -l", "ls -l", Allow, ""},
		{"an unknown under a deny list", "deny: [rm]", "$x y", Deny, "on_unknown"},
		{"an unknown under an allow list", "allow: [ls]", "$x y", Deny, "on_unknown"},
		{"an unknown is asked for", "deny: [rm]\non_unknown: ask", "$x y", Ask, "on_unknown"},
		{"an unknown is permitted", "deny: [rm]\non_unknown: allow", "$x y", Allow, ""},
		{"an unknown beside a denied one", "deny: [rm]\non_unknown: ask", "$x y; rm z", Deny, `deny "rm"`},
		{"a word that could be denied", "deny: [git push]", "git $x", Deny, `deny "git push"`},
		{"a word that could be denied, asked", "deny: [git push]\non_unknown: ask", "git $x", Ask, `deny "git push"`},
		{"inline code apart", "deny: [rm]\ninline_code: ask", "python3 -c 'print(1)'", Ask, "inline_code"},
		{"a file that is not known, deny list", "deny: [rm]", `echo x > "$f"`, Allow, ""},
		{"a file that is not known, allow list", "allow: [echo]", `echo x > "$f"`, Deny, "on_unknown"},
		{"a text that does not parse", "deny: [rm]", "echo 'x", Deny, "on_unknown"},
		{"a refusal is first", "allow: [echo]", "echo a\rb", Deny, "always"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, document(t, c.policy), c.command)
			if v.Decision != c.want || v.Rule != c.rule {
				t.Errorf("%s by %q: %s; want %s by %q", v.Decision, v.Rule, v.Reason, c.want, c.rule)
			}
		})
	}
}

func TestTwoAllowListsMustBothPermit(t *testing.T) {
	o := document(t, "allow: [ls, cat]")
	o.Allow = []string{"ls", "id"}
	for text, want := range map[string]Decision{"ls": Allow, "cat": Deny, "id": Deny} {
		if v := judge(t, o, text); v.Decision != want {
			t.Errorf("%s is %s, not %s", text, v.Decision, want)
		}
	}
}

func TestRuleConditions(t *testing.T) {
	deny := func(match string) string {
		return "rules: [{name: r, decision: deny, match: " + match + "}]"
	}
	cases := []struct {
		name, policy, command string
		want                  Decision
	}{
		{"name", deny("{name: [rm, dd]}"), "dd if=x", Deny},
		{"name, another", deny("{name: rm}"), "ls rm", Allow},
		{"argv", deny("{argv: [git, push]}"), "git -C x push", Deny},
		{"argv, another", deny("{argv: [git, push]}"), "git pull", Allow},
		{"flags", deny("{name: git, flags: [--force, -f]}"), "git push -f", Deny},
		{"flags in a cluster", deny("{name: tar, flags: [-x]}"), "tar -vxf a", Deny},
		{"flags, another", deny("{name: git, flags: [--force]}"), "git push", Allow},
		{"flags without a name", deny("{flags: [--no-preserve-root]}"), "chmod --no-preserve-root x", Deny},
		{"all of a command", deny("{name: rm, flags: [-r]}"), "rm x; ls -r", Allow},
		{"path", deny("{path: /etc/**}"), "cat /etc/passwd", Deny},
		{"path, through dots", deny("{path: /etc}"), "cat /w/../etc/passwd", Deny},
		{"path, relative to a directory", deny("{path: /etc}"), "cd /etc && cat passwd", Deny},
		{"path in an option", deny("{path: /etc}"), "grep --file=/etc/x y", Deny},
		{"path of an operand with a name", deny("{path: /dev/sda}"), "dd of=/dev/sda", Deny},
		{"path by redirection", deny("{path: /etc}"), "cat < /etc/passwd", Deny},
		{"path, elsewhere", deny("{path: /etc}"), "cat etc/passwd", Allow},
		{"path, not known", deny("{path: /etc}"), `cat "$f"`, Deny},
		{"path, a variable may climb", deny("{path: /etc}"), `cat "/srv/$f"`, Deny},
		{"path, a pattern elsewhere", deny("{path: /etc}"), "cat /srv/*.txt", Allow},
		{"path, a pattern above", deny("{path: /etc/ssl}"), "cat /e*/ssl/x", Deny},
		{"path, nothing is opened", deny("{path: /etc}"), `echo "$f"`, Allow},
		{"path of a group", deny("{name: echo, path: /x}"), "{ echo a; } > /x/y", Deny},
		{"path relative at any depth", deny("{path: secrets}"), "cat a/secrets/b", Deny},
		{"redirect", deny("{redirect: /w/out}"), "echo x > out", Deny},
		{"redirect, an argument", deny("{redirect: /w/out}"), "cat out", Allow},
		{"redirect, duplicated", deny("{redirect: /w}"), "echo x 2>&1", Allow},
		{"side effect", deny("{side_effect: DELETES_FILES}"), "find . -delete", Deny},
		{"side effect of the same command", deny("{name: git, side_effect: DELETES_FILES}"), "rm x; git log", Allow},
		{"side effect with a name", deny("{name: git, side_effect: DELETES_FILES}"), "git clean -fd", Deny},
		{"cwd", deny("{cwd: /srv}"), "cd /srv/x && ls", Deny},
		{"cwd, elsewhere", deny("{cwd: /srv}"), "cd /srw && ls", Allow},
		{"cwd of a command", deny("{name: ls, cwd: /srv}"), "cd /srv/x && ls", Deny},
		{"cwd, not known", deny("{name: ls, cwd: /srv}"), `cd "$x" && ls`, Deny},
		{"raw", deny("{raw: 'rm\\s+-rf'}"), "echo rm -rf", Deny},
		{"raw, through quotes", deny("{raw: '^rm -rf'}"), "echo; r''m   -rf x", Deny},
		{"raw with a name", deny("{name: awk, raw: getline}"), "echo getline | awk '{print}'", Allow},

		{"allowed flags", "rules: [{name: r, decision: allow, match: {name: ls, flags: [-l, -a]}}]", "ls -la x", Allow},
		{"other flags", "rules: [{name: r, decision: allow, match: {name: ls, flags: [-l, -a]}}]", "ls -lR x", Deny},
		{"flags that are not known", "rules: [{name: r, decision: allow, match: {name: ls, flags: [-l]}}]", "ls $x", Deny},
		{"allowed paths", "rules: [{name: r, decision: allow, match: {name: cat, path: /w}}]", "cat a b/c", Allow},
		{"one other path", "rules: [{name: r, decision: allow, match: {name: cat, path: /w}}]", "cat a ../b", Deny},
		{"a path that is not known", "rules: [{name: r, decision: allow, match: {name: cat, path: /w}}]", `cat "$f"`, Deny},
		{"a path in an option", "rules: [{name: r, decision: allow, match: {name: grep, path: /w}}]", "grep -f/etc/x y", Deny},
		{"a redirection elsewhere", "rules: [{name: r, decision: allow, match: {name: cat, path: /w}}]", "cat a > /tmp/b", Deny},
		{"allowed effects", "rules: [{name: r, decision: allow, match: {name: git, side_effect: [MAKES_NETWORK_REQUESTS]}}]", "git fetch", Allow},
		{"one other effect", "rules: [{name: r, decision: allow, match: {name: git, side_effect: [MAKES_NETWORK_REQUESTS]}}]", "git push --force", Deny},
		{"allowed directory", "rules: [{name: r, decision: allow, match: {cwd: /w}}]", "make; ls", Allow},
		{"another directory", "rules: [{name: r, decision: allow, match: {cwd: /w}}]", "cd / && ls", Deny},
		{"allowed expression", "rules: [{name: r, decision: allow, match: {raw: '^ls( |$)'}}]", "ls a", Allow},
		{"allowed expression, another command", "rules: [{name: r, decision: allow, match: {raw: '^ls( |$)'}}]", "ls a; id", Deny},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if v := judge(t, document(t, c.policy), c.command); v.Decision != c.want {
				t.Errorf("%q is %s by %q (%s), want %s", c.command, v.Decision, v.Rule, v.Reason, c.want)
			}
		})
	}
}

func TestFaultsOfPolicies(t *testing.T) {
	rule := func(match string) string { return "rules: [{name: r, decision: deny, match: " + match + "}]" }
	cases := []struct {
		name string
		o    func(t *testing.T) Options
		want string
	}{
		{"an empty entry", func(*testing.T) Options { return Options{Allow: []string{""}} }, "an entry is empty"},
		{"a denied option", func(*testing.T) Options { return Options{Deny: []string{"-rf"}} }, "begins with an option"},
		{"an expression", func(*testing.T) Options { return Options{DenyRegex: "("} }, "not valid in RE2"},
		{"a long expression", func(*testing.T) Options { return Options{AllowRegex: strings.Repeat("a", mostRegex+1)} }, "longer than"},
		{"a decision", func(*testing.T) Options { return Options{OnUnknown: "no"} }, "on_unknown"},
		{"a mode", func(*testing.T) Options { return Options{SideEffects: "on"} }, "side_effects"},
		{"a category", func(*testing.T) Options { return Options{Blocked: []Effect{"X"}} }, "blocked side effects"},
		{"a root", func(*testing.T) Options { return Options{Roots: []string{""}} }, "roots"},
		{"a rule's expression", func(t *testing.T) Options { return document(t, rule("{raw: '('}")) }, `test.yaml:1: rule "r": the regular expression`},
		{"a rule's option", func(t *testing.T) Options { return document(t, rule("{flags: force}")) }, "is no option"},
		{"a rule's name of several words", func(t *testing.T) Options { return document(t, rule("{name: git push}")) }, "under argv"},
		{"a rule without conditions", func(t *testing.T) Options { return document(t, rule("{}")) }, "match is empty"},
		{"a test that fails", func(t *testing.T) Options {
			return document(t, "rules:\n- name: r\n  decision: deny\n  match: {name: rm}\n  tests:\n  - {command: ls; rm x, decision: allow}")
		}, `rule "r": test on line 6: "ls; rm x" is deny by r, not allow`},
		{"a test of another rule's matter", func(t *testing.T) Options {
			return document(t, "rules:\n- name: r\n  decision: ask\n  match: {name: rm}\n  tests:\n  - {argv: [ls], decision: ask}")
		}, `"ls" is allow, not ask`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, _, err := New(c.o(t))
			if p != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("policy %v with the fault %v, want one with %q", p != nil, err, c.want)
			}
		})
	}
}

func TestTestsOfRulesRunWhereTheyBelong(t *testing.T) {
	o := document(t, `
rules:
- name: r
  decision: deny
  match: {name: make, cwd: /srv}
  tests:
  - {command: make, decision: allow}
  - {command: make, cwd: /srv/x, decision: deny}
`)
	o.Roots = []string{t.TempDir(), "/srv"}
	if _, _, err := New(o); err != nil {
		t.Error(err)
	}
}

func TestWarningsNameWhatTurnsAListOff(t *testing.T) {
	cases := []struct {
		name string
		o    Options
		want string
	}{
		{"an interpreter", Options{Allow: []string{"python3"}}, `"python3" allows everything`},
		{"a shell by path", Options{Allow: []string{"/bin/bash"}}, "allows everything"},
		{"a build tool", Options{Allow: []string{"make"}}, "allows everything"},
		{"a wrapper", Options{Allow: []string{"sudo"}}, "is a wrapper"},
		{"a relative path", Options{Allow: []string{"./run"}}, "never matches"},
		{"a look-alike", Options{Deny: []string{"rｍ"}}, "no ASCII"},
		{"an expression without a beginning", Options{AllowRegex: "ls"}, "no ^ at its beginning"},
		{"unknowns that run", Options{Deny: []string{"rm"}, OnUnknown: "allow"}, "on_unknown is allow"},
		{"a wildcard", Options{Deny: []string{"mkfs.*"}}, "a wildcard"},
		{"a relative PATH", Options{Allow: []string{"ls"}, Path: "/bin::/usr/bin"}, "relative directory"},
		{"a pattern for everything", Options{AllowPatterns: []string{".*"}}, "matches sh"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, warnings, err := New(c.o)
			if err != nil {
				t.Fatal(err)
			}
			if len(warnings) != 1 || !strings.Contains(string(warnings[0]), c.want) {
				t.Errorf("the warnings are %q, want one with %q", warnings, c.want)
			}
		})
	}
	if _, warnings, _ := New(Options{Allow: []string{"ls", "git status", "npm test"}, Deny: []string{"bash"}}); len(warnings) > 0 {
		t.Errorf("a careful policy draws %q", warnings)
	}
}

func TestDenialNamesRulePlaceReasonAndWayOut(t *testing.T) {
	cases := []struct {
		name   string
		o      Options
		text   string
		holds  []string
		absent string
	}{
		{"denied", Options{Deny: []string{"rm", "dd"}}, "ls\n  rm -f x", []string{`rm -f x (line 2, column 3)`, `deny "rm"`, "Instead: move"}, "dd"},
		{"not listed", Options{Allow: []string{"ls", "cat"}}, "id -u", []string{"id -u", "Rule allow", `"id" is not among`, "ls, cat"}, ""},
		{"a path", Options{Allow: []string{"ls"}}, "./ls", []string{"write ls, which is found in the system's directories"}, ""},
		{"unknown", Options{Deny: []string{"rm"}}, "echo; $x y", []string{"on_unknown", "Instead: write the name"}, ""},
		{"a side effect", Options{}, "echo x >> /etc/hosts", []string{"MODIFIES_OS_SETTINGS", "echo x", "Instead: Put"}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := judge(t, c.o, c.text).Denial()
			if d == nil {
				t.Fatal("it is allowed")
			}
			for _, part := range c.holds {
				if !strings.Contains(d.Error(), part) {
					t.Errorf("%q lacks %q", d.Error(), part)
				}
			}
			if c.absent != "" && strings.Contains(d.Error(), c.absent) {
				t.Errorf("%q shows the policy", d.Error())
			}
		})
	}
	if d := judge(t, Options{Allow: []string{"ls"}}, "ls").Denial(); d != nil {
		t.Errorf("what is allowed has the denial %v", d)
	}
}

func TestLinksAreFollowed(t *testing.T) {
	root := tree(t)
	for link, to := range map[string]string{"tool": "/bin/rm", "hook": ".git/hooks/pre-commit", "file": "sub/a"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name, policy, command string
		want                  Decision
	}{
		{"a link to a denied program", "deny: [rm]", "./tool x", Deny},
		{"a link below", "deny: [rm]", "cd sub && ../tool x", Deny},
		{"a redirection out of the directory", "allow: [echo]", "echo x > out/y", Deny},
		{"a redirection of a group", "allow: [echo]", "{ echo x; } > out/y", Deny},
		{"a redirection within", "allow: [echo]", "echo x > file", Allow},
		{"a redirection to a hook", "deny: [rm]", "echo x > hook", Deny},
		{"a rule about a path", "rules: [{name: r, decision: deny, match: {path: '" + filepath.Join(resolve(root), "../outside") + "'}}]", "cat out/x", Deny},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in := command.Input{Text: c.command, HasText: true, Dir: root}
			if v := mustPolicy(t, document(t, c.policy)).Decide(Request{Input: in}); v.Decision != c.want {
				t.Errorf("%s by %q (%s), want %s", v.Decision, v.Rule, v.Reason, c.want)
			}
		})
	}
}

func TestNamedShellIsJudged(t *testing.T) {
	cases := []struct {
		name  string
		o     Options
		shell string
		named bool
		want  Decision
	}{
		{"denied", Options{Deny: []string{"bash"}}, "/bin/bash", true, Deny},
		{"the server's own", Options{Deny: []string{"bash"}}, "/bin/bash", false, Allow},
		{"another", Options{Deny: []string{"bash"}}, "sh", true, Allow},
		{"somebody's file", Options{Deny: []string{"rm"}}, "/tmp/bash", true, Deny},
		{"relative", Options{Allow: []string{"echo"}}, "./sh", true, Deny},
		{"by expression", Options{DenyRegex: "bash"}, "/bin/bash", true, Deny},
		{"by expression that allows", Options{AllowRegex: "^(echo|/bin/bash)"}, "/bin/bash", true, Allow},
		{"by expression that does not allow", Options{AllowRegex: "^(echo|/bin/bash)"}, "/bin/sh", true, Deny},
		{"one whose language is not known", Options{Deny: []string{"rm"}}, "fish", true, Deny},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in := command.Input{Text: "echo ok", HasText: true, Shell: c.shell, Dir: "/w"}
			if v := mustPolicy(t, c.o).Decide(Request{Input: in, ShellNamed: c.named}); v.Decision != c.want {
				t.Errorf("%s by %q (%s), want %s", v.Decision, v.Rule, v.Reason, c.want)
			}
		})
	}
}

func TestLongTextsAreJudgedInReasonableTime(t *testing.T) {
	o := document(t, "rules: [{name: r, decision: deny, match: {name: x, raw: y, path: /z, redirect: /z}}, {name: s, decision: deny, match: {raw: 'never+'}}]")
	o.Deny = []string{"rm", "git push"}
	for _, text := range []string{
		strings.Repeat("x;", 8_000), strings.Repeat("{ x;}>b;", 4_000), "x" + strings.Repeat(" a", 60_000), strings.Repeat("rm x;", 4_000),
	} {
		// It must return at all: a square of time would take minutes.
		if v := judge(t, o, text); len(v.Matched) > mostMatches {
			t.Errorf("there are %d matches", len(v.Matched))
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	o := document(b, example+"allow: [git, go test, ls, cat, grep, sed, make]\n")
	o.Home, o.OnUnknown = "/home/me", "deny"
	p := mustPolicy(b, o)
	for name, text := range map[string]string{
		"short":   "ls -l",
		"typical": "cd sub && go test ./... 2>&1 | grep -v '^ok' > out.log; git status --short && git diff HEAD~1 -- a.go | sed -n '1,20p'",
		"4KiB":    strings.Repeat("git log --oneline -n 5 | grep fix; ls -l sub > out.txt\n", 75),
	} {
		b.Run(name, func(b *testing.B) {
			in := command.Input{Text: text, HasText: true, Dir: "/w"}
			r := Request{Input: in, Analysis: command.Analyse(in)}
			b.ReportAllocs()
			for b.Loop() {
				p.Decide(r)
			}
		})
	}
}
