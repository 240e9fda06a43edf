package command

// containerOptions are options of docker run and its like that give the
// container nothing of the host.
const containerOptions optionTable = "-d -i -t -q --detach --interactive --tty --rm --init --quiet --read-only --no-healthcheck -e:!assign -h: -l: -m: -p: -P -u: -w: --env=!assign --name= --hostname= --label= --memory= --cpus= --publish= --publish-all --user= --workdir= --platform= --pull= --restart= --stop-timeout= --shm-size= --log-driver= --cpu-shares="

// npmOptions are options of npm, yarn and pnpm that choose what is installed
// or shown. Any setting is an option to npm, script-shell among them.
const npmOptions optionTable = "-D -E -O -P -S -B -g -f -s -d -q -y -w: -r -F: -h -v -a -l -p --save --save-dev --save-exact --save-optional --save-peer --save-prod --no-save --dev --exact --global --omit= --include= --only= --prod --production --frozen-lockfile --no-frozen-lockfile --immutable --no-lockfile --package-lock-only --no-package-lock --legacy-peer-deps --force --silent --quiet --verbose --json --long --parseable --depth= --all --dry-run --ignore-scripts --if-present --workspace= --workspaces --filter= --recursive --parallel --stream --prefer-offline --offline --no-audit --no-fund --no-progress --audit-level= --yes --loglevel= --tag= --access= --otp= --message= --prefix= --color? --no-color --help --version --latest --fix"

