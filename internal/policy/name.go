package policy

import (
	"path"
	"slices"
	"strings"

	"whelk/internal/command"
)

// defaultTrusted are the directories whose programs an allow entry means when
// it names no directory: those that only the administrator can write to.
func defaultTrusted() []string {
	return []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
}

// family returns the name that stands for all names of one program, or of
// programs that do the same for the same arguments. An entry that denies one
// of them denies them all.
func family(name string) string {
	switch name {
	case "nodejs":
		return "node"
	case "netcat", "ncat":
		return "nc"
	case "gawk", "mawk", "nawk", "original-awk":
		return "awk"
	case "gfind", "bfind":
		return "find"
	case "gtar", "bsdtar":
		return "tar"
	case "gsort":
		return "sort"
	case "gsed":
		return "sed"
	case "egrep", "fgrep":
		return "grep"
	case "fdfind":
		return "fd"
	case "batcat":
		return "bat"
	case "powershell":
		return "pwsh"
	case "source":
		return "."
	case "[":
		return "test"
	case "typeset":
		return "declare"
	case "vi", "vim", "nvim", "view", "vimdiff", "rvim", "rview":
		return "vim"
	case "python2", "python3", "pypy", "pypy3":
		return "python"
	case "pip2", "pip3":
		return "pip"
	case "bunx", "pnpx":
		return "npx"
	}
	return name
}

// keysOf returns the names under which a denying entry may know a program:
// itself, its family, and the same without a version ("python3.11", "gcc-12").
// For a program of the system also without what follows a dot: mkfs.ext4 is a
// mkfs, but ./rm.sh is somebody's script.
func keysOf(name string, system bool) []string {
	keys := []string{family(name)}
	add := func(key string) {
		if key = family(key); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	add(name)
	if last := len(name) - 1; last > 0 && '0' <= name[last] && name[last] <= '9' {
		for rest := name; ; {
			cut := strings.TrimRight(rest, "0123456789")
			if cut == rest || cut == "" {
				break
			}
			rest = strings.TrimRight(cut, ".-")
			add(rest)
		}
	}
	if system {
		if before, _, ok := strings.Cut(name, "."); ok && before != "" {
			add(before)
		}
	}
	return keys
}

// trusted tells whether a path is an absolute, clean one directly in one of
// the directories.
func trusted(file string, dirs []string) bool {
	return path.IsAbs(file) && path.Clean(file) == file && slices.Contains(dirs, path.Dir(file))
}

// baseName returns the name of a program without its directory. A name that is
// not known before it runs has none: the analysis reports it.
func baseName(c *command.Command) string {
	w := c.Argv[0]
	if !w.Known || w.Text == "" {
		return ""
	}
	return path.Base(w.Text)
}

// isSystem tells whether a program is looked up in PATH or stands in a trusted
// directory, as opposed to a file that the caller points to.
func isSystem(name string, dirs []string) bool {
	return !strings.Contains(name, "/") || slices.Contains(dirs, path.Dir(path.Clean(name)))
}

// namesOf returns all names under which a denying entry may know a command:
// those of its own name and, for a file that the caller points to, those of the
// file that it is a link to.
func namesOf(c *command.Command, dirs []string) []string {
	base := baseName(c)
	if base == "" {
		return nil
	}
	name := c.Argv[0].Text
	system := isSystem(name, dirs)
	keys := keysOf(base, system)
	if system || !path.IsAbs(name) && c.Dir == "" {
		return keys
	}
	file := name
	if !path.IsAbs(file) {
		file = path.Join(c.Dir, name)
	}
	if behind := path.Base(resolve(file)); behind != base {
		for _, key := range keysOf(behind, true) {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
