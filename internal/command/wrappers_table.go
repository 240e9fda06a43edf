package command

// wrappers are the programs that run the command in their arguments.
var wrappers = map[string]wrapper{
	"env": {options: "-i -0 -v -u: -C:!dir -S:!split --ignore-environment --null --debug --unset= --chdir=!dir --split-string=!split --ignore-signal? --default-signal? --block-signal? --help!info --version!info", assigns: true},

	"nohup":      {options: "--help!info --version!info"},
	"nice":       {options: "-n: -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --adjustment= --help!info --version!info"},
	"timeout":    {options: "-f -s: -k: -v -p --foreground --preserve-status --signal= --kill-after= --verbose --help!info --version!info", operands: 1},
	"stdbuf":     {options: "-i: -o: -e: --input= --output= --error= --help!info --version!info"},
	"setsid":     {options: "-c -f -w --ctty --fork --wait --help!info --version!info"},
	"ionice":     {options: "-c: -n: -t -p:!info -P: -u: --class= --classdata= --ignore --help!info --version!info"},
	"taskset":    {options: "-a -c --all-tasks --cpu-list -p!info --pid!info --help!info --version!info", operands: 1},
	"chrt":       {options: "-a -b -f -i -o -r -d -R -v -T: -P: -D: -p!info -m!info --other --batch --idle --fifo --rr --deadline --verbose --max!info --pid!info --help!info --version!info", optional: priorities},
	"choom":      {options: "-n: --adjust= -p:!info --pid=!info --help!info --version!info"},
	"prlimit":    {options: "-o: -p:!info --pid=!info --noheadings --raw --verbose --output= -c? -d? -e? -f? -i? -l? -m? -n? -q? -r? -s? -t? -u? -v? -x? -y? --core? --data? --nice? --fsize? --sigpending? --memlock? --rss? --nofile? --msgqueue? --rtprio? --stack? --cpu? --nproc? --as? --locks? --rttime? --help!info --version!info"},
	"setarch":    {options: "-B -F -I -L -R -S -T -X -Z -3 -v --32bit --fdpic-funcptrs --short-inode --addr-compat-layout --addr-no-randomize --whole-seconds --sticky-timeouts --read-implies-exec --mmap-page-zero --3gb --verbose --list!info --help!info --version!info", optional: architectures, bare: bareShell},
	"linux32":    {options: "-R -B -v", bare: bareShell},
	"linux64":    {options: "-R -B -v", bare: bareShell},
	"i386":       {options: "-R -B -v", bare: bareShell},
	"x86_64":     {options: "-R -B -v", bare: bareShell},
	"uname26":    {options: "-R -B -v", bare: bareShell},
	"unshare":    {options: "-m -u -i -n -p -f -r -c -U -C -T --mount --uts --ipc --net --pid --fork --map-root-user --map-current-user --user --cgroup --time --kill-child? --help!info --version!info", bare: bareShell, elsewhere: true},
	"nsenter":    {options: "-a -t: -m? -u? -i? -n? -p? -C? -U? -F --all --target= --mount? --uts? --ipc? --net? --pid? --user? --cgroup? --no-fork --help!info --version!info", bare: bareShell, elsewhere: true},
	"setpriv":    {options: "-d!info --dump!info --clear-groups --keep-groups --init-groups --reuid= --regid= --ruid= --euid= --rgid= --egid= --groups= --no-new-privs --nnp --inh-caps= --ambient-caps= --bounding-set= --pdeathsig= --reset-env --help!info --version!info"},
	"capsh":      {bare: bareShell},
	"chroot":     {options: "--userspec= --groups= --skip-chdir --help!info --version!info", operands: 1, bare: bareShell, elsewhere: true},
	"cpulimit":   {options: "-l: -c: -i -f -z -v -q -m -p:!info -e:!info --limit= --foreground --include-children --monitor-forks"},
	"numactl":    {options: "-i: -N: -C: -m: -p: -l -H!info -s!info --interleave= --cpunodebind= --physcpubind= --membind= --preferred= --localalloc --hardware!info --show!info --all --balancing"},
	"softlimit":  {options: "-a: -c: -d: -f: -l: -m: -o: -p: -r: -s: -t:"},
	"faketime":   {options: "-m -f --exclude-monotonic --help!info --version!info", operands: 1},
	"time":       {options: "-p -v -a -q -f: -o:!write --portability --verbose --append --quiet --format= --output=!write --help!info --version!info"},
	"strace":     {options: "-c -C -f -ff -F -h!info -i -k -n -N -q -r -t -T -v -V!info -w -x -X: -y -Y -Z -z -a: -b: -e: -E:!assign -I: -o:!write -O: -p: -P: -s: -S: -u: -U: --follow-forks --output=!write --trace= --string-limit= --summary --summary-only --env=!assign --quiet? --timestamps? --syscall-times? --help!info --version!info"},
	"ltrace":     {options: "-c -C -f -i -L -r -S -t -T -V!info -h!info -a: -A: -e: -l: -n: -o:!write -p: -s: -u: -x: -w:"},
	"catchsegv":  {},
	"fakeroot":   {options: "-u --unknown-is-real --help!info --version!info -h!info -v!info", bare: bareShell},
	"valgrind":   {options: "-q -v --quiet --verbose --tool= --leak-check= --show-leak-kinds= --track-origins= --error-exitcode= --num-callers= --suppressions= --trace-children= --help!info --version!info"},
	"eatmydata":  {},
	"unbuffer":   {options: "-p"},
	"caffeinate": {options: "-d -i -m -s -u -t: -w:"},
	"dumb-init":  {options: "-c -v -r: --single-child --verbose --rewrite= --help!info --version!info"},
	"tini":       {options: "-s -v -w -g -l!info -p: -e: -h!info --version!info"},
	"gosu":       {operands: 1}, "su-exec": {operands: 1}, "setuidgid": {operands: 1},
	"chpst":    {options: "-u: -U: -b: -n: -l: -L: -m: -d: -o: -p: -f: -c: -t: -r: -v -P -0 -1 -2"},
	"torsocks": {options: "-i -q -d --isolate --quiet --debug"},
	"setlock":  {options: "-n -N -x -X", operands: 1},
	"logsave":  {options: "-a -s -v", operands: 1},
	"chronic":  {options: "-v -e"},

	"pkexec":           {options: "--user= --disable-internal-agent --keep-cwd --help!info --version!info"},
	"dbus-run-session": {options: "--help!info --version!info"},
	"xvfb-run":         {options: "-a -l -n: --auto-servernum --server-num= --listen-tcp --help!info"},
	"systemd-run":      {options: "--user --system --scope --pty --pipe --wait --quiet --collect --no-block --no-ask-password --same-dir --remain-after-exit --unit= --description= --slice= --uid= --gid= --nice= -d -P -q -t -G -u: -r --help!info --version!info"},
	"systemd-inhibit":  {options: "--what= --who= --why= --mode= --no-ask-password --list!info --help!info --version!info"},
	"ssh-agent":        {options: "-c!info -s!info -k!info -D!info -d!info -t: -E:"},
	"cgexec":           {options: "-g: --sticky"},
	"runcon":           {options: "-c -t: -u: -r: -l: --compute --type= --user= --role= --range= --help!info --version!info", operands: 1},
	"hyperfine":        {joins: true, options: "-w: -m: -M: -r: -N!exec -i --warmup= --runs= --min-runs= --max-runs= --ignore-failure --help!info --version!info"},
	"entr":             {options: "-a -c -d -n -p -r -s!words -x -z"},
	"firejail":         {}, "bwrap": {}, "sshpass": {options: "-e -p: -v -V!info -h!info"},
	"watch":  {options: "-b -c -C -d? -e -g -p -t -w -n: -q: -r -x!exec -h!info -v!info --beep --color --no-color --differences? --errexit --chgexit --interval= --equexit= --precise --no-rerun --no-title --no-wrap --exec!exec --help!info --version!info", joins: true},
	"script": {options: "-a -e -f -q -t? -c:!script --append --return --flush --quiet --force --command=!script -h!info -V!info --help!info --version!info", bare: bareShell, special: scriptForm},

	"sudo":    {options: "-A -b -E -H -k -K!info -n -P -S -B -N -l!info -v!info -V!info -h!info -i!words -s!words -u: -g: -p: -C: -T: -U: -r: -t: -D:!dir -R:!elsewhere --askpass --background --preserve-env? --set-home --login!words --non-interactive --preserve-groups --stdin --shell!words --user= --group= --prompt= --close-from= --command-timeout= --chdir=!dir --chroot=!elsewhere --reset-timestamp --remove-timestamp!info --list!info --validate!info --version!info --help!info", assigns: true, bare: bareShell},
	"doas":    {options: "-n -u: -L!info -s!words", bare: bareShell},
	"su":      {options: "-l -m -p -f -P -c:!script -s: -g: -G: -w: --login --preserve-environment --pty --fast --command=!script --session-command=!script --shell= --group= --supp-group= --whitelist-environment= -h!info -V!info --help!info --version!info", bare: bareShell, special: userForm},
	"runuser": {options: "-l -m -p -f -P -c:!script -s: -g: -G: -w: -u: --user= --login --preserve-environment --pty --fast --command=!script --session-command=!script --shell= --group= --supp-group= --whitelist-environment= -h!info -V!info --help!info --version!info", bare: bareShell, special: userForm},
	"sg":      {options: "-c:!script", operands: 1, bare: bareShell, joins: true},
	"newgrp":  {operands: 1, bare: bareShell, joins: true},

	"find":     {special: findForm},
	"xargs":    {special: xargsForm, options: "-0 -o -p -r -t -x -a: -d: -e? -E: -i? -I: -l? -L: -n: -P: -s: --null --open-tty --interactive --no-run-if-empty --verbose --exit --arg-file= --delimiter= --eof? --replace? --max-lines? --max-args= --max-procs= --max-chars= --process-slot-var= --show-limits --help!info --version!info"},
	"parallel": {special: parallelForm, options: "-j: -P: -n: -N: -L: -k -q -u -t -v -X -m -0 -r -I: -C: -d: -a: --jobs= --max-procs= --max-args= --max-replace-args= --keep-order --quote --ungroup --group --linebuffer --lb --line-buffer --dry-run --dryrun --verbose --null --no-run-if-empty --bar --progress --eta --halt= --halt-on-error= --delay= --timeout= --retries= --load= --memfree= --colsep= --delimiter= --arg-file= --will-cite --tag --nice= --xargs --shuf --citation!info --help!info --version!info"},
	"flock":    {special: flockForm, options: "-e -x -s -u -n -o -F -w: -E: --exclusive --shared --unlock --nonblock --nb --close --no-fork --verbose --wait= --timeout= --conflict-exit-code= -h!info -V!info --help!info --version!info"},

	"start-stop-daemon": {special: daemonForm, options: "-S -K!info -T!info -H!info -V!info -x:!program -a:!program -b -m -p: -n: -u: -c: -g: -s: -d: -o -q -t -v -N: -P: -I: -k: -R: -C --start --stop!info --status!info --exec=!program --startas=!program --background --make-pidfile --remove-pidfile --pidfile= --name= --user= --chuid= --group= --signal= --chdir= --oknodo --quiet --test --verbose --nicelevel= --umask= --retry= --no-close --help!info --version!info"},

	"busybox": {options: "--list!info --list-full!info --help!info"},
	"toybox":  {options: "--long!info --help!info --version!info"},
	"ld.so":   {options: "--list!info --verify!info --inhibit-cache --argv0= --help!info --version!info"},
}

// architectures are the first words of setarch that name one.
const architectures = " x86_64 i386 i486 i586 i686 athlon linux32 linux64 uname26 aarch64 arm armv7l armv8l arm64 ppc ppc32 ppc64 ppc64le s390 s390x mips mips64 sparc sparc64 riscv32 riscv64 loongarch64 "

// priorities are the first words of chrt that are one; it may be left out.
const priorities = " 0 1 2 3 4 5 6 7 8 9 10 15 20 25 30 40 50 60 70 80 90 99 "
