package command

import "strings"

// gitOptions stand between git and its subcommand. -c is judged by its key.
const gitOptions optionTable = "-C:!dir -c:!config -p -P -v!info -h!info --version!info --help!info --paginate --no-pager --no-replace-objects --no-optional-locks --no-lazy-fetch --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --bare --exec-path!info --html-path!info --man-path!info --info-path!info"

// safeGitConfig are beginnings of the keys that -c and config may set.
var safeGitConfig = []string{"color.", "user.name", "user.email", "core.quotepath", "core.autocrlf", "core.longpaths", "advice.", "init.defaultbranch", "pull.rebase", "pull.ff", "push.default", "commit.gpgsign", "tag.gpgsign", "log.date", "log.showsignature", "diff.renames", "diff.noprefix", "diff.mnemonicprefix", "diff.context", "diff.algorithm", "merge.ff", "merge.conflictstyle", "rebase.autostash", "fetch.prune", "status.", "column.", "http.postbuffer", "gc.auto", "safe.directory"}

// gitPlain are the subcommands whose options are in gitArguments, and that run
// no command of their own arguments. What is not here may be an alias, which
// may be a command of the shell.
const gitPlain = ` add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-mailmap
 check-ref-format checkout cherry cherry-pick clean clone commit commit-graph commit-tree count-objects describe diff
 diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep hash-object help init log ls-files
 ls-remote ls-tree merge merge-base merge-file merge-tree mktag mktree multi-pack-index mv name-rev notes pack-refs prune
 pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert rm
 shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace switch symbolic-ref tag
 update-index update-ref var verify-commit verify-pack verify-tag version whatchanged worktree write-tree lfs
 bisect submodule config `

// gitNetwork are the subcommands that take an address of a repository.
const gitNetwork = " clone fetch pull push ls-remote remote submodule archive "

