package policy

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"whelk/internal/command"
)

// tree makes a root with a folder, a sibling of a similar name, and links.
func tree(t *testing.T) (root string) {
	t.Helper()
	top := t.TempDir()
	root = filepath.Join(top, "root")
	for _, dir := range []string{"root/sub", "root2", "outside"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"root/out": "../outside", "root/in": "sub", "alias": "root"} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestRootsHoldTheWorkingDirectory(t *testing.T) {
	root := tree(t)
	cases := []struct {
		name, dir string
		within    bool
	}{
		{"the root", ".", true},
		{"below", "sub", true},
		{"through dots and back", "sub/../../root", true},
		{"by a link inside", "in", true},
		{"a link to the root", "../alias/sub", true},
		{"what is not there", "sub/new", true},
		{"above", "..", false},
		{"a sibling that begins alike", "../root2", false},
		{"through dots", "sub/../../outside", false},
		{"by a link", "out", false},
		{"by a link, not there", "out/new", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := root + "/" + c.dir
			resolved, err := CheckRoots(dir, []string{"/nowhere", root})
			if (err == nil) != c.within {
				t.Fatalf("%s is %q with the error %v", c.dir, resolved, err)
			}
			if fault := (*RootError)(nil); err != nil && !errors.As(err, &fault) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if _, err := CheckRoots("/anywhere", nil); err != nil {
		t.Errorf("without roots: %v", err)
	}
	if _, err := CheckRoots("", []string{root}); err == nil {
		t.Error("no directory is in the roots")
	}
}

func TestRootsHoldWhatTheTextShows(t *testing.T) {
	root := tree(t)
	denied := []string{
		"cd .. && ls", "cd /tmp && ls", "pushd .. > /dev/null; cat x", "cd", "cd out && ls", "cd sub/../.. && ls", `cd "$x" && ls`,
		"ln -s .. up && cd up && cat x", "ln -s / up", "cat /proc/self/cwd/../x", "cat ../outside/x", "cat < ../x", "cat out/x", "ls out", "cat < out/x", "echo x > ../y", "echo x > out/y",
		"{ echo x; } > /tmp/y", "cp sub/a /tmp/b", "touch out/x", "tee ../y < sub/a",
	}
	allowed := []string{
		"cd sub && ls", "cd sub && cd .. && ls", "ls", "cat /usr/share/dict/words", "echo x > sub/y", "ls > /dev/null 2>&1", "cp a sub/b",
		"cd in && ls", "cat sub/../a", "ln -s sub here",
	}
	p := mustPolicy(t, Options{Roots: []string{root}, Blocked: []Effect{}})
	for text, want := range verdicts(denied, allowed) {
		v := p.Decide(Request{Input: command.Input{Text: text, HasText: true, Shell: "bash", Dir: root}})
		if v.Decision != want {
			t.Errorf("%q is %s by %q (%s), not %s", text, v.Decision, v.Rule, v.Reason, want)
		}
	}
	if v := p.Decide(Request{Input: command.Input{Text: "ls", HasText: true, Dir: root + "/out"}}); v.Decision != Deny || v.Rule != "roots" {
		t.Errorf("a directory outside is %s by %q", v.Decision, v.Rule)
	}
}
