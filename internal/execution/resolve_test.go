package execution_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/proc"
)

// resolve starts r over a fake and returns what would have been launched.
func resolve(t *testing.T, o execution.Options, r execution.Request) (*proc.Spec, error) {
	t.Helper()
	l := &launcher{script: after(0, "")}
	o.Launcher, o.Retention = l, time.Hour
	sup := execution.New(o)
	defer sup.Close()
	e, err := stdio(sup).Start(t.Context(), r)
	if err != nil {
		if len(l.specs) > 0 {
			t.Errorf("launched in spite of %v", err)
		}
		return nil, err
	}
	<-e.Done()
	return l.specs[0], nil
}

func TestBadRequestsAreNamedAndStartNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	text := func(s string) *string { return &s }
	long := strings.Repeat("x", 140000)
	tests := []struct {
		name    string
		request execution.Request
		code    execution.Code
		says    []string
	}{
		{"nothing", execution.Request{}, execution.InvalidArgument, []string{"command", "argv"}},
		{"both", execution.Request{Command: text("x"), Argv: []string{"x"}}, execution.InvalidArgument, []string{"command", "argv"}},
		{"NUL in the command (BO-55)", execution.Request{Command: text("echo a\x00b")}, execution.InvalidArgument, []string{"NUL", "6"}},
		{"NUL in argv (BO-55)", execution.Request{Argv: []string{"echo", "a\x00b"}}, execution.InvalidArgument, []string{"argv[1]", "NUL"}},
		{"NUL in cwd", execution.Request{Command: text("x"), Dir: "a\x00"}, execution.InvalidArgument, []string{"cwd", "NUL"}},
		{"NUL in shell", execution.Request{Command: text("x"), Shell: "a\x00"}, execution.InvalidArgument, []string{"shell", "NUL"}},
		{"an empty program", execution.Request{Argv: []string{"", "x"}}, execution.InvalidArgument, []string{"argv[0]"}},
		{"a long argument (BO-54)", execution.Request{Argv: []string{"echo", long}}, execution.LimitExceeded, []string{"argv[1]", "131072"}},
		{"a missing directory (BO-50)", execution.Request{Command: text("x"), Dir: dir + "/none"}, execution.FailedToStart, []string{dir + "/none", "no such directory"}},
		{"a file as directory (BO-50)", execution.Request{Command: text("x"), Dir: file}, execution.FailedToStart, []string{file, "not a directory"}},
		{"a file on the way", execution.Request{Command: text("x"), Dir: file + "/x"}, execution.FailedToStart, []string{file, "not a directory"}},
		{"a tilde", execution.Request{Command: text("x"), Dir: "~"}, execution.FailedToStart, []string{dir + "/~", "not expanded"}},
		{"a missing shell", execution.Request{Command: text("x"), Shell: "/no/such/shell"}, execution.FailedToStart, []string{"shell", "/no/such/shell", "no such file"}},
		{"a shell not on PATH", execution.Request{Command: text("x"), Shell: "no-such-shell"}, execution.FailedToStart, []string{"no-such-shell", "PATH"}},
		{"a shell that may not run", execution.Request{Command: text("x"), Shell: file}, execution.FailedToStart, []string{file, "permission denied"}},
		{"a directory as shell", execution.Request{Command: text("x"), Shell: dir}, execution.FailedToStart, []string{dir, "is a directory"}},
		{"a missing program", execution.Request{Argv: []string{"no-such-program"}}, execution.FailedToStart, []string{"no-such-program", "PATH"}},
		{"a variable without name (BO-48)", execution.Request{Command: text("x"), Env: map[string]string{"": "v"}}, execution.InvalidArgument, []string{"empty name"}},
		{"a name with = (BO-48)", execution.Request{Command: text("x"), Env: map[string]string{"A=B": "v"}}, execution.InvalidArgument, []string{"A=B"}},
		{"NUL in a value (BO-48)", execution.Request{Command: text("x"), Env: map[string]string{"A": "b\x00"}}, execution.InvalidArgument, []string{"env.A", "NUL"}},
		{"a long value (BO-48)", execution.Request{Command: text("x"), Env: map[string]string{"BIG": long}}, execution.LimitExceeded, []string{"env.BIG", "131072"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := resolve(t, execution.Options{Dir: dir, Environ: os.Environ()}, test.request)
			if execution.CodeOf(err) != test.code {
				t.Fatalf("error %v of code %q; want %q", err, execution.CodeOf(err), test.code)
			}
			for _, says := range test.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("error %q does not say %q", err, says)
				}
			}
		})
	}
}

