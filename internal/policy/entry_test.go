package policy

import (
	"strings"
	"testing"

	"whelk/internal/command"
)

// written makes a command of words. A word that holds a dollar is not known,
// one that holds * or ? is a pattern; quotes are kept for the former alone.
func written(text string) *command.Command {
	c := &command.Command{Dir: "/w"}
	for word := range strings.FieldsSeq(text) {
		w := command.Word{Text: word, Known: !strings.Contains(word, "$")}
		w.Glob = w.Known && strings.ContainsAny(word, "*?")
		c.Argv = append(c.Argv, w)
	}
	return c
}

func bestOf(e entry, c *command.Command) certainty {
	x := newIndex([]entry{e})
	return x.best(baseName(c), namesOf(c, defaultTrusted()), argumentsOf(c))
}

func TestDenyEntryMatchesEverySpelling(t *testing.T) {
	cases := []struct {
		name, entry, command string
		want                 certainty
	}{
		{"the name", "rm", "rm x", yes},
		{"another name", "rm", "rmdir x", no},
		{"letter case", "rm", "RM x", no},
		{"by path", "rm", "/usr/bin/rm x", yes},
		{"by a path with dots", "rm", "/usr/../bin/rm x", yes},
		{"relative", "rm", "./rm x", yes},
		{"an entry with a directory", "/bin/rm", "rm x", yes},
		{"a name as argument", "rm", "echo rm", no},
		{"the family", "mkfs", "mkfs.ext4 /dev/sda", yes},
		{"the family by path", "mkfs", "/sbin/mkfs.ext4 /dev/sda", yes},
		{"a script is no family", "rm", "./rm.sh", no},
		{"a version", "python", "python3.11 x.py", yes},
		{"a version with a dash", "gcc", "gcc-12 x.c", yes},
		{"a digit that is no version", "md", "md5sum x", no},
		{"another name of the program", "nc", "ncat host 1", yes},
		{"dot is source", "source", ". x", yes},
		{"other letters that look alike", "rm", "rｍ x", no},

		{"two words", "git push", "git push origin", yes},
		{"two words, others", "git push", "git pull", no},
		{"two words, global options", "git push", "git --no-pager -C /x -c a.b=c push", yes},
		{"two words, an unknown option", "git push", "git --new-option push", maybe},
		{"two words, an unknown option with a value", "git push", "git --new-option x push", maybe},
		{"two words, joined", "git push", "git-push origin", yes},
		{"two words in a message", "git push", "git commit -m push", no},
		{"the value of an option", "git push", "git log --grep push", no},
		{"the value of a global option", "git push", "git -C push log", no},
		{"an unknown second word", "git push", "git $x", maybe},
		{"unknown words before", "git push", "git $x push", maybe},
		{"an unknown word after another", "git push", "git log $x", no},
		{"a quoted value of an option", "git push", `git -C "$dir" log`, no},
		{"an unquoted value of an option", "git push", "git -C $dir log", maybe},
		{"a pattern that can match", "git push", "git pus?", maybe},
		{"a pattern that cannot", "git push", "git pul?", no},
		{"a sub-command's other name", "npm install", "npm i x", yes},
		{"a group before", "docker run", "docker container run x", yes},
		{"three words", "gh pr merge", "gh pr -R a/b merge 1", yes},

		{"options", "rm -rf", "rm -rf x", yes},
		{"options in another order", "rm -rf", "rm -fr x", yes},
		{"options apart", "rm -rf", "rm -r x -f", yes},
		{"options in a cluster", "rm -rf", "rm -vrif x", yes},
		{"long options", "rm -rf", "rm --recursive --force x", yes},
		{"abbreviated options", "rm -rf", "rm --rec --fo x", yes},
		{"the same option in capitals", "rm -rf", "rm -Rf x", yes},
		{"one of two options", "rm -rf", "rm -r x", no},
		{"after the end of options", "rm -rf", "rm -- -rf", no},
		{"an unknown word", "rm -rf", "rm $x", maybe},
		{"an unknown word after the end", "rm -rf", "rm -- $x", no},
		{"an unknown word that is a path", "rm -rf", `rm "./$x"`, no},
		{"a pattern that may be an option", "rm -rf", "rm *", maybe},
		{"a pattern that may not", "rm -rf", "rm *.o", no},
		{"a long option by its letter", "git push --force", "git push -f", yes},
		{"a long option", "git push --force", "git push origin main --force", yes},
		{"a longer option", "git push --force", "git push --force-with-lease", no},
		{"an option of another command", "git push --force", "git pull --force", no},
		{"an operand that means the option", "git push --force", "git push origin +main", yes},
		{"an operand that means it, by letter", "git push -d", "git push origin :old", yes},
		{"an operand that does not", "git push --force", "git push origin a:b", no},
		{"a module", "pip install", "python3 -m pip install x", yes},
		{"a module, after options", "pip install", "python3 -I -X dev -m pip install x", yes},
		{"another module", "pip install", "python3 -m venv install", no},
		{"an option of whole words", "find -delete", "find . -delete", yes},
		{"letters of whole words", "find -delete", "find . -depth -empty", no},
		{"a value in a cluster", "curl -o", "curl -sSo out x", yes},
		{"the value of another letter", "curl -o", "curl -XPOST x", no},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e, err := parseEntry(c.entry)
			if err != nil {
				t.Fatal(err)
			}
			got := bestOf(e, written(c.command))
			if got != c.want {
				t.Errorf("deny %q against %q is %d, want %d", c.entry, c.command, got, c.want)
			}
		})
	}
}