// gitArguments are the options of all subcommands that neither run a command
// nor write a file of the caller's choice. Values of options of one letter are
// in gitValues: which have one differs between subcommands.
const gitArguments optionTable = `-a -A -b -B -c -C -d -D -e -E -f -F -g -G -h -H -i -I -k -l -L -m -M -n -N -p -P -q -r -R -s -S -t -T -u -U? -v -V -w -W -x -X -y -z -0 -1 -2 -3 -4 -5
 -6 -7 -8 -9
 --abbrev-commit --abbrev-ref? --abbrev? --abort --absolute-git-dir --after= --aggressive --all --all-match --allow-empty --allow-empty-message
 --allow-unrelated-histories --amend --ancestry-path? --and --append --apply --atomic --attach? --author= --auto --autosquash --autostash --base=
 --basic-regexp --batch-size= --before= --binary --bisect --blob --bool --boundary --branch= --branches? --break-rewrites? --cached --cc --check
 --cherry --cherry-mark --cherry-pick --children --cleanup= --color-moved? --color-words? --color? --column? --combined --commit --committer=
 --compact-summary --contains= --continue --count --cover-letter --create-reflog --create= --ctime --cumulative --date-format= --date-order --date=
 --decorate-refs= --decorate? --deepen= --default= --delete --deleted --dense --depth= --detach --diff-algorithm= --diff-filter= --diff-merges=
 --directory --dirstat? --dirty? --discard-changes --dry-run --edit --empty= --encoding= --end-of-options --eol --error-unmatch --exact-match
 --exclude-first-parent-only --exclude-per-directory= --exclude-standard --exclude= --exit-code --expand-tabs? --extended-regexp --ff --ff-only --file=
 --files --files-with-matches --files-without-match --filter= --find-copies-harder --find-copies? --find-object= --find-renames? --first-parent
 --fixed-strings --fixup= --follow --follow-tags --force --force-create= --force-if-includes --force-rebase --force-with-lease? --fork-point --format?
 --full --full-diff --full-history --full-index --full-name --function-context --fuzzy --get --get-all --get-color= --get-regexp --get-url
 --git-common-dir --git-dir --git-format --git-path= --global --graph --grep= --group= --guess --hard --hash? --head --heading --heads --help
 --histogram --hunk-header-lines= --icase --ignore-all-space --ignore-blank-lines --ignore-case --ignore-cr-at-eol --ignore-errors
 --ignore-if-in-upstream --ignore-missing --ignore-other-worktrees --ignore-removal --ignore-space-at-eol --ignore-space-change --ignore-submodules?
 --ignored? --include-root-refs --include-untracked --incremental --indent-heuristic --index --init --initial-branch= --inline? --int --intent-to-add
 --inter-hunk-context= --invert-grep --is-ancestor --is-bare-repository --is-inside-git-dir --is-inside-work-tree --is-shallow-repository --keep
 --keep-base --keep-cr --keep-empty --keep-index --keep-redundant-commits --keep-subject --left-only --left-right --line-number --line-porcelain
 --line-prefix= --list --local --local-env-vars --locate --log-size --log? --long --ls-files --mailmap --mainline= --max-age= --max-count= --max-depth=
 --max-parents= --merge --merge-base --merged? --merges --message= --min-age= --min-parents= --minimal --mirror --mixed --modified --move --mtime
 --name-only --name-rev --name-status --name= --no-abbrev --no-abbrev-commit --no-all --no-autosquash --no-autostash --no-checkout --no-color
 --no-color-moved --no-column --no-commit --no-contains= --no-create-reflog --no-decorate --no-edit --no-expand-tabs --no-ext-diff --no-ff --no-follow
 --no-gpg-sign --no-guess --no-hardlinks --no-heading --no-ignore-case --no-ignore-removal --no-indent-heuristic --no-index --no-keep --no-keep-index
 --no-log --no-merged? --no-merges --no-notes --no-optional-locks --no-patch --no-post-rewrite --no-prefix --no-prune --no-rebase
 --no-recurse-submodules --no-reflog --no-reflogs --no-relative --no-rename-empty --no-renames --no-rerere-autoupdate --no-set-upstream
 --no-shallow-submodules --no-show-signature --no-signoff --no-single-branch --no-sparse --no-stat --no-status --no-tags --no-textconv --no-thin
 --no-track --no-tty --no-verify --no-walk? --non-matching --normalize --not --notes? --nul --null --numbered --numbered-files --numstat --object-only
 --objects --omit-empty --oneline --only --only-matching --onto= --or --origin= --orphan= --others --ours --overlay --parents --patch --patch-with-stat
 --path --path-format= --patience --perl-regexp --pickaxe-all --pickaxe-regex --point-at= --points-at= --porcelain? --prefix= --preserve-merges
 --pretty? --progress --prune --prune-tags --push-option= --quiet --quit --range-diff= --raw --rebase-merges? --rebase? --recurse-submodules?
 --recursive --reedit-message= --reference= --refresh --regexp-ignore-case --reject --relative-date --relative? --remote --remotes? --remove-empty
 --rename --rename-empty --renormalize --reroll-count= --reset-author --resolve-git-dir= --reuse-message= --reverse --rfc? --right-only --root
 --rotate-to= --scissors --separate --set-upstream --set-upstream-to= --shallow --shallow-exclude= --shallow-since= --shallow-submodules --shared?
 --short? --shortstat --show-cdup --show-current --show-email --show-function --show-linear-break? --show-name --show-names --show-notes? --show-number
 --show-object-format? --show-origin --show-prefix --show-pulls --show-ref-format --show-scope --show-signature --show-stash
 --show-superproject-working-tree --show-toplevel --show-trees --signature= --signed? --signoff --simplify-by-decoration --simplify-merges --since=
 --single-branch --size --skip --skip-to= --soft --sort= --source --sparse --squash= --stable --stage --staged --start-number= --stat-count=
 --stat-width= --stat? --state --stdin --strategy-option= --strategy= --subject-prefix= --submodule? --suffix= --summary --symbolic
 --symbolic-full-name --symref --tag --tagopt= --tags? --text --theirs --thin --thread? --threads= --to= --topo-order --track? --trailer= --tree
 --type= --unified= --unmerged --unpacked --unset-upstream --unshallow --unstable --until= --untracked-files? --update --update-head-ok --update-refs
 --update-shallow --verbose --verify --vimgrep --walk-reflogs --whitespace= --word-diff-regex= --word-diff? --word-regexp --worktree
 --ws-error-highlight= --zero-commit`

// gitValues are the options of one letter that take the next word, by
// subcommand.
var gitValues = map[string]optionTable{
	"commit": "-m: -F: -C: -c: -t:", "tag": "-m: -F: -u: -n?", "merge": "-m: -F: -s: -X:", "stash": "-m:", "notes": "-m: -F: -C: -c:",
	"log": "-n: -L: -S: -G: -O:", "show": "-n: -S: -G:", "rev-list": "-n:", "shortlog": "", "diff": "-S: -G: -l:", "grep": "-e: -A: -B: -C: -m:",
	"checkout": "-b: -B:", "switch": "-c: -C:", "clone": "-b: -o: -j:", "fetch": "-j: -o:", "push": "-o:", "rebase": "-s: -X:", "pull": "-s: -X: -j:", "revert": "-m: -X:", "cherry-pick": "-m: -X:",
	"worktree": "-b: -B:", "branch": "-u:", "clean": "-e:", "blame": "-L: -S:", "format-patch": "-v:", "describe": "", "ls-files": "-x:", "init": "-b:", "restore": "-s:", "reflog": "-n:", "am": "-C: -p:", "apply": "-C: -p:", "remote": "-t: -m:", "submodule": "-b: -j:", "bisect": "",
}

// gitRefused are options of one letter that are plain to most subcommands, but
// name a program in these: clone -u, rebase -x and the steps of rebase -i.
var gitRefused = map[string]string{"clone": " -u -c ", "ls-remote": " -u ", "rebase": " -x -i ", "am": " -i ", "grep": " -O "}

