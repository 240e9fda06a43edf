package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/command"
)

func TestYieldShellSettings(t *testing.T) {
	cases := []struct {
		name, deny, allow, command, shell string
		want                              Decision
	}{
		{"denied anywhere in the text", "rm", "", "echo rm", "", Deny},
		{"not denied", "rm", "", "echo ok", "", Allow},
		{"denied behind quotes", "^rm ", "", "echo ok; r''m x", "", Deny},
		{"letter case", "rm", "", "echo RM", "", Allow},
		{"standard input is not searched", "rm", "", "cat", "", Allow},
		{"an explicit shell", "bash", "", "echo ok", "/bin/bash", Deny},
		{"the shell by default", "bash", "", "echo ok", "", Allow},
		{"allowed", "", "echo", "echo hi", "", Allow},
		{"allowed somewhere in the text", "", "echo", "true; echo hi", "", Allow},
		{"not allowed", "", "echo", "ls", "", Deny},
		{"the beginning is that of the text", "", "^(echo|/bin/bash)", "ls\necho hi", "", Deny},
		{"an explicit shell that is allowed", "secret", "^(echo|/bin/bash)", "echo hi", "/bin/bash", Allow},
		{"an explicit shell that is not", "secret", "^echo", "echo hi", "/bin/bash", Deny},
		{"deny beats allow", "secret", "^echo", "echo secret", "", Deny},
		{"empty is unset", "", "", "ls", "", Allow},
		{"what cannot be known", "rm", "", "$x", "", Deny},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o, err := YieldShell(c.deny, c.allow, []Effect{})
			if err != nil {
				t.Fatal(err)
			}
			in := command.Input{Text: c.command, HasText: true, Shell: c.shell, Stdin: "rm", HasStdin: true, Dir: "/w"}
			if v := mustPolicy(t, o).Decide(Request{Input: in, ShellNamed: c.shell != ""}); v.Decision != c.want {
				t.Errorf("%s by %q (%s), want %s", v.Decision, v.Rule, v.Reason, c.want)
			}
		})
	}
}

func TestYieldShellBlocksWhatIsDeclared(t *testing.T) {
	o, err := YieldShell("", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := mustPolicy(t, o)
	for _, e := range Effects() {
		want := Allow
		if slices.Contains(DefaultBlocked(), e) || e == RunsInlineCode {
			want = Deny
		}
		in := command.Input{Text: "rm -rf ~/.bashrc", HasText: true, Dir: "/w"}
		v := p.Decide(Request{Input: in, Declared: []Effect{e}})
		if v.Decision != want || v.Effects != nil {
			t.Errorf("%s is %s with the effects %v, want %s", e, v.Decision, v.Effects, want)
		}
		if want == Deny && !strings.Contains(v.Reason, string(e)) {
			t.Errorf("the reason %q does not name %s", v.Reason, e)
		}
	}
	declared := []Effect{RunsInlineCode, DeletesFiles, ModifiesOSSettings}
	v := p.Decide(Request{Input: command.Input{Text: "x", HasText: true, Dir: "/w"}, Declared: declared})
	for _, says := range []string{"RUNS_INLINE_CODE, MODIFIES_OS_SETTINGS are blocked", "RUNS_INLINE_CODE: " + RunsInlineCode.Advice(), "MODIFIES_OS_SETTINGS: "} {
		if text := v.Denial().Error(); !strings.Contains(text, says) {
			t.Errorf("the denial %q does not say %q", text, says)
		}
	}
	if _, err := YieldShell("(", "", nil); err == nil || !strings.Contains(err.Error(), "YIELDSHELL_DENY_COMMAND_REGEX") {
		t.Errorf("the fault of an expression is %v", err)
	}
}

func TestTabShellSettings(t *testing.T) {
	rm, words := []string{"rm"}, []string{"echo", "cat", "true"}
	cases := []struct {
		name         string
		black, white []string
		command      string
		want         Decision
	}{
		{"plain", rm, nil, "rm -f zz", Deny},
		{"path", rm, nil, "/bin/rm -f zz", Deny},
		{"relative path", rm, nil, "../../bin/rm -f zz", Deny},
		{"quoted", rm, nil, `r"m" -f zz`, Deny},
		{"backslash", rm, nil, `\rm -f zz`, Deny},
		{"substitution", rm, nil, "echo $(rm x)", Deny},
		{"wrapped shell", rm, nil, "bash -lc 'rm x'", Deny},
		{"in the background", rm, nil, "true & rm x", Deny},
		{"letter case", rm, nil, "RM -f zz", Allow},
		{"data", rm, nil, "cat <<'E'\nrm x\nE", Allow},
		{"blanks around", []string{" rm ", ""}, nil, "rm x", Deny},
		{"nothing listed", []string{""}, []string{" "}, "rm x", Allow},
		{"white", nil, words, "echo hi", Allow},
		{"white, by path", nil, words, "/bin/echo hi", Allow},
		{"white, by another path", nil, words, "/tmp/echo hi", Deny},
		{"white, not listed", nil, words, "ls", Deny},
		{"white, in a pipe", nil, words, "echo a | grep a", Deny},
		{"white, an assignment", nil, words, "A=1 echo hi", Allow},
		{"white, a loop", nil, words, "for i in a b; do echo $i; done", Allow},
		{"white, a comment", nil, words, "# hi", Allow},
		{"white makes black dead", rm, []string{"echo", "rm"}, "rm -f zz", Allow},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, TabShell(c.black, c.white), c.command)
			if v.Decision != c.want {
				t.Errorf("%s by %q (%s), want %s", v.Decision, v.Rule, v.Reason, c.want)
			}
		})
	}
	v := judge(t, TabShell(rm, nil), "/bin/rm x")
	if diff := cmp.Diff("rm", v.Matched[0].Program); diff != "" {
		t.Errorf("program (-want +got):\n%s", diff)
	}
}