func TestDirectory(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hard := "a dir é $x 'q' \"d\" \n -end"
	for _, dir := range []string{"sub", hard} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("sub", filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, dir, want string }{
		{"default", "", base},
		{"relative to the default (Y11)", "sub", base + "/sub"},
		{"absolute", base + "/sub", base + "/sub"},
		{"with dots and a slash", "sub/../sub/", base + "/sub"},
		{"a symbolic link becomes what it means (BO-52)", "link", base + "/sub"},
		{"a hard name (BO-52)", hard, base + "/" + hard},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := command("pwd")
			r.Dir = test.dir
			spec, err := resolve(t, execution.Options{Dir: base, Environ: []string{"PWD=/stale", "OLDPWD=/older"}}, r)
			if err != nil {
				t.Fatal(err)
			}
			if spec.Dir != test.want {
				t.Errorf("dir %q; want %q", spec.Dir, test.want)
			}
			if got := variable(spec, "PWD"); got != test.want {
				t.Errorf("PWD %q; want %q", got, test.want)
			}
			if got := variable(spec, "OLDPWD"); got != "" {
				t.Errorf("OLDPWD %q", got)
			}
		})
	}
}

func variable(spec *proc.Spec, name string) string {
	value := ""
	for _, entry := range spec.Env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

func TestEnvironment(t *testing.T) {
	server := []string{"HOME=/home/x", "PATH=/bin:/usr/bin", "EDITOR=vim", "PAGER=less", "WHELK_TOKEN=secret", "MCPGODEBUG=x=1", "=odd", "noequals"}
	t.Run("keeps programs from waiting for a person", func(t *testing.T) {
		spec, err := resolve(t, execution.Options{Dir: "/", Environ: server, NonInteractive: true}, command("x"))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/home/x", "CI": "", "WHELK_TOKEN": "", "MCPGODEBUG": ""} {
			if got := variable(spec, name); got != want {
				t.Errorf("%s = %q; want %q", name, got, want)
			}
		}
		if got := variable(spec, "EDITOR"); !strings.Contains(got, "false") {
			t.Errorf("EDITOR = %q", got)
		}
		for _, entry := range spec.Env {
			if name, _, ok := strings.Cut(entry, "="); !ok || name == "" {
				t.Errorf("a malformed entry is passed on: %q", entry)
			}
		}
	})
	t.Run("the operator's and then the caller's values win", func(t *testing.T) {
		r := command("x")
		r.Env = map[string]string{"EDITOR": "ed", "B-C": "1", "NL": "two\nlines"}
		spec, err := resolve(t, execution.Options{Dir: "/", Environ: server, NonInteractive: true, EnvSet: []string{"PAGER=more", "EDITOR=nano"}}, r)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"PAGER": "more", "EDITOR": "ed", "B-C": "1", "NL": "two\nlines"} {
			if got := variable(spec, name); got != want {
				t.Errorf("%s = %q; want %q", name, got, want)
			}
		}
	})
	t.Run("a bare one gets PATH and HOME (BO-49)", func(t *testing.T) {
		spec, err := resolve(t, execution.Options{Dir: "/"}, command("x"))
		if err != nil {
			t.Fatal(err)
		}
		entries := filepath.SplitList(variable(spec, "PATH"))
		if len(entries) < 4 || slices.ContainsFunc(entries, func(e string) bool { return !filepath.IsAbs(e) }) {
			t.Errorf("PATH = %q", entries)
		}
		if home := variable(spec, "HOME"); !filepath.IsAbs(home) {
			t.Errorf("HOME = %q", home)
		}
	})
	t.Run("calls do not see each other's variables", func(t *testing.T) {
		l := &launcher{script: after(0, "")}
		sup := execution.New(execution.Options{Dir: "/", Launcher: l, Retention: time.Hour})
		defer sup.Close()
		for _, env := range []map[string]string{{"A": "1"}, nil, {"B": "2"}} {
			r := command("x")
			r.Env = env
			<-start(t, sup, r).Done()
		}
		if variable(l.specs[1], "A") != "" || variable(l.specs[2], "A") != "" || variable(l.specs[2], "B") != "2" {
			t.Error("variables leaked")
		}
	})
}

