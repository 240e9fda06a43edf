package policy

import (
	"path"
	"slices"
	"strings"
)

// places knows what lies where: the workspace, the home directory, the files
// of the system and those that other programs execute or obey.
type places struct {
	home      string
	workspace []string  // empty is the working directory of the call
	protected []pattern // the operator's own
}

// written returns the side effects of writing to a file, as its path stands.
// dir is the working directory of the call, or "".
func (p *places) written(file, dir string) []Effect {
	if below(file, "/dev") {
		return deviceEffects(file)
	}
	var effects []Effect
	if p.isProtected(file) {
		effects = append(effects, ModifiesProtectedFiles)
	}
	if p.isUserSetting(file) && !p.inOwnWorkspace(file, dir) {
		effects = append(effects, ModifiesOSUserSettings)
	}
	if isSystemSetting(file) {
		effects = append(effects, ModifiesOSSettings)
	}
	if isSecurityControl(file) {
		effects = append(effects, ModifiesSecurityControls)
	}
	switch {
	case p.inWorkspace(file, dir):
		return append(effects, ModifiesWorkspaceFiles)
	case len(p.workspace) > 0 || dir != "":
		return append(effects, ModifiesOutsideWorkspace)
	}
	return effects
}

// deviceEffects classifies what is below /dev: the harmless devices have no
// effect, bash's network files are requests, all else is a piece of hardware.
func deviceEffects(file string) []Effect {
	switch first, _, _ := strings.Cut(strings.TrimPrefix(file, "/dev/"), "/"); first {
	case "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "fd", "pts":
		return nil
	case "shm", "mqueue":
		return []Effect{ModifiesOutsideWorkspace}
	case "tcp", "udp":
		return []Effect{MakesNetworkRequests}
	}
	return []Effect{ModifiesProtectedFiles, ModifiesOSSettings}
}

// isProtected tells whether programs that nobody looks at execute or obey a
// file: hooks and configuration of a repository, settings of editors and
// agents, shell start-up files, programs and libraries of the system.
func (p *places) isProtected(file string) bool {
	for _, own := range p.protected {
		if own.re.MatchString(file) {
			return true
		}
	}
	if slices.Contains(startUpFiles(), path.Base(file)) {
		return true
	}
	parts := strings.Split(file, "/")
	for i, part := range parts {
		rest := parts[i+1:]
		switch part {
		case ".git":
			if len(rest) == 0 || slices.Contains(rest, "hooks") ||
				slices.Contains([]string{"config", "config.worktree", "attributes"}, rest[len(rest)-1]) {
				return true
			}
		case ".mcp.json", ".ssh", ".gnupg":
			return true
		case ".claude", ".cursor", ".codex", ".gemini", ".windsurf", ".idea":
			// Agents check out whole working trees below theirs.
			if len(rest) == 0 || rest[0] != "worktrees" {
				return true
			}
		case ".vscode":
			if len(rest) == 0 || strings.HasSuffix(rest[0], ".json") {
				return true
			}
		}
	}
	if below(file, "/usr/local") || below(file, "/usr/src") || below(file, "/usr/share") {
		return file == "/usr/local"
	}
	return file == "/" || file == "/home" || p.isHome(file) ||
		slices.ContainsFunc(systemTrees(), func(tree string) bool { return below(file, tree) })
}

// systemTrees hold programs and libraries that belong to the distribution.
func systemTrees() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/root/.ssh"}
}

// startUpFiles are executed by shells, or make programs execute something,
// wherever a session starts.
func startUpFiles() []string {
	return []string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
		".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".envrc", ".xprofile",
		".xinitrc", ".xsessionrc", ".pam_environment", ".gitconfig", ".netrc", ".pgpass",
	}
}

// isHome tells whether a directory is somebody's home.
func (p *places) isHome(dir string) bool {
	return dir == p.home || dir == "/root" || path.Dir(dir) == "/home"
}

// homeOf returns the home directory that a file is in, or "".
func (p *places) homeOf(file string) string {
	if p.home != "" && p.home != "/" && below(file, p.home) {
		return p.home
	}
	if below(file, "/root") {
		return "/root"
	}
	if rest, ok := strings.CutPrefix(file, "/home/"); ok {
		user, _, _ := strings.Cut(rest, "/")
		return "/home/" + user
	}
	return ""
}

