package policy

import (
	"strings"
	"sync"
)

// program is what must be known of a program's command line to find its
// sub-command and its options. The zero value is a program nothing is known
// of: its unknown options are read both ways, with a value and without.
type program struct {
	// values and flags are the options before the sub-command, those that
	// take the next word and those that do not.
	values, flags []string
	// same maps other spellings of a sub-command to the usual one.
	same map[string]string
	// groups are words that may stand before a sub-command and change
	// nothing ("docker container run").
	groups []string
	// long maps short options, of the program or of "program sub", to the
	// long ones of the same meaning.
	long map[byte]string
	// valued holds the short options that take a value: in a cluster, what
	// follows one of them is no option.
	valued string
	// operands maps long options to what an operand begins with that has the
	// same meaning (git push origin +main).
	operands map[string]string
	// wholeWords says that an option of one dash is one name ("-exec"), not
	// a cluster of letters.
	wholeWords bool
}

func fields(text string) []string { return strings.Fields(text) }

// programs returns what is known, by name, or by name and sub-command for
// options. It is built once and never written again.
var programs = sync.OnceValue(func() map[string]program {
	table := map[string]program{
		"git": {
			values: fields("-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source"),
			flags: fields(`-p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs
				--glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch
				--no-advice --exec-path --html-path --man-path --info-path --version --help -v -h`),
		},
		"docker": {
			values: fields("-H --host --config -c --context -l --log-level --tlscacert --tlscert --tlskey"),
			flags:  fields("-D --debug --tls --tlsverify"),
			groups: fields("container image"),
			same:   map[string]string{"remove": "rm"},
		},
		"podman": {
			values: fields("-c --connection --url --identity --root --runroot --storage-driver --log-level"),
			flags:  fields("-r --remote"),
			groups: fields("container image"),
		},
		"kubectl": {
			values: fields(`-n --namespace --context --kubeconfig --cluster --user -s --server --token --as
				--as-group --certificate-authority --client-certificate --client-key --request-timeout -v --v`),
		},
		"helm": {values: fields("-n --namespace --kube-context --kubeconfig --registry-config --repository-config")},
		"npm": {
			values: fields("--prefix -C -w --workspace --loglevel --registry --userconfig --cache"),
			flags:  fields("-g --global -s --silent -q --quiet --yes -y --workspaces --offline"),
			same: map[string]string{
				"i": "install", "in": "install", "ins": "install", "inst": "install", "insta": "install",
				"instal": "install", "isnt": "install", "isnta": "install", "isntal": "install", "add": "install",
				"un": "uninstall", "unlink": "uninstall", "remove": "uninstall", "rm": "uninstall", "r": "uninstall",
				"run-script": "run", "rum": "run", "urn": "run", "t": "test", "tst": "test",
				"up": "update", "upgrade": "update", "udpate": "update", "x": "exec", "create": "init", "innit": "init",
				"clean-install": "ci", "ic": "ci", "c": "config",
			},
		},
		"pnpm": {
			values: fields("-C --dir -F --filter --loglevel"), flags: fields("-r --recursive -w --workspace-root -s --silent"),
			same: map[string]string{"i": "install", "rm": "remove", "un": "remove", "uninstall": "remove", "up": "update", "run-script": "run"},
		},
		"yarn": {values: fields("--cwd --mutex --cache-folder"), flags: fields("-s --silent --offline --frozen-lockfile")},
		"cargo": {
			values: fields("--color --config -Z -C"), flags: fields("-v --verbose -q --quiet --offline --locked --frozen"),
			same: map[string]string{"b": "build", "c": "check", "d": "doc", "r": "run", "t": "test", "rm": "remove"},
		},
		"go":           {values: fields("-C"), wholeWords: true},
		"systemctl":    {values: fields("-H --host -M --machine -t --type -p --property -n --lines -o --output -s --signal --root"), flags: fields("--user --system --global -q --quiet --no-pager --no-block --now -f --force -a --all --runtime --wait")},
		"service":      {},
		"apt":          {values: fields("-o -c -t --option --config-file --target-release"), flags: fields("-y -q -qq -s --yes --quiet --simulate")},
		"apt-get":      {values: fields("-o -c -t --option --config-file --target-release"), flags: fields("-y -q -qq -s --yes --quiet --simulate")},
		"dnf":          {values: fields("-c --config --releasever --installroot --repo"), flags: fields("-y -q --assumeyes --quiet")},
		"pip":          {values: fields("--python --log --proxy --timeout --cache-dir --retries"), flags: fields("-q -v --quiet --verbose --isolated --no-input --no-cache-dir --disable-pip-version-check")},
		"uv":           {values: fields("--directory --project --config-file --cache-dir --python -p --color"), flags: fields("-q -v --quiet --verbose --offline --no-cache")},
		"gh":           {values: fields("-R --repo --hostname")},
		"aws":          {values: fields("--profile --region --output --endpoint-url --query --ca-bundle --color --cli-connect-timeout --cli-read-timeout")},
		"gcloud":       {values: fields("--project --account --configuration --format --verbosity"), flags: fields("-q --quiet")},
		"terraform":    {wholeWords: true},
		"ip":           {values: fields("-n -netns -family"), flags: fields("-4 -6 -br -brief -j -json -p -o -s -d -a -all -c -color"), wholeWords: true, same: map[string]string{"a": "address", "addr": "address", "l": "link", "r": "route", "ro": "route", "n": "neighbour", "neigh": "neighbour"}},
		"find":         {wholeWords: true},
		"java":         {wholeWords: true},
		"openssl":      {wholeWords: true},
		"hg":           {values: fields("-R --repository --cwd --config"), flags: fields("-q -v -y --quiet --verbose --noninteractive")},
		"dotnet":       {flags: fields("-d --diagnostics")},
		"rm":           {long: map[byte]string{'r': "recursive", 'R': "recursive", 'f': "force", 'd': "dir", 'i': "interactive", 'v': "verbose"}},
		"cp":           {long: map[byte]string{'r': "recursive", 'R': "recursive", 'f': "force", 'a': "archive", 't': "target-directory"}, valued: "tS"},
		"mv":           {long: map[byte]string{'f': "force", 't': "target-directory"}, valued: "tS"},
		"ln":           {long: map[byte]string{'s': "symbolic", 'f': "force", 't': "target-directory"}, valued: "tS"},
		"install":      {valued: "tSmog", long: map[byte]string{'t': "target-directory"}},
		"chmod":        {long: map[byte]string{'R': "recursive"}},
		"chown":        {long: map[byte]string{'R': "recursive"}},
		"chgrp":        {long: map[byte]string{'R': "recursive"}},
		"sed":          {long: map[byte]string{'i': "in-place", 'e': "expression", 'f': "file", 'n': "quiet"}, valued: "efil"},
		"sort":         {long: map[byte]string{'o': "output", 'T': "temporary-directory", 'S': "buffer-size", 'k': "key", 't': "field-separator"}, valued: "okStT"},
		"tar":          {long: map[byte]string{'x': "extract", 'c': "create", 'f': "file", 't': "list", 'C': "directory", 'I': "use-compress-program", 'F': "info-script"}, valued: "fCIFTXbgHKLNV"},
		"curl":         {long: map[byte]string{'o': "output", 'O': "remote-name", 'k': "insecure", 'X': "request", 'd': "data", 'T': "upload-file", 'F': "form", 'H': "header", 'K': "config"}, valued: "oXdTFHKAbcuexmwCDEPQrtUyYz"},
		"wget":         {long: map[byte]string{'O': "output-document", 'P': "directory-prefix", 'o': "output-file", 'a': "append-output", 'r': "recursive"}, valued: "OPoaTtUeiQwlADRIX"},
		"grep":         {long: map[byte]string{'r': "recursive", 'f': "file", 'e': "regexp"}, valued: "efmABCdD"},
		"awk":          {long: map[byte]string{'f': "file", 'e': "source", 'i': "include", 'l': "load", 'v': "assign", 'F': "field-separator"}, valued: "fvFeil"},
		"date":         {long: map[byte]string{'s': "set", 'f': "file", 'd': "date", 'r': "reference"}, valued: "sdfr"},
		"truncate":     {long: map[byte]string{'s': "size", 'r': "reference"}, valued: "sr"},
		"split":        {long: map[byte]string{'b': "bytes", 'l': "lines", 'n': "number"}, valued: "abClnt"},
		"unzip":        {valued: "dx"},
		"git push":     {long: map[byte]string{'f': "force", 'd': "delete", 'n': "dry-run"}, valued: "o", operands: map[string]string{"force": "+", "delete": ":"}},
		"git clean":    {long: map[byte]string{'f': "force", 'n': "dry-run"}, valued: "e"},
		"git branch":   {long: map[byte]string{'f': "force", 'd': "delete", 'm': "move"}, valued: "u"},
		"git checkout": {long: map[byte]string{'f': "force"}, valued: "bB"},
		"git switch":   {long: map[byte]string{'f': "force", 'C': "force-create"}, valued: "cC"},
		"git tag":      {long: map[byte]string{'f': "force", 'd': "delete"}, valued: "mFu"},
		"git commit":   {long: map[byte]string{'n': "no-verify", 'm': "message", 'a': "all"}, valued: "mFcCt"},
		"git config":   {long: map[byte]string{'f': "file"}, valued: "f"},
		"git worktree": {long: map[byte]string{'f': "force"}},
		"docker rm":    {long: map[byte]string{'f': "force", 'v': "volumes"}},
		"docker run":   {long: map[byte]string{'v': "volume", 'p': "publish", 'u': "user", 'w': "workdir", 'e': "env"}, valued: "vpuwehlam"},
		"docker push":  {long: map[byte]string{'a': "all-tags"}},
		"npm install":  {long: map[byte]string{'g': "global"}},
		"cargo run":    {},
	}
	table["sudo"] = program{valued: "ugprtTCDhRU", long: map[byte]string{'u': "user", 'g': "group", 'i': "login", 's': "shell"}}
	return table
})

// programOf returns what is known of a program, and of its sub-command's
// options if there is one.
func programOf(name string, words []string) (p, options program) {
	all := programs()
	p = all[name]
	options = p
	if len(words) > 0 {
		if sub, ok := all[name+" "+words[0]]; ok {
			options = sub
			options.wholeWords = p.wholeWords
		}
	}
	return p, options
}
