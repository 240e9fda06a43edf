package command

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// analyseBash analyses a text for bash in a known directory.
func analyseBash(text string) *Analysis {
	return Analyse(Input{Text: text, HasText: true, Shell: "bash", Dir: "/srv"})
}

// names returns the base names of all commands.
func names(a *Analysis) []string {
	var out []string
	for _, c := range a.Commands {
		out = append(out, path.Base(c.Argv[0].Text))
	}
	return out
}

// kinds returns the kinds of all unknowns, each once.
func kinds(a *Analysis) []string {
	var out []string
	for _, u := range a.Unknown {
		if !slices.Contains(out, string(u.Kind)) {
			out = append(out, string(u.Kind))
		}
	}
	return out
}

func TestCommandsAreThoseThatWouldRun(t *testing.T) {
	tests := []struct{ text, want string }{
		{"ls; id", "ls id"},
		{"ls\nid", "ls id"},
		{"ls && id || pwd & wc", "ls id pwd wc"},
		{"a | b |& c", "a b c"},
		{"(a; b) | { c; }", "a b c"},
		{"! a", "a"},
		{"time a", "a"},
		{"if a; then b; elif c; then d; else e; fi", "a b c d e"},
		{"while a; do b; done; until c; do d; done", "a b c d"},
		{"for i in $(a) `b`; do c; done", "a b c"},
		{"for ((i=$(a); i < 1; i++)); do b; done", "a b"},
		{"case $(a) in $(b)) c;; *) d;& esac", "a b c d"},
		{"select x in $(a); do b; done", "a b"},
		{"f() { a; }; f", "a"},
		{"function f { a; }; f", "a"},
		{"f() { a; }; (f); f | b", "a b"},
		{"f() { a; } && b; f", "a b"},
		{"x=$(a) b", "a b"},
		{"x=$(a)", "a"},
		{"x=($(a) b); y[$(wc -l)]=1", "a wc"},
		{`echo "$(a)" "${x:-$(b)}" ${y/$(c)/$(d)} ${z:+"$(e)"}`, "a b c d e echo"},
		{"echo $((1 + $(wc -l)))", "wc echo"},
		{"cat <(a) >(b)", "a b cat"},
		{"cat <<E\n$(a) `b`\nE", "a b cat"},
		{"cat <<'E'\n$(a)\nE", "cat"},
		{"cat <<< $(a)", "a cat"},
		{"[[ -n $(a) && $(b) == x ]]", "a b"},
		{"a > o 2>&1 < i", "a"},
		{"{ a; } > $(b)", "b a"},
		{"echo 'a; b' \"c; d\" e\\;f # g; h", "echo"},
		{"# a\nb", "b"},
		{"r''m; \\rm; \"rm\"; $'\\x72m'; $'\\162m'; {rm,x}; /bin/../bin/rm", "rm rm rm rm rm rm rm"},
		{"r\\\nm", "rm"},
		{"echo a\f# ; rm x", "echo rm"},
		{"export A=b; declare -a x=(1); local y", "export declare local"},
		{"\"\" x", "."},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if diff := cmp.Diff(strings.Fields(tt.want), names(analyseBash(tt.text))); diff != "" {
				t.Errorf("commands of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestACommandIsWhatTheProgramGets(t *testing.T) {
	a := analyseBash("cd sub && A=b sudo -u x grep -r 'a b' *.go \"$y\" > ../out")
	want := []Command{
		{Argv: []Word{{Text: "cd", Known: true}, {Text: "sub", Known: true}}, Dir: "/srv", Pos: Pos{0, 1, 1}},
		{
			Argv: []Word{
				{Text: "sudo", Known: true},
				{Text: "-u", Known: true},
				{Text: "x", Known: true},
				{Text: "grep", Known: true},
				{Text: "-r", Known: true},
				{Text: "a b", Known: true},
				{Text: "*.go", Known: true, Glob: true},
				{Text: `"$y"`},
			},
			Assigns:   []Assignment{{Name: "A", Value: Word{Text: "b", Known: true}, Pos: Pos{10, 1, 11}}},
			Redirects: []Redirect{{Op: ">", Target: Word{Text: "../out", Known: true}, Path: "/srv/out", Writes: true, Pos: Pos{48, 1, 49}}},
			Dir:       "/srv/sub", Pos: Pos{10, 1, 11},
		},
		{
			Argv: []Word{{Text: "grep", Known: true}, {Text: "-r", Known: true}, {Text: "a b", Known: true}, {Text: "*.go", Known: true, Glob: true}, {Text: `"$y"`}},
			Dir:  "/srv/sub", Via: []string{"sudo"}, Pos: Pos{10, 1, 11},
		},
	}
	if diff := cmp.Diff(want, a.Commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if len(a.Unknown) > 0 {
		t.Errorf("unknown: %+v", a.Unknown)
	}
}

func TestWhatACommandWrapsIsACommand(t *testing.T) {
	for _, text := range []string{
		"command rm x", "command -p rm x", "builtin eval rm x", "exec rm x", "exec -a ls rm x", "jobs -x rm x",
		"env rm x", "env -i A=b rm x", "env -u A -C / rm x", "env -S 'rm x'", "env -iS'rm x'", "env -- rm x",
		"nohup rm x", "nice -n 5 rm x", "nice -5 rm x", "timeout -s KILL -k 1 5 rm x", "timeout 5 rm x", "stdbuf -oL rm x",
		"setsid -w rm x", "ionice -c2 rm x", "taskset 1 rm x", "taskset -c 0 rm x", "chrt -o 0 rm x", "chrt -o rm x",
		"setarch x86_64 -R rm x; setarch -R rm x", "prlimit --nofile=1 rm x", "choom -n 0 -- rm x", "unshare -r rm x",
		"setpriv --no-new-privs rm x", "chroot / rm x", "strace -f rm x", "ltrace rm x", "time -p rm x", "\\time -v rm x",
		"xargs rm", "xargs -0 -n1 rm -f", "xargs -I{} rm {}", "find . -exec rm {} \\;", "find . -execdir rm {} +", "find . -ok rm {} \\;",
		"find . -exec echo {} \\; -o -exec rm {} +", "find . -exec sh -c 'rm \"$1\"' _ {} \\;", "fd -x rm {}", "fdfind . --exec rm",
		"sudo rm x", "sudo -u nobody -- rm x", "sudo -i rm x", "sudo A=b rm x", "doas rm x", "su -c 'rm x'", "su root -c 'rm x'",
		"runuser -u root -- rm x", "runuser -l root -c 'rm x'", "flock l rm x", "flock l -c 'rm x'", "watch rm x", "watch -x rm x",
		"script -qc 'rm x' o", "parallel rm ::: x", "busybox rm x", "busybox sh -c 'rm x'", "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
		"start-stop-daemon --start --exec /bin/rm -- x", "ssh-agent rm x", "ssh h rm x", "ssh -p 22 u@h -- rm x", "ssh h -p 2 'cd a; rm x'", "echo 'rm x' | ssh h", "systemd-run --user rm x", "npx rm x", "poetry run rm x",
		"docker run --rm alpine rm x", "kubectl exec p -- rm x", "git bisect run rm x", "git submodule foreach 'rm x'",
		"time -p env nice -n 1 timeout 5 rm x", "sh -c 'rm x'", "bash -lc 'rm x'", "bash -xec 'rm x'", "bash -c - 'rm x'",
		"bash --norc -o pipefail -c 'rm x'", "sh -c 'sh -c \"rm x\"'", "bash <<< 'rm x'", "bash <<E\nrm x\nE", "bash -s <<E\nrm x\nE",
		"cat <<E | sh\nrm x\nE", "echo rm x | sh", "eval rm x", "eval \"r\"'m x'", "trap 'rm x' EXIT", "eval 'eval \"rm x\"'",
	} {
		t.Run(text, func(t *testing.T) {
			if a := analyseBash(text); !slices.Contains(names(a), "rm") {
				t.Errorf("rm is not among %q of %q", names(a), text)
			}
		})
	}
}

func TestViaNamesTheWrappers(t *testing.T) {
	a := analyseBash("sudo -n env A=b sh -c 'xargs rm'")
	last := a.Commands[len(a.Commands)-1]
	if diff := cmp.Diff([]string{"sudo", "env", "sh -c", "xargs"}, last.Via); diff != "" {
		t.Errorf("via (-want +got):\n%s", diff)
	}
}

func TestFunctionsCountWhereTheyAreCertainlyDefined(t *testing.T) {
	tests := []struct {
		name, text string
		runs       bool // the program id may run
	}{
		{"defined before", "id() { :; }; id", false},
		{"defined after", "id; id() { :; }", true},
		{"in a branch", "if false; then id() { :; }; fi; id", true},
		{"in a list", "false && id() { :; }; id", true},
		{"in a subshell", "(id() { :; }); id", true},
		{"in a pipeline", "id() { :; } | cat; id", true},
		{"in the background", "id() { :; } & id", true},
		{"in a loop", "for i in; do id() { :; }; done; id", true},
		{"by command", "id() { :; }; command id", true},
		{"by env", "id() { :; }; env id", true},
		{"in another shell", "id() { :; }; sh -c id", true},
		{"within itself", "id() { id; }; id", false},
		{"with a path", "id() { :; }; /bin/id", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := slices.Contains(names(analyseBash(tt.text)), "id"); got != tt.runs {
				t.Errorf("id runs: %v, want %v, in %q", got, tt.runs, tt.text)
			}
		})
	}
	if a := analyseBash("id() { :; }; unset -f id; id"); !slices.Contains(kinds(a), "redefinition") {
		t.Errorf("a function that is removed is called without an unknown: %+v", a)
	}
}

func TestDirectoryIsFollowed(t *testing.T) {
	tests := []struct{ text, want string }{
		{"x", "/srv"},
		{"cd a; x", "/srv/a"},
		{"cd a && x", "/srv/a"},
		{"cd a || exit; x", "/srv/a"},
		{"cd a || true; x", ""},
		{"(cd a); x", "/srv"},
		{"cd a & x", "/srv"},
		{"cd a | b; x", "/srv"},
		{"cd /; cd usr/../b; x", "/b"},
		{"if a; then cd b; fi; x", ""},
		{"if cd b; then x; fi", "/srv/b"},
		{"case a in b) cd c;; esac; x", ""},
		{"for i in a b; do cd c; done; x", ""},
		{"cd; x", ""},
		{"cd -; x", ""},
		{"cd \"$y\"; x", ""},
		{"command cd a; x", "/srv/a"},
		{"eval 'cd a'; x", "/srv/a"},
		{"pushd a; x", "/srv/a"},
		{"env -C a x", "/srv/a"},
		{"chroot / x", ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			for _, c := range analyseBash(tt.text).Commands {
				if c.Argv[0].Text == "x" && c.Dir != tt.want {
					t.Errorf("x runs in %q, want %q", c.Dir, tt.want)
				}
			}
		})
	}
}

func TestAnalyseIsTheSameEachTime(t *testing.T) {
	in := Input{Text: "a=$(b) c <(d) | sudo e; eval f", HasText: true, Env: map[string]string{"PATH": "x", "LD_PRELOAD": "y", "A": "b"}}
	first := Analyse(in)
	for range 20 {
		if diff := cmp.Diff(first, Analyse(in)); diff != "" {
			t.Fatalf("two analyses differ:\n%s", diff)
		}
	}
}