// git judges git: options before the subcommand, the subcommand, its options.
func (a *analyser) git(c call, s *scope) {
	p := gitOptions.parse(c.args(), leading)
	for _, o := range p.options {
		if o.tag == "config" && !isSafeGitConfig(o.value) {
			p.strange = append(p.strange, o.value)
		}
	}
	if len(p.strange) > 0 {
		a.strangeOptions(c, p)
		return
	}
	if _, ok := p.tagged("info"); ok || len(p.operands) == 0 {
		return
	}
	name, rest := p.operands[0], p.operands[1:]
	if !name.static() || !strings.Contains(gitWords, " "+name.Text+" ") {
		a.unknown(KindOption, "the git subcommand "+span(name.Text)+" is not known; it may be an alias that runs a command", c.text(), c.pos)
		return
	}
	switch name.Text {
	case "submodule":
		if i := gitWord(rest, "foreach"); i >= 0 {
			a.gitForeach(rest[i+1:], c, s)
			return
		}
	case "bisect":
		if i := gitWord(rest, "run"); i >= 0 {
			inner := s.under("git bisect run")
			inner.functions = nil
			inner.wrappers++
			a.wrapped(wrapper{}, false, call{words: rest[i+1:], pos: c.pos, by: byExec}, c, inner)
			return
		}
	case "config":
		a.gitConfig(rest, c)
		return
	}
	a.gitArguments(name.Text, rest, c)
}

// gitWords is gitPlain in one line.
var gitWords = strings.ReplaceAll(gitPlain, "\n", "")

// gitWord returns the index of the first operand, if it is the given word.
func gitWord(words []word, text string) int {
	for i, w := range words {
		if strings.HasPrefix(w.prefix, "-") {
			continue
		}
		if w.static() && w.Text == text {
			return i
		}
		return -1
	}
	return -1
}

// isSafeGitConfig says that a key, or key=value, only changes what is shown.
func isSafeGitConfig(w word) bool {
	key, _, _ := strings.Cut(strings.ToLower(w.prefix), "=")
	if !w.static() && !strings.Contains(w.prefix, "=") {
		return false
	}
	for _, safe := range safeGitConfig {
		if key == safe || strings.HasSuffix(safe, ".") && strings.HasPrefix(key, safe) && key != "color.pager" {
			return true
		}
	}
	return false
}

// gitForeach judges the command of git submodule foreach, which is a text for
// sh if it is one word.
func (a *analyser) gitForeach(words []word, c call, s *scope) {
	p := optionTable("-q --quiet --recursive").parse(words, leading)
	if len(p.strange) > 0 {
		a.strangeOptions(c, p)
		return
	}
	inner := s.under("git submodule foreach")
	inner.functions, inner.dir = nil, ""
	inner.wrappers++
	a.wrapped(wrapper{}, true, call{words: p.operands, pos: c.pos, by: byExec}, c, inner)
}

// gitConfig judges git config, which may set what is run later.
func (a *analyser) gitConfig(words []word, c call) {
	p := optionTable("-l!read -z --list!read --get!read --get-all!read --get-regexp!read --get-urlmatch!read --get-color!read --get-colorbool!read --show-origin --show-scope --name-only --null --type= --bool --int --bool-or-int --path --expiry-date --includes --no-includes --default= --global --system --local --worktree --unset!unset --unset-all!unset").parse(words, permuted)
	_, reads := p.tagged("read")
	operands := p.operands
	if len(operands) > 0 && operands[0].static() && contains(" get list unset ", operands[0].Text) {
		reads = true
	} else if len(operands) > 0 && operands[0].static() && operands[0].Text == "set" {
		operands = operands[1:]
	}
	switch {
	case len(p.strange) > 0:
		a.strangeOptions(c, p)
	case reads || len(operands) == 1 && operands[0].static() && strings.Contains(operands[0].Text, "."):
	case len(operands) > 0 && operands[0].static() && isSafeGitConfig(operands[0]):
	case len(operands) > 0:
		a.unknown(KindOption, "git config can set what git runs later", c.text(), c.pos)
	}
}

// gitArguments judges the words after a subcommand.
func (a *analyser) gitArguments(name string, words []word, c call) {
	// A letter that takes a value in this subcommand is found first.
	table := gitValues[name] + " " + gitArguments
	p := table.parse(words, permuted)
	var strange []word
	for _, o := range p.options {
		if contains(gitRefused[name], o.name) {
			strange = append(strange, known(o.name, c.pos))
		}
	}
	for _, w := range p.strange {
		// A word such as "- item" is no option of anything; -20 is a number.
		if !w.static() || !strings.HasPrefix(w.Text, "- ") && !number().MatchString(w.Text) {
			strange = append(strange, w)
		}
	}
	if len(strange) > 0 {
		a.strangeOptions(c, parsed{strange: strange})
	}
	if !contains(gitNetwork, name) {
		return
	}
	for _, w := range p.operands {
		if strings.Contains(w.Text, "::") {
			a.unknown(KindOption, "an address with :: makes git run a helper program: "+span(w.Text), c.text(), c.pos)
		}
	}
}
