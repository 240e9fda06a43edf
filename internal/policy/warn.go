package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// warnings finds settings that work and are probably not meant.
func (p *Policy) warnings(o *Options) []Warning {
	var list []Warning
	for _, set := range p.sets {
		for i := range set.entries {
			list = append(list, entryWarnings(&set.entries[i])...)
		}
		for _, name := range set.exact {
			if p.onlyNamed {
				list = append(list, p.freeWarnings(name)...)
				continue
			}
			list = append(list, nameWarnings(name)...)
		}
		for _, re := range set.full {
			list = append(list, patternWarnings(set, re.String())...)
		}
		for _, r := range set.rules {
			for i := range r.names.entries {
				list = append(list, entryWarnings(&r.names.entries[i])...)
			}
		}
		if re := set.search; re != nil && !strings.HasPrefix(re.String(), "^") && !strings.HasPrefix(re.String(), `\A`) {
			list = append(list, Warning(fmt.Sprintf("the allow expression %s has no ^ at its beginning: it allows every command that holds a match anywhere", shown(re.String()))))
		}
		if set.wholeOnly {
			list = append(list, "the allow expression is searched in the text as a whole: one command that matches permits all others beside it")
		}
	}
	for i := range p.deny.entries {
		list = append(list, charWarnings(p.deny.entries[i].text)...)
	}
	if p.judges() {
		if p.onUnknown == Allow {
			list = append(list, "on_unknown is allow: what cannot be told before it runs is permitted, and any denied command can be written so")
		}
		list = append(list, pathWarnings(o.Path)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// entryWarnings looks at an entry that allows.
func entryWarnings(e *entry) []Warning {
	list := charWarnings(e.text)
	if strings.Contains(e.name, "/") && (!path.IsAbs(e.name) || path.Clean(e.name) != e.name) {
		list = append(list, Warning(fmt.Sprintf("allow %q never matches: a program with a slash is named by its absolute, clean path", shown(e.text))))
	}
	if len(e.subs) == 0 {
		list = append(list, nameWarnings(e.name)...)
	}
	return list
}

// nameWarnings looks at a program that is allowed whatever its arguments.
func nameWarnings(name string) []Warning {
	switch key := keysOf(path.Base(name), true); {
	case slices.ContainsFunc(key, runsAnything):
		return []Warning{Warning(fmt.Sprintf("allow %q allows everything that it is told to run: it is an interpreter or a build tool, and its files hold commands that no policy sees", shown(name)))}
	case slices.ContainsFunc(key, wraps):
		return []Warning{Warning(fmt.Sprintf("allow %q is a wrapper: what it starts must be allowed too", shown(name)))}
	}
	return nil
}

// freeWarnings is nameWarnings where what a program starts is not judged. Those
// that the policy has denials for are looked after.
func (p *Policy) freeWarnings(name string) []Warning {
	keys := keysOf(path.Base(name), true)
	known := func(key string) bool {
		return len(p.deny.byName[key]) > 0 ||
			slices.ContainsFunc(p.rules, func(r *rule) bool { return len(r.names.byName[key])+len(r.argv.byName[key]) > 0 })
	}
	if slices.ContainsFunc(keys, known) || !slices.ContainsFunc(keys, func(key string) bool { return runsAnything(key) || wraps(key) }) {
		return nil
	}
	return []Warning{Warning(fmt.Sprintf("allow %q allows everything that it is told to run: what an allowed program starts is not judged", shown(name)))}
}

// runsAnything tells whether a program runs code of its files or arguments.
func runsAnything(name string) bool {
	return interprets(name) || slices.Contains(strings.Fields(`make gmake cmake ninja npm npx yarn pnpm bun go cargo gradle mvn ant rake
		just task tox nox pytest bazel docker podman kubectl vim emacs ed ex gdb ssh awk sed git find tar rsync zip man less
		more sqlite3 psql mysql m4 tclsh expect script ansible terraform pip gem bundle composer crontab at eval . dotnet java
		rustc gcc clang cc ld strace ltrace perf systemd-run nix tmux screen`), name)
}

// wraps tells whether a program starts another one that its arguments name.
func wraps(name string) bool {
	return slices.Contains(strings.Fields(`env sudo su doas pkexec runuser xargs parallel nohup nice timeout stdbuf setsid ionice
		taskset chrt setarch prlimit unshare nsenter setpriv flock watch choom chroot start-stop-daemon ssh-agent command
		builtin exec time trap busybox toybox entr dbus-run-session xvfb-run firejail bwrap`), name)
}

// charWarnings finds letters that look like others, and signs that look like
// wildcards.
func charWarnings(text string) []Warning {
	if strings.ContainsAny(text, "*?") {
		return []Warning{Warning(fmt.Sprintf("the entry %q holds a wildcard, which stands for itself here: use a rule with raw", shown(text)))}
	}
	for _, r := range text {
		if r > 0x7e {
			return []Warning{Warning(fmt.Sprintf("the entry %q holds %U, which is no ASCII character: it matches that very spelling alone", shown(text), r))}
		}
	}
	return nil
}

// patternWarnings tries what an expression for names would let through.
func patternWarnings(set *allowSet, expression string) []Warning {
	for _, re := range set.full {
		if re.String() != expression {
			continue
		}
		for _, name := range []string{"sh", "bash", "python3", "env", "xargs", "/tmp/x"} {
			if re.MatchString(name) {
				return []Warning{Warning(fmt.Sprintf("the allow pattern %s matches %s", shown(expression), name))}
			}
		}
	}
	return nil
}

// pathWarnings finds directories of PATH from which anybody's program could be
// taken for an allowed one.
func pathWarnings(list string) []Warning {
	if list == "" {
		return nil
	}
	for dir := range strings.SplitSeq(list, ":") {
		if !path.IsAbs(dir) {
			return []Warning{Warning(fmt.Sprintf("PATH holds the relative directory %q: a file there can pass for an allowed program", shown(dir)))}
		}
	}
	return nil
}
