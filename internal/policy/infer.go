package policy

import (
	"path"
	"slices"
	"strings"
	"sync"

	"whelk/internal/command"
)

// inference finds the side effects of an analysed input.
type inference struct {
	places  *places
	agent   Agent
	trusted []string
	links   links
	// writes holds what is known of files already, by path: a text names the
	// same ones again and again.
	writes map[string][]Effect
}

// detected holds what was found: for every command, and for the input.
type detected struct {
	commands [][]Effect // by the index of Analysis.Commands
	all      []Effect   // ordered, without repetition
}

// detect finds the effects of everything that would or could run.
func (f *inference) detect(in *command.Input, a *command.Analysis) detected {
	d := detected{commands: make([][]Effect, len(a.Commands))}
	for i := range a.Commands {
		d.commands[i] = f.ofCommand(in, &a.Commands[i])
		d.all = append(d.all, d.commands[i]...)
	}
	for i := range a.Redirects {
		d.all = append(d.all, f.ofRedirect(in, &a.Redirects[i], in.Dir)...)
	}
	for i := range a.Unknown {
		d.all = append(d.all, ofUnknown(a.Unknown[i].Kind)...)
	}
	d.all = ordered(d.all)
	return d
}

// ofUnknown returns what an unknown means as an effect.
func ofUnknown(kind command.Kind) []Effect {
	switch kind {
	case command.KindInlineCode, command.KindStdinShell:
		return []Effect{RunsInlineCode}
	case command.KindRedirect, command.KindDirectory, command.KindProtected, command.KindWrite:
		return nil
	}
	return []Effect{UnknownEffect}
}

// ofCommand returns the effects of one command and its redirections.
func (f *inference) ofCommand(in *command.Input, c *command.Command) []Effect {
	var effects []Effect
	for i := range c.Redirects {
		effects = append(effects, f.ofRedirect(in, &c.Redirects[i], c.Dir)...)
	}
	base := baseName(c)
	if base == "" {
		return append(effects, UnknownEffect)
	}
	if asksForHelp(c.Argv[1:]) {
		return effects
	}
	keys := namesOf(c, f.trusted)
	name := known(keys)
	effects = append(effects, byTable(c, base, keys, name)...)
	effects = append(effects, f.byForm(c, name)...)
	for _, t := range f.places.writtenBy(c, name) {
		effects = append(effects, f.ofWrite(t, in.Dir, name)...)
	}
	if readers()[name] {
		effects = append(effects, f.ofReading(c)...)
	}
	return effects
}

// known returns the one of a program's names by which the tables know it.
func known(keys []string) string {
	tables := writers()
	for _, key := range keys {
		if _, ok := tables[key]; ok || len(effectIndex().index.byName[key]) > 0 || interprets(key) {
			return key
		}
	}
	return keys[0]
}

// asksForHelp tells whether a command only describes itself.
func asksForHelp(args []command.Word) bool {
	return len(args) == 1 && args[0].Known && (args[0].Text == "--help" || args[0].Text == "--version")
}

// byTable returns the effects that do not depend on files.
func byTable(c *command.Command, base string, keys []string, name string) []Effect {
	var effects []Effect
	lookup := effectIndex()
	possible := false
	lookup.index.each(base, keys, argumentsOf(c), func(e *entry, sure certainty) {
		if sure == yes {
			effects = append(effects, lookup.of[e.text]...)
		}
		possible = true
	})
	if possible && len(effects) == 0 {
		return []Effect{UnknownEffect}
	}
	if len(effects) > 0 && readsOnly(name, c.Argv[1:]) {
		return nil
	}
	return effects
}

// readsOnly tells whether an administrator's program is asked to show
// something and not to change it.
func readsOnly(name string, args []command.Word) bool {
	reading := map[string]string{
		"fdisk": "-l --list", "sfdisk": "-l --list -d", "parted": "-l --list", "mount": "-l", "swapon": "-s --show",
		"ldconfig": "-p", "tune2fs": "-l", "passwd": "-S --status", "mdadm": "--detail --examine", "wipefs": "-n --no-act",
		"modprobe": "-n --dry-run --show-depends", "chsh": "-l", "apt-get": "-s --simulate --dry-run", "apt": "-s --simulate",
		"rsync": "-n --dry-run", "rm": "--help", "kexec": "-S", "brew": "-n",
	}
	if name == "mount" && len(args) == 0 {
		return true
	}
	for i := range args {
		if args[i].Known && slices.Contains(strings.Fields(reading[name]), args[i].Text) {
			return true
		}
	}
	return false
}

