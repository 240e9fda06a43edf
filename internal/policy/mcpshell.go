package policy

import (
	"fmt"
	"strings"
)

// MCPShellServer returns the settings of mcp-shell-server: names that must be
// written exactly as listed (ALLOW_COMMANDS and ALLOWED_COMMANDS together),
// patterns that must match the whole name (ALLOW_PATTERNS), and its default
// security policy, which no list overrides. With neither names nor patterns
// nothing is allowed. What an allowed program runs in turn is not judged: an operator
// who lists sudo or busybox means what these do. A pattern that is unsafe or invalid is an error.
func MCPShellServer(names, patterns []string) (Options, error) {
	o := Options{
		AllowExact: withoutBlank(names), AllowPatterns: withoutBlank(patterns), Closed: true, OnlyNamed: true,
		SideEffects: Off, Blocked: []Effect{}, Documents: []Document{defaultSecurityPolicy()},
	}
	for _, text := range o.AllowPatterns {
		if strings.ContainsAny(text, " \t\r\n;&|<>`") {
			return Options{}, fmt.Errorf("unsafe allowed command pattern: %s: it may hold no blank and none of ; & | < > `", shown(text))
		}
		if _, err := compileRegex(text); err != nil {
			return Options{}, fmt.Errorf("ALLOW_PATTERNS: %w", err)
		}
	}
	return o, nil
}

// defaultSecurityPolicy denies programs that run others whatever they are
// allowed for, and the options of allowed ones that do.
func defaultSecurityPolicy() Document {
	d := Document{Name: "default security policy", Deny: strings.Fields(`bash bun chroot csh deno env ex fish flock gdb ionice ksh
		less lua man more mysql nice node nohup perl pg php psql python rsync ruby script sed setarch setsid sh sqlite3 ssh
		stdbuf strace taskset time timeout unshare valgrind vi view vim watch xargs zip zsh`)}
	for _, risky := range []struct {
		name    string
		flags   string
		program string
	}{
		{"find -exec", "-exec -execdir -ok -okdir", "find"},
		{"find file output", "-fprint -fprintf -fprint0 -fls", "find"},
		{"awk external access", "-f -e -i -l --file --source --include --load --exec", "awk"},
		{"sort external program or path option", "-o -T --output --temporary-directory --compress-program --files0-from", "sort"},
		{"tar command execution option", "-I -F --use-compress-program --to-command --checkpoint-action --info-script --new-volume-script --rsh-command --rmt-command", "tar"},
		{"git command-scoped config", "-c --config-env", "git"},
		{"git external program", "-O --open-files-in-pager --exec --upload-pack --receive-pack --exec-path --ext-diff --sendmail-cmd --to-cmd --cc-cmd --smtp-server", "git"},
	} {
		d.Rules = append(d.Rules, Rule{
			Name: risky.name, Decision: Deny, Reason: "the default security policy denies these options of " + risky.program,
			Match: Conditions{Name: []string{risky.program}, Flags: strings.Fields(risky.flags)},
		})
	}
	for _, words := range []string{"git filter-branch", "git bisect run", "git rebase -x", "git rebase --exec", "git clone -u", "git config"} {
		d.Rules = append(d.Rules, Rule{
			Name: "git external program: " + words, Decision: Deny, Match: Conditions{Argv: strings.Fields(words)},
			Reason: "the default security policy denies git commands that start other programs",
		})
	}
	d.Rules = append(d.Rules, Rule{
		Name: "awk external access: program", Decision: Deny, Match: Conditions{Name: []string{"awk"}, Raw: `system\s*\(|getline|[|<>]`},
		Reason: "the default security policy denies awk programs that reach outside of their input",
	}, Rule{
		Name: "git external program: ext", Decision: Deny, Match: Conditions{Name: []string{"git"}, Raw: `(^|\s)ext::`},
		Reason: "the default security policy denies addresses that start a program",
	})
	return d
}