func TestWordsThatXargsAppendsAreUnknown(t *testing.T) {
	e, err := parseEntry("git push")
	if err != nil {
		t.Fatal(err)
	}
	c := written("git")
	c.Via = []string{"xargs"}
	got := bestOf(e, c)
	if got != maybe {
		t.Errorf("xargs git is %d for git push, want %d", got, maybe)
	}
}

func TestAllowEntryMatchesOnlyWhatIsCertain(t *testing.T) {
	cases := []struct {
		name, entry, command string
		want                 bool
	}{
		{"the name", "ls", "ls -l", true},
		{"in a trusted directory", "ls", "/usr/bin/ls", true},
		{"elsewhere", "ls", "/tmp/ls", false},
		{"relative", "ls", "./ls", false},
		{"below", "ls", "bin/ls", false},
		{"not clean", "ls", "/usr/bin/../bin/ls", false},
		{"two slashes", "ls", "//usr/bin/ls", false},
		{"through proc", "ls", "/proc/self/root/usr/bin/ls", false},
		{"letter case", "ls", "LS", false},
		{"a look-alike", "ls", "ls\u200b", false},
		{"a version", "python", "python3", false},
		{"the family", "mkfs", "mkfs.ext4", false},
		{"a path as entry", "/opt/x/run", "/opt/x/run a", true},
		{"a path as entry, the bare name", "/opt/x/run", "run a", false},
		{"a path that is not clean", "/opt/x/run", "/opt/x/../x/run", false},
		{"an unknown name", "ls", "$ls", false},
		{"a pattern as name", "ls", "/bin/l?", false},

		{"two words", "git status", "git status -s", true},
		{"two words, a known global option", "git status", "git --no-pager -C sub status", true},
		{"two words, an unknown option", "git status", "git --odd status", false},
		{"two words, an unknown value in quotes", "git status", `git -C "$x" status`, true},
		{"two words, an unknown value that may split", "git status", "git -C $x status", false},
		{"two words, others", "git status", "git push", false},
		{"two words, unknown", "git status", "git $x", false},
		{"two words, the rest is unknown", "git diff", "git diff $x", true},
		{"two words, one is missing", "git status", "git", false},
		{"an option between", "npm run test", "npm run --x test", false},
		{"a longer word", "npm run test", "npm run test:all", false},
		{"an option as word", "ls -l", "ls -l x", true},
		{"another option", "ls -l", "ls -a", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e, err := parseEntry(c.entry)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.allows(written(c.command), defaultTrusted()); got != c.want {
				t.Errorf("allow %q against %q is %v", c.entry, c.command, got)
			}
		})
	}
}

func TestEntriesThatMeanNothingAreFaults(t *testing.T) {
	for _, text := range []string{"$(x)", "rm; ls", "echo 'a'", "", "  ", "-rf", "a\nb", strings.Repeat("x", mostEntry+1)} {
		if _, err := parseEntry(text); err == nil {
			t.Errorf("%q is taken as an entry", shown(text))
		}
	}
}

func TestUnknownOptionsCostNoExponentialTime(t *testing.T) {
	e, err := parseEntry("tool a b c")
	if err != nil {
		t.Fatal(err)
	}
	c := written("tool" + strings.Repeat(" -x", 30_000) + " z")
	if got := e.denies("tool", c.Argv[1:]); got != no {
		t.Errorf("the words are found: %d", got)
	}
}
