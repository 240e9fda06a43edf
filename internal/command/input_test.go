package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgvIsNoShellText(t *testing.T) {
	tests := []struct {
		name  string
		argv  []string
		names string
		kinds string
	}{
		{"a substitution is text", []string{"echo", "$(rm x)", "`id`", "*", "a;b"}, "echo", ""},
		{"a pipeline", []string{"ls", "|", "rm", "x"}, "ls rm", ""},
		{"an operator", []string{"ls", ";", "rm", "x"}, "ls", "syntax"},
		{"another operator", []string{"ls", "&&", "rm"}, "ls", "syntax"},
		{"an empty pipeline", []string{"ls", "|"}, "ls", "syntax"},
		{"a wrapper", []string{"env", "A=b", "rm", "x"}, "env rm", ""},
		{"a shell", []string{"sh", "-c", "rm x; id"}, "sh rm id", ""},
		{"a shell that expands", []string{"bash", "-c", "$x"}, "bash $x", "dynamic-name"},
		{"find", []string{"find", ".", "-exec", "rm", "{}", ";"}, "find rm", ""},
		{"git -c", []string{"git", "-c", "core.pager=rm", "log"}, "git", "option"},
		{"a redirection", []string{"cat", "<", "in", ">", "out"}, "cat", ""},
		{"a redirection outside", []string{"cat", ">", "../x"}, "cat", "redirect"},
		{"a redirection to a hook", []string{"cat", ">", ".git/hooks/x"}, "cat", "protected"},
		{"a builtin is a program", []string{"eval", "rm x"}, "eval", ""},
		{"an empty name", []string{""}, "", ""},
		{"a pipe to a shell", []string{"cat", "f", "|", "sh"}, "cat sh", "stdin-shell"},
		{"CR in a script", []string{"sh", "-c", "a\r\nb"}, "sh", "syntax"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := Analyse(Input{Argv: tt.argv, Operators: true, Dir: "/srv"})
			var got []string
			for _, c := range a.Commands {
				got = append(got, c.Argv[0].Text)
			}
			if strings.Join(got, " ") != tt.names || strings.Join(kinds(a), " ") != tt.kinds {
				t.Errorf("commands %q and unknowns %q, want %q and %q", got, kinds(a), tt.names, tt.kinds)
			}
		})
	}
}

func TestStandardInputOfAShellIsAnalysed(t *testing.T) {
	script := Input{Stdin: "rm x", HasStdin: true}
	with := func(in Input, text string) Input { in.Text, in.HasText, in.Shell = text, true, "bash"; return in }
	tests := []struct {
		name   string
		in     Input
		rm     bool
		reason Kind
	}{
		{"a shell", with(script, "sh"), true, ""},
		{"a shell that is wrapped", with(script, "sudo -n bash -s a"), true, ""},
		{"a shell in argv", Input{Argv: []string{"bash"}, Stdin: "rm x", HasStdin: true}, true, ""},
		{"after another reader", with(script, "head -1; sh"), false, KindStdinShell},
		{"in a pipe", with(script, "cat | sh"), false, KindStdinShell},
		{"an interpreter", with(script, "python3"), false, KindStdinShell},
		{"a script of its own", with(script, "sh run.sh"), false, ""},
		{"no reader", with(script, "cat"), false, ""},
		{"nothing to read", with(Input{}, "sh; python3; vim f"), false, ""},
		{"kept open", with(Input{KeepsStdin: true}, "bash"), false, KindStdinShell},
		{"kept open for an interpreter", with(Input{KeepsStdin: true}, "python3"), false, KindStdinShell},
		{"kept open for a script", with(Input{KeepsStdin: true}, "python3 a.py"), false, ""},
		{"kept open for an editor", with(Input{KeepsStdin: true}, "ed f"), false, KindStdinShell},
		{"kept open for a reader", with(Input{KeepsStdin: true}, "cat"), false, ""},
		{"kept open and given", with(Input{KeepsStdin: true, Stdin: "ls", HasStdin: true}, "sh"), false, KindStdinShell},
		{"a terminal", with(Input{TTY: true}, "bash"), false, KindStdinShell},
		{"a pager on a terminal", with(Input{TTY: true}, "less f"), false, KindStdinShell},
		{"kept open, but not for it", with(Input{KeepsStdin: true}, "sh < /dev/null"), false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := Analyse(tt.in)
			var want []string
			if tt.reason != "" {
				want = []string{string(tt.reason)}
			}
			if diff := cmp.Diff(want, kinds(a)); diff != "" {
				t.Errorf("unknowns (-want +got):\n%s", diff)
			}
			if got := slices.Contains(names(a), "rm"); got != tt.rm {
				t.Errorf("rm found: %v, want %v", got, tt.rm)
			}
		})
	}
}