func TestShell(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "mysh", "python3", "zsh"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := execution.Options{Dir: dir, Environ: []string{"PATH=:.:bin:" + bin}}
	long := strings.Repeat("#", 131072)
	tests := []struct {
		name, shell, text string
		path              string
		argv              []string
		script            string
	}{
		{"the default", "", "echo", "/bin/sh", []string{"/bin/sh", "-c", "echo"}, ""},
		{"a bare name from absolute entries of PATH only", "bash", "x", bin + "/bash", []string{"bash", "-c", "x"}, ""},
		{"a relative path, from cwd", "bin/mysh", "x", bin + "/mysh", []string{"bin/mysh", "-c", "x"}, ""},
		{"the longest argument (BO-53)", "bash", long[1:], bin + "/bash", []string{"bash", "-c", long[1:]}, ""},
		{"a text longer than an argument is sourced (BO-53)", "bash", long, bin + "/bash", []string{"bash", "-c", ". " + proc.ScriptPath}, "exec 3<&-;" + long},
		{"or evaluated by zsh, whose dot changes $0", "zsh", long, bin + "/zsh", []string{"zsh", "-c", `eval "$(<` + proc.ScriptPath + `)"`}, "exec 3<&-;" + long},
		{"and is the script of what is no shell", "python3", long, bin + "/python3", []string{"python3", proc.ScriptPath}, long},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := command(test.text)
			r.Shell = test.shell
			spec, err := resolve(t, o, r)
			if err != nil {
				t.Fatal(err)
			}
			if spec.Path != test.path || !slices.Equal(spec.Argv, test.argv) || spec.Script != test.script {
				t.Errorf("path %q, argv %.60q, script %.20q", spec.Path, spec.Argv, spec.Script)
			}
		})
	}
}

func TestArgvRunsAsItIs(t *testing.T) {
	spec, err := resolve(t, execution.Options{Dir: "/", Environ: []string{"PATH=/nowhere:/bin"}}, execution.Request{Argv: []string{"ls", "-l", "$HOME; *"}})
	if err != nil {
		t.Fatal(err)
	}
	if spec.Path != "/bin/ls" || !slices.Equal(spec.Argv, []string{"ls", "-l", "$HOME; *"}) {
		t.Errorf("path %q, argv %q", spec.Path, spec.Argv)
	}
}

func TestRootsHoldTheDirectoryAfterThePolicy(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"root/sub", "root2"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc", filepath.Join(top, "root/out")); err != nil {
		t.Fatal(err)
	}
	denying, _, err := policy.New(policy.Options{Deny: []string{"rm"}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, dir, command string
		code               execution.Code // "": it starts
		says               string
	}{
		{"the root", "root", "x", "", ""},
		{"below", "root/sub/..", "x", "", ""},
		{"what a command does itself", "root", "cd / && x > /dev/null", "", ""},
		{"the default", "", "x", execution.PolicyDenied, top},
		{"a sibling", "root2", "x", execution.PolicyDenied, top + "/root2"},
		{"a link outwards", "root/out", "x", execution.PolicyDenied, "/etc"},
		{"one outside that is missing", "none", "x", execution.PolicyDenied, top + "/none"},
		{"one inside that is missing", "root/none", "x", execution.FailedToStart, "no such directory"},
		{"the policy comes first", "root2", "rm x", execution.PolicyDenied, "rm"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := execution.Options{Dir: top, Roots: []string{filepath.Join(top, "root")}, Policy: denying}
			_, err := resolve(t, o, execution.Request{Command: &test.command, Dir: test.dir})
			if execution.CodeOf(err) != test.code || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %q with %s", err, test.code, test.says)
			}
		})
	}
}
