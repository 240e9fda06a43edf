package policy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/command"
)

func TestPatternsMatchPaths(t *testing.T) {
	cases := []struct {
		name, pattern, file string
		want                bool
	}{
		{"the file", "/etc/passwd", "/etc/passwd", true},
		{"what is below", "/etc", "/etc/ssh/sshd_config", true},
		{"what begins alike", "/etc", "/etcetera", false},
		{"below, written out", "/etc/**", "/etc/a/b", true},
		{"the directory itself", "/etc/**", "/etc", true},
		{"everything", "/**", "/a/b", true},
		{"a star", "/a/*.txt", "/a/b.txt", true},
		{"a star is no slash", "/a/*.txt", "/a/b/c.txt", false},
		{"two stars in between", "/a/**/c", "/a/b/b/c", true},
		{"two stars for nothing", "/a/**/c", "/a/c", true},
		{"one character", "/a/?", "/a/b", true},
		{"home", "~/.ssh", "/home/me/.ssh/id", true},
		{"relative at any depth", ".git/hooks", "/w/x/.git/hooks/a", true},
		{"relative as a whole name", "git", "/w/.git", false},
		{"relative with a dot", "./secrets", "/w/secrets/x", true},
		{"signs of regular expressions", "/a+(b)", "/a+(b)/c", true},
		{"characters of several bytes", "/ä/*", "/ä/ö", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := parsePattern(c.pattern, "/home/me")
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := p.matches(c.file); got != c.want {
				t.Errorf("%s against %s is %v", c.pattern, c.file, got)
			}
		})
	}
	for _, text := range []string{"", " ", "~root/x"} {
		if _, err := parsePattern(text, "/home/me"); err == nil {
			t.Errorf("%q is taken as a pattern", text)
		}
	}
}

func TestPatternsSeeThroughLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "secret"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("secret", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	p, err := parsePattern(filepath.Join(resolve(dir), "secret"), "")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.meets(target{path: filepath.Join(dir, "link", "new", "file"), exact: true}); got != yes {
		t.Errorf("a file behind a link is %d", got)
	}
	if p.holds(target{path: filepath.Join(dir, "link", "x"), exact: true}) {
		t.Error("a rule that allows trusts a link")
	}
}

func TestWordsNameFiles(t *testing.T) {
	p := &places{home: "/home/me"}
	cases := []struct {
		word command.Word
		dir  string
		want target
	}{
		{command.Word{Text: "a/../b", Known: true}, "/w", target{path: "/w/b", exact: true}},
		{command.Word{Text: "/a/../b", Known: true}, "", target{path: "/b", exact: true}},
		{command.Word{Text: "b", Known: true}, "", target{}},
		{command.Word{Text: "~/x"}, "/w", target{path: "/home/me/x", exact: true}},
		{command.Word{Text: `"$HOME/x"`}, "/w", target{path: "/home/me/x", exact: true}},
		{command.Word{Text: `"$HOME"/x`}, "/w", target{path: "/home/me/x", exact: true}},
		{command.Word{Text: "${HOME}/x/$y"}, "/w", target{path: "/home/me/x", open: true}},
		{command.Word{Text: "$HOMES/x"}, "/w", target{path: "/w", open: true}},
		{command.Word{Text: "/etc/$x.conf"}, "/w", target{path: "/etc", open: true}},
		{command.Word{Text: "sub/x*", Known: true, Glob: true}, "/w", target{path: "/w/sub"}},
		{command.Word{Text: "~", Known: true}, "/w", target{path: "/w/~", exact: true}},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, p.targetOf(&c.word, c.dir), cmp.AllowUnexported(target{})); diff != "" {
			t.Errorf("%q in %q (-want +got):\n%s", c.word.Text, c.dir, diff)
		}
	}
}