// isUserSetting tells whether a file configures programs for one user: a
// hidden file of the home directory, or a file of the XDG directories. What
// programs keep there for themselves is none.
func (p *places) isUserSetting(file string) bool {
	if below(file, "/var/spool/cron") {
		return true
	}
	home := p.homeOf(file)
	if home == "" {
		return false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(file, home), "/")
	if rest == "" {
		return true
	}
	first, deeper, isBelow := strings.Cut(rest, "/")
	switch first {
	case ".config", ".ssh", ".gnupg", ".aws", ".kube", ".docker", ".vim", ".emacs.d", ".oh-my-zsh", ".pki":
		return true
	case ".local":
		return below("/"+deeper, "/share/applications") || below("/"+deeper, "/share/systemd")
	}
	return !isBelow && strings.HasPrefix(first, ".") && !isState(first)
}

// isState tells whether programs keep caches, histories or packages under a
// name in the home directory.
func isState(name string) bool {
	return strings.Contains(name, "history") || slices.Contains([]string{
		".cache", ".npm", ".cargo", ".rustup", ".gradle", ".m2", ".nvm", ".pyenv", ".rbenv", ".conda", ".venv",
		".bun", ".deno", ".yarn", ".pnpm-store", ".gem", ".bundle", ".nuget", ".dotnet", ".ivy2", ".sbt", ".local",
		".viminfo", ".lesshst", ".wget-hsts", ".sudo_as_admin_successful", ".Trash", ".terraform.d", ".pub-cache",
	}, name)
}

// isSystemSetting tells whether a file configures the machine.
func isSystemSetting(file string) bool {
	if below(file, "/proc") {
		parts := strings.Split(file, "/")
		return len(parts) < 4 || parts[2] != "self" || parts[3] != "fd"
	}
	return slices.ContainsFunc([]string{
		"/etc", "/sys", "/boot", "/lib/systemd", "/usr/lib/systemd", "/run/systemd", "/usr/local/etc", "/var/lib/dpkg",
	}, func(tree string) bool { return below(file, tree) })
}

// isSecurityControl tells whether a file says who may do what.
func isSecurityControl(file string) bool {
	for _, tree := range []string{
		"/etc/sudoers", "/etc/sudoers.d", "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/pam.d",
		"/etc/ssh", "/etc/security", "/etc/selinux", "/etc/apparmor.d", "/etc/iptables", "/etc/nftables.conf",
		"/etc/ufw", "/etc/hosts.allow", "/etc/hosts.deny", "/etc/polkit-1", "/etc/ssl",
	} {
		if below(file, tree) {
			return true
		}
	}
	return strings.Contains(file+"/", "/.ssh/") || strings.Contains(file+"/", "/.gnupg/")
}

// isSecret tells whether a file usually holds keys or passwords.
func isSecret(file string) bool {
	base := path.Base(file)
	switch base {
	case ".env", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", "credentials", "credentials.json",
		"shadow", "gshadow", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "authorized_keys.priv", "secrets.yml",
		"secrets.yaml", "secrets.json", ".vault-token", "kubeconfig", "environ":
		return base != "environ" || below(file, "/proc")
	}
	switch path.Ext(base) {
	case ".pem", ".key", ".p12", ".pfx", ".keystore", ".jks", ".kdbx":
		return true
	case ".example", ".sample", ".template", ".pub", ".dist":
		return false
	}
	in := file + "/"
	return strings.HasPrefix(base, ".env.") || strings.Contains(in, "/.aws/") || strings.Contains(in, "/.gnupg/") ||
		strings.HasSuffix(file, "/.kube/config") || strings.HasSuffix(file, "/.docker/config.json")
}

// inWorkspace tells whether a file is in a directory that the agent works in.
func (p *places) inWorkspace(file, dir string) bool {
	if len(p.workspace) == 0 {
		return dir != "" && below(file, dir)
	}
	return slices.ContainsFunc(p.workspace, func(root string) bool { return below(file, root) })
}

// inOwnWorkspace is inWorkspace where the workspace is a directory of its own.
// A call that runs in the home directory does not turn its settings into the
// files of a project.
func (p *places) inOwnWorkspace(file, dir string) bool {
	home := p.homeOf(file)
	roots := p.workspace
	if len(roots) == 0 {
		roots = []string{dir}
	}
	return slices.ContainsFunc(roots, func(root string) bool {
		return root != "" && below(file, root) && !below(home, root)
	})
}

// below tells whether a clean path is a directory or in it.
func below(file, dir string) bool {
	return file == dir || dir == "/" && strings.HasPrefix(file, "/") ||
		strings.HasPrefix(file, dir) && file[len(dir)] == '/'
}