// suites are the programs of subcommands that can run others.
var suites = map[string]suite{
	"npx":    {direct: true, options: "-y -q --yes --no --no-install --quiet -p: --package= --help!info --version!info"},
	"bunx":   {direct: true, options: "--bun"},
	"pnpx":   {direct: true, options: ""},
	"uvx":    {direct: true, options: "-q -v --from= --with= -p: --python="},
	"npm":    {options: npmOptions, args: npmOptions, refused: " config set init create innit pkg set-script explore edit ", runners: map[string]wrapper{"exec": {options: "-y -w: --yes --no --package= --workspace="}, "x": {options: "-y -w: --yes --no --package= --workspace="}}},
	"pnpm":   {options: npmOptions, args: npmOptions, refused: " config c create init ", runners: map[string]wrapper{"exec": {options: "-r --recursive --parallel"}, "dlx": {options: "--package= --silent"}}},
	"yarn":   {options: npmOptions, args: npmOptions, refused: " config create init plugin policies ", runners: map[string]wrapper{"exec": {}, "dlx": {options: "-q -p: --package= --quiet"}, "node": {}}},
	"bun":    {options: "-v --version -h --help", refused: " create repl ", runners: map[string]wrapper{"x": {options: "--bun"}, "exec": {joins: true}}},
	"bundle": {options: "", refused: " config console plugin gem open ", runners: map[string]wrapper{"exec": {options: "--keep-file-descriptors"}}},
	"poetry": {options: "-n -q -v -V --no-interaction --quiet --ansi --no-ansi --version", refused: " config shell self ", runners: map[string]wrapper{"run": {}}},
	"pipenv": {options: "--version --where --venv", refused: " shell open ", runners: map[string]wrapper{"run": {}}},
	"uv":     {options: "-q -v --quiet --verbose --offline --version", refused: " self ", runners: map[string]wrapper{"run": {options: "-q -v -p: -m --frozen --locked --isolated --no-project --no-sync --with= --extra= --group= --python="}}},
	"rye":    {refused: " self shell config tool tools ", runners: map[string]wrapper{"run": {}}},
	"hatch":  {refused: " shell config self ", runners: map[string]wrapper{"run": {joins: true}}},
	"pipx":   {refused: " runpip inject ", runners: map[string]wrapper{"run": {options: "--spec="}}},
	"conda":  {options: "-h -V --help --version", refused: " config init activate deactivate ", runners: map[string]wrapper{"run": {options: "-n: -p: -v --name= --prefix= --no-capture-output --live-stream"}}},
	"mamba":  {refused: " config init shell activate ", runners: map[string]wrapper{"run": {options: "-n: -p: --name= --prefix="}}},
	"direnv": {refused: " allow edit hook stdlib reload grant permit ", runners: map[string]wrapper{"exec": {operands: 1, elsewhere: true}}},
	"asdf":   {refused: " plugin plugin-add shell ", runners: map[string]wrapper{"exec": {}, "env": {operands: 1}}},
	"mise":   {refused: " run r trust activate shell plugins watch tasks x ", runners: map[string]wrapper{}},
	"rbenv":  {refused: " init shell ", runners: map[string]wrapper{"exec": {}}},
	"pyenv":  {refused: " init shell ", runners: map[string]wrapper{"exec": {}}},
	"deno":   {options: "-q --quiet --version --help", refused: " eval repl install upgrade compile jupyter "},
	"rustup": {refused: " self ", runners: map[string]wrapper{"run": {options: "--install", operands: 1}}},
	"docker": {options: "-D --debug -l: --log-level= -v --version --help", refused: " context plugin swarm service stack ", runners: map[string]wrapper{
		"run": {options: containerOptions, operands: 1, elsewhere: true}, "create": {options: containerOptions, operands: 1, elsewhere: true},
		"exec": {options: "-d -i -t -e:!assign -u: -w: --detach --interactive --tty --env=!assign --user= --workdir=", operands: 1, elsewhere: true},
	}},
	"kubectl": {options: "-n: --namespace= --context=", refused: " config plugin proxy debug edit cp run attach ", runners: map[string]wrapper{"exec": {options: "-i -t -q -n: -c: --stdin --tty --namespace= --container=", operands: 1, elsewhere: true}}},
	"ip":      {options: "-4 -6 -s -d -j -p -o -c -br -V -h -a --brief --json --details --stats --oneline --color --pretty", refused: " -b -batch -force netns net vrf "},
	"perf": {options: "--version --help", runners: map[string]wrapper{
		"stat": {options: "-a -B -d -i -n -v -e: -r: -x: -I: --event= --repeat= --detailed --all-cpus"}, "record": {options: "-a -b -d -g -q -v -e: -F: -c: -o:!write --event= --freq= --call-graph= --output=!write"}, "trace": {options: "-a -e: -s"}, "bench": {},
	}},
	"nix":        {refused: " run shell develop eval repl build profile bundle flake fmt ", options: "--version --help"},
	"nix-shell":  {refused: " ", options: "--version!info", direct: true},
	"guix":       {refused: " shell environment repl time-machine container ", options: "--version --help"},
	"flatpak":    {refused: " run enter build override ", options: "--version --help"},
	"snap":       {refused: " run ", options: "--version --help"},
	"machinectl": {refused: " shell login bind copy-to ", options: "--version --help --no-pager"},
	"pip":        {options: "-q -v --quiet --verbose --version --help --no-input --disable-pip-version-check", refused: " config "},
	"cargo":      {options: "-q -v -V --quiet --verbose --version --list --locked --offline --frozen --color= --help", refused: " ", args: ""},
	"gh":         {options: "--version --help", refused: " alias extension config codespace ext cs "},
	"svn":        {options: "-q --quiet --version --help --non-interactive", args: "-r: -m: -q -v -N -R -u -x: -l: -c: -F: --revision= --message= --quiet --verbose --force --non-interactive --depth= --limit= --username= --recursive --stop-on-copy --xml --no-ignore --summarize --show-item= --diff --stat"},
	"hg":         {options: "-q -v -y -R: --quiet --verbose --noninteractive --repository= --cwd= --pager= --version --help", args: "-r: -m: -l: -u: -d: -A -a -b: -B: -c: -f -g -n -p -q -v -w -B -S -X: -I: --rev= --message= --limit= --user= --date= --addremove --amend --all --branch= --change= --force --git --graph --patch --stat --template= --quiet --verbose --noninteractive --style="},
}