func TestTheShellDecidesTheGrammar(t *testing.T) {
	tests := []struct {
		shell, text, kinds string
	}{
		{"", "ls; [ -f a ] && echo b | wc", ""},
		{"sh", "export A=b; f() { local x; }; time ls", ""},
		{"sh", "echo $'a\\'b' ; rm x #'", "syntax"},
		{"sh", "[[ -f a ]]", "syntax"},
		{"sh", "select x in a; do b; done", "syntax"},
		{"sh", "{rm,x}", "dynamic-name"},
		{"sh", "mkdir {a,b}", ""},
		{"/bin/sh", "ls", ""},
		{"ash", "ls", ""},
		{"dash", "{rm,x}; $'rm'", ""},
		{"bash", "{ls,x}; diff <(a) <(b)", ""},
		{"/usr/bin/bash", "[[ a ]]", ""},
		{"./bash", "ls", "shell"},
		{"/tmp/bash", "ls", "shell"},
		{"/bin/../tmp/bash", "ls", "shell"},
		{"zsh", "noglob rm x", "shell"},
		{"fish", "rm x", "shell"},
		{"python3", "x", "shell"},
	}
	for _, tt := range tests {
		t.Run(tt.shell+" "+tt.text, func(t *testing.T) {
			a := Analyse(Input{Text: tt.text, HasText: true, Shell: tt.shell})
			if got := strings.Join(kinds(a), " "); got != tt.kinds {
				t.Errorf("unknowns %q, want %q: %+v", got, tt.kinds, a.Unknown)
			}
		})
	}
}

func TestTheCallsEnvironmentIsJudged(t *testing.T) {
	tests := []struct {
		name, value string
		unknown     bool
	}{
		{"A", "b", false},
		{"LANG", "C", false},
		{"PAGER", "cat", false},
		{"NODE_ENV", "test", false},
		{"GIT_AUTHOR_NAME", "x", false},
		{"EDITOR", "", false},
		{"LESS", "-FRX", false},
		{"PATH", "./bin", true},
		{"PATH", "", true},
		{"LD_PRELOAD", "x", true},
		{"LD_LIBRARY_PATH", "x", true},
		{"BASH_ENV", "x", true},
		{"BASH_FUNC_ls%%", "() { rm; }", true},
		{"SHELLOPTS", "xtrace", true},
		{"PS4", "$(rm)", true},
		{"GIT_CONFIG_COUNT", "1", true},
		{"GIT_SSH_COMMAND", "x", true},
		{"PAGER", "rm x", true},
		{"npm_config_script_shell", "x", true},
		{"Npm_Config_Script_Shell", "x", true},
		{"NODE_OPTIONS", "-r x", true},
		{"PERL5LIB", "x", true},
		{"HOME", "/x", true},
	}
	for _, tt := range tests {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			a := Analyse(Input{Argv: []string{"ls"}, Env: map[string]string{tt.name: tt.value}})
			if got := slices.Contains(kinds(a), "environment"); got != tt.unknown {
				t.Errorf("unknown: %v, want %v", got, tt.unknown)
			}
			if len(a.Assigns) != 1 || a.Assigns[0].Name != tt.name || a.Assigns[0].Value.Text != tt.value {
				t.Errorf("assigns %+v", a.Assigns)
			}
		})
	}
	a := Analyse(Input{Text: "echo $((x))", HasText: true, Shell: "bash", Env: map[string]string{"x": "a[$(rm y)]"}})
	if !slices.Contains(kinds(a), "evaluation") {
		t.Error("arithmetic on a variable of the call is not an unknown")
	}
}

func TestRedirectionsOfGroups(t *testing.T) {
	a := analyseBash("{ a; } > o; (b) 2>> /x/../e < i; > n; c 2>&1 <<< s")
	want := []Redirect{
		{Op: ">", Target: Word{Text: "o", Known: true}, Path: "/srv/o", Writes: true, Pos: Pos{7, 1, 8}},
		{Op: ">>", Target: Word{Text: "/x/../e", Known: true}, Path: "/e", Writes: true, Pos: Pos{16, 1, 17}},
		{Op: "<", Target: Word{Text: "i", Known: true}, Path: "/srv/i", Reads: true, Pos: Pos{28, 1, 29}},
		{Op: ">", Target: Word{Text: "n", Known: true}, Path: "/srv/n", Writes: true, Pos: Pos{33, 1, 34}},
	}
	if diff := cmp.Diff(want, a.Redirects); diff != "" {
		t.Errorf("redirects (-want +got):\n%s", diff)
	}
	c := a.Commands[len(a.Commands)-1]
	own := []Redirect{
		{Op: ">&", Target: Word{Text: "1", Known: true}, Pos: Pos{40, 1, 41}},
		{Op: "<<<", Target: Word{Text: "s", Known: true}, Pos: Pos{45, 1, 46}},
	}
	if diff := cmp.Diff(own, c.Redirects); diff != "" {
		t.Errorf("redirects of c (-want +got):\n%s", diff)
	}
}
