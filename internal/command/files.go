package command

import (
	"path"
	"strings"
)

// judgeFile judges a file that the command reads or writes by its name, as
// written. Lexical work only: links are for those who may read the disk.
func (a *analyser) judgeFile(file string, writes bool, text string, pos Pos) {
	clean := path.Clean(file)
	if strings.HasPrefix(clean, "/dev/tcp/") || strings.HasPrefix(clean, "/dev/udp/") {
		a.unknown(KindRedirect, "bash opens a network connection for "+file, text, pos)
		return
	}
	if !writes {
		return
	}
	a.written[path.Base(clean)] = true
	if reason := protectedFile(clean); reason != "" {
		a.unknown(KindProtected, reason+": "+file, text, pos)
	}
}

// freeDevices are the devices that may be written.
const freeDevices = " /dev/null /dev/zero /dev/full /dev/tty /dev/stdin /dev/stdout /dev/stderr "

// systemFolders are those whose files programs and the system run or trust.
var systemFolders = []string{"/dev", "/proc", "/sys", "/etc", "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/var/spool/cron"}

// protectedNames are files that a shell, an editor, an agent or a tool runs or
// obeys without being asked, in whatever folder.
const protectedNames = ` .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile
 .zshrc .zprofile .zshenv .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xprofile
 .xinitrc .xsession .xsessionrc .pam_environment .gitconfig .gitmodules .ripgreprc .mcp.json .envrc .npmrc
 .yarnrc .yarnrc.yml .pypirc .condarc .netrc .curlrc .wgetrc .vimrc .gvimrc .exrc .nvimrc .emacs .nanorc
 .screenrc .tmux.conf .gdbinit .lldbinit .irbrc .pryrc .psqlrc .sqliterc .mailrc .muttrc .lesskey .guile
 sitecustomize.py usercustomize.py authorized_keys `

// protectedFolders are folders whose files are run or obeyed, as sequences of
// names anywhere in a path.
var protectedFolders = []string{
	".git/hooks", ".git/config", ".git/config.worktree", ".git/info", ".git/modules", ".git/worktrees",
	".ssh", ".gnupg", ".vscode", ".idea", ".claude", ".cursor", ".codex", ".github/workflows", ".husky",
	".config/autostart", ".config/systemd", ".config/fish", ".config/git", ".config/environment.d",
	".config/whelk", ".config/nvim", ".local/bin", ".local/share/applications",
}

// protectedFile returns why writing a file makes others run what it holds, or
// "". The path is clean.
func protectedFile(clean string) string {
	if strings.Contains(freeDevices, " "+clean+" ") || strings.HasPrefix(clean, "/dev/fd/") || strings.HasPrefix(clean, "/dev/shm/") {
		return ""
	}
	for _, folder := range systemFolders {
		if clean == folder || strings.HasPrefix(clean, folder+"/") {
			return "this writes to " + folder
		}
	}
	base := path.Base(clean)
	if base == ".git" || strings.Contains(strings.ReplaceAll(protectedNames, "\n", ""), " "+base+" ") {
		return "programs run or obey what is in this file"
	}
	for _, folder := range protectedFolders {
		if strings.Contains("/"+clean+"/", "/"+folder+"/") {
			return "programs run or obey what is in " + folder
		}
	}
	return ""
}

// executed is a file that is run as a program or as a script.
type executed struct {
	base, text string
	pos        Pos
}

// runsFile records that a file is run.
func (a *analyser) runsFile(file string, pos Pos) {
	a.executed = append(a.executed, executed{path.Base(path.Clean(file)), file, pos})
}

// judgeWriter judges the files that programs write by their nature. For those
// that copy each operand counts: a folder takes the name of the source. A copy
// to an unknown name is no blind write: what it copies could be run as it is.
func (a *analyser) judgeWriter(name string, c call) {
	switch name {
	case "cp", "mv", "ln", "install", "rename", "link", "patch", "tee":
	case "dd":
		for _, w := range c.args() {
			if file, ok := strings.CutPrefix(w.prefix, "of="); ok {
				w.Text = file
				a.writesOperand(w, c)
			}
		}
		return
	default:
		return
	}
	for _, w := range c.args() {
		switch {
		case !w.static():
			a.blindWrite = a.blindWrite || name == "tee"
			a.writesUnknown(w, c)
		case !strings.HasPrefix(w.Text, "-"):
			a.writesOperand(w, c)
		default:
			if _, value, ok := strings.Cut(w.Text, "="); ok { // --target-directory=
				a.judgeFile(value, true, c.text(), w.pos)
			}
		}
	}
}

// writesOperand judges a file that an operand names.
func (a *analyser) writesOperand(w word, c call) {
	if !w.static() {
		a.blindWrite = true
		a.writesUnknown(w, c)
		return
	}
	if file := w.Text; file != "" && file != "-" {
		a.judgeFile(file, true, c.text(), w.pos)
	}
}

// writesUnknown judges a file whose name is known in part: ~/.bashrc and
// "$HOME"/.bashrc are what they look like.
func (a *analyser) writesUnknown(w word, c call) {
	looks := path.Clean(strings.NewReplacer(`"`, "", "'", "", "~/", "", "{", "", "}", "").Replace(w.Text))
	if reason := protectedFile(looks); reason != "" {
		a.unknown(KindProtected, reason+": "+span(w.Text), c.text(), c.pos)
	}
}

// judgeWritten reports files that the same input writes and runs. It goes by
// their base names, since links and directories are not looked at.
func (a *analyser) judgeWritten() {
	for _, e := range a.executed {
		switch {
		case a.written[e.base]:
			a.unknown(KindWrittenCode, "this runs a file that the same text writes: "+e.text, e.text, e.pos)
		case a.blindWrite:
			a.unknown(KindWrittenCode, "this runs a file, and the same text writes a file whose name is known only when it runs: "+e.text, e.text, e.pos)
		}
	}
}