func TestMCPShellServerSettings(t *testing.T) {
	all := strings.Fields("env bash xargs find awk gawk sed tar git python3 perl node sort dd make curl ls cat echo vim nice rm printenv")
	cases := []struct {
		name            string
		names, patterns []string
		argv            string
		want            Decision
	}{
		{"nothing is set", nil, nil, "ls", Deny},
		{"listed", []string{"ls", " echo "}, nil, "echo x", Allow},
		{"not listed", []string{"ls"}, nil, "cat", Deny},
		{"by path", []string{"ls"}, nil, "/bin/ls", Deny},
		{"the path is listed", []string{"/bin/ls"}, nil, "/bin/ls", Allow},
		{"a star is literal", []string{"*"}, nil, "ls", Deny},
		{"a pattern", nil, []string{"ls", "ec.o"}, "echo x", Allow},
		{"a pattern is the whole name", nil, []string{"ls"}, "lsof", Deny},
		{"a pattern with anchors", nil, []string{"^ls$"}, "ls", Allow},
		{"a pattern for a program that runs others", nil, []string{"python[0-9.]*"}, "python3 -V", Deny},
		{"a pipeline", []string{"ls", "cat"}, nil, "ls | cat", Allow},
		{"a pipeline, one not listed", []string{"ls"}, nil, "ls | cat", Deny},

		{"env", all, nil, "env", Deny},
		{"a shell", all, nil, "bash --version", Deny},
		{"xargs", all, nil, "xargs ls", Deny},
		{"find", all, nil, "find . -name in.txt", Allow},
		{"find -fprint", all, nil, "find . -fprint x", Deny},
		{"find -exec", all, nil, "find . -exec ls {} +", Deny},
		{"awk", all, nil, "awk {print$1} in.txt", Allow},
		{"awk with a file", all, nil, "awk -f p.awk", Deny},
		{"awk that runs", all, nil, `gawk BEGIN{system("id")}`, Deny},
		{"sed", all, nil, "sed s/a/b/ in.txt", Deny},
		{"tar with a program", all, nil, "tar -I gzip -cf x.tgz in.txt", Deny},
		{"git", all, nil, "git --version", Allow},
		{"git with a pager", all, nil, "git grep -O x", Deny},
		{"git filter-branch", all, nil, "git filter-branch", Deny},
		{"git bisect run", all, nil, "git bisect run id", Deny},
		{"sort", all, nil, "sort in.txt", Allow},
		{"sort into a file", all, nil, "sort -o x in.txt", Deny},
		{"sort with a program", all, nil, "sort --compress-program=id in.txt", Deny},
		{"sort elsewhere", all, nil, "sort -T /tmp in.txt", Deny},
		{"dd", all, nil, "dd if=/dev/null of=dd.txt", Allow},
		{"make", all, nil, "make --version", Allow},
		{"rm", all, nil, "rm -rf nothing", Allow},
		{"an operator", all, nil, "echo a && echo b", Deny},

		{"what an allowed program runs", []string{"busybox"}, nil, "busybox sh -c ls", Allow},
		{"what an allowed program runs is not allowed itself", []string{"busybox"}, nil, "sh -c ls", Deny},
		{"what an allowed program may do", all, nil, "find . -delete", Allow},
		{"a program that runs others, which no list names", []string{"sudo"}, nil, "sudo whoami", Allow},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o, err := MCPShellServer(c.names, c.patterns)
			if err != nil {
				t.Fatal(err)
			}
			in := command.Input{Argv: strings.Fields(c.argv), Operators: true, Dir: "/w"}
			if v := mustPolicy(t, o).Decide(Request{Input: in}); v.Decision != c.want {
				t.Errorf("%s by %q (%s), want %s", v.Decision, v.Rule, v.Reason, c.want)
			}
		})
	}
}

func TestMCPShellServerWarnsOfWhatRunsOthersUnjudged(t *testing.T) {
	o, err := MCPShellServer(strings.Fields("ls cat pwd grep wc touch find awk git bash sudo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, warnings, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	want := []Warning{`allow "sudo" allows everything that it is told to run: what an allowed program starts is not judged`}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestUnsafePatternsAreRefused(t *testing.T) {
	for _, pattern := range []string{"a b", "ls|cat", "ls;", "a&", "a<b", "a>b", "`a`", "("} {
		if _, err := MCPShellServer(nil, []string{pattern}); err == nil {
			t.Errorf("%q is taken as a pattern", pattern)
		}
	}
}