// byForm returns the effects that depend on the form of the arguments.
func (f *inference) byForm(c *command.Command, name string) []Effect {
	args := c.Argv[1:]
	switch name {
	case "kill", "pkill", "killall", "skill", "fuser":
		if f.agent.isKilledBy(name, args) {
			return []Effect{KillsAgentProcess}
		}
	case "hostname":
		if len(args) > 0 && args[0].Known && !isOption(args[0].Text) {
			return []Effect{ModifiesOSSettings, ChangesNetworkConfiguration}
		}
	case "crontab":
		if operands, _ := operandsOf(args, nil); len(operands) > 0 && !slices.ContainsFunc(args, isWord("-l")) {
			return []Effect{ModifiesOSUserSettings}
		}
	case "git":
		return discarded(args)
	case "env", "printenv":
		if len(args) == 0 {
			return []Effect{ExposesSecrets}
		}
	case "rsync":
		if slices.ContainsFunc(args, func(w command.Word) bool { return strings.Contains(w.Text, ":") }) {
			return []Effect{MakesNetworkRequests}
		}
	}
	if interprets(name) && runsInline(c, name) {
		return []Effect{RunsInlineCode}
	}
	return nil
}

func isWord(text string) func(command.Word) bool {
	return func(w command.Word) bool { return w.Known && w.Text == text }
}

// discarded recognises the forms of git that throw changes of the working tree
// away and have no option of their own for it.
func discarded(args []command.Word) []Effect {
	git := programs()["git"]
	paths := slices.ContainsFunc(args, isWord("--"))
	staged := slices.ContainsFunc(args, isWord("--staged")) && !slices.ContainsFunc(args, isWord("--worktree"))
	if leads([]string{"checkout"}, args, git) == yes && paths || leads([]string{"restore"}, args, git) == yes && !staged {
		return []Effect{UsesDestructiveGitOperation, ModifiesWorkspaceFiles}
	}
	return nil
}

// ofRedirect returns the effects of opening a file for writing, or of reading
// a secret.
func (f *inference) ofRedirect(in *command.Input, r *command.Redirect, dir string) []Effect {
	if !r.Writes && !r.Reads {
		return nil
	}
	t := target{path: r.Path, exact: true}
	if r.Path == "" {
		t = f.places.targetOf(&r.Target, dir)
	}
	var effects []Effect
	if r.Writes {
		effects = f.ofWrite(t, in.Dir, "")
	}
	if r.Reads && t.path != "" {
		if isSecret(t.path) {
			effects = append(effects, ExposesSecrets)
		}
		if below(t.path, "/dev/tcp") || below(t.path, "/dev/udp") {
			effects = append(effects, MakesNetworkRequests)
		}
	}
	return effects
}

// ofWrite returns the effects of writing a file. Where only the beginning of
// its path is known, a file in that directory stands for it.
func (f *inference) ofWrite(t target, dir, name string) []Effect {
	file := t.path
	switch {
	case file == "":
		return nil
	case !t.exact:
		if file == "/" || file == path.Clean(dir) {
			// Nothing but the working directory is known: that is no
			// evidence of anything.
			return []Effect{ModifiesWorkspaceFiles}
		}
		file = path.Join(file, "x")
	case name == "mkdir":
		// A directory is no file that anything obeys, and may be there already.
		return slices.DeleteFunc(slices.Clone(f.written(file, dir)), func(e Effect) bool {
			return e != ModifiesWorkspaceFiles && e != ModifiesOutsideWorkspace
		})
	}
	effects := slices.Clone(f.written(file, dir))
	if slices.Contains([]string{"rm", "rmdir", "mv"}, name) && path.Base(file) == ".git" {
		effects = append(effects, UsesDestructiveGitOperation)
	}
	return effects
}

// written returns the side effects of writing to a file, as it is named and as
// the links in its name lead.
func (f *inference) written(file, dir string) []Effect {
	if known, ok := f.writes[file]; ok {
		return known
	}
	effects := f.places.written(file, dir)
	if resolved := f.links.resolve(file); resolved != file && !below(file, "/dev") {
		effects = ordered(append(effects, f.places.written(resolved, dir)...))
	}
	f.writes[file] = effects
	return effects
}

// readers are the programs that show, send or copy what is in a file. The set
// is built once and never written again.
var readers = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(`cat tac less more head tail nl bat grep rg ag sed awk cut sort strings od xxd hexdump
		base64 base32 cp scp rsync curl tar zip gzip jq yq diff vim nano tee openssl gpg nc dd . python node perl ruby
		paste fold column rev uniq wc`) {
		set[name] = true
	}
	return set
})

// ofReading finds arguments that are files with secrets.
func (f *inference) ofReading(c *command.Command) []Effect {
	for i := range c.Argv[1:] {
		w := &c.Argv[i+1]
		text := *w
		if _, value, ok := strings.Cut(w.Text, "@"); ok { // curl -d @file
			text.Text = value
		}
		if _, value, ok := strings.Cut(text.Text, "="); ok && isOption(w.Text) {
			text.Text = value
		}
		if t := f.places.targetOf(&text, c.Dir); t.path != "" && t.exact && isSecret(t.path) {
			return []Effect{ExposesSecrets}
		}
		if w.Known && c.Dir == "" && isSecret("/"+path.Base(w.Text)) && !isOption(w.Text) {
			return []Effect{ExposesSecrets}
		}
	}
	return nil
}
