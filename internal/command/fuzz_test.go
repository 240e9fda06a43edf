package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fuzzSeeds are texts of each kind of form.
var fuzzSeeds = []string{
	"ls -la | grep 'a b' > out 2>&1 &", "a=$(b `c`) d <(e) >(f) <<E\n$(g) ${h:-'$(i)'}\nE\n", "for ((i=0;i<$(a);i++)); do [[ $b -eq 1 ]] && ((c++)); done",
	"f() { local x=${1:-$2}; case $x in a|b) c;; esac; }; f | while read y; do eval \"$y\"; done", "sudo -u x env A=b timeout 5 sh -c 'xargs -I{} rm {}' _ $z",
	"find . -exec sh -c 'rm \"$1\"' _ {} \\; -o -delete", "git -c a=b log --grep='x' -- $y", "sed -e '1e rm' -e 's/[/]/x/w f'", "awk '/\"/ { print | \"rm\" }'", "tar xzf a -C b --to-command=x",
	"fd y ''; sort '' -k; env '' x", "{a,b{1..9},$(c)}{d,e}", "$'\\x72\\155' \"$'a'\"", "coproc x { a; }", "echo @(a|$(b)) !(c)", "declare -A a=([b]=c) d; export \"$e\" F=g", "trap 'a' 0; . ./b; alias c=d; unset -f e", "x[y]=1 <<<z", "a\\\nb #c\\\nd", "\r\n", "\x00", "\xff", "((((", "`\\`a\\``", "${x@P} ${!y} ${z:a:b} ${w/c/$(d)}",
}

// FuzzAnalyse looks for texts that panic, that change, that take too long for
// the fuzzer's own limit, or whose analysis breaks its promises.
func FuzzAnalyse(f *testing.F) {
	for _, seed := range fuzzSeeds {
		for _, shell := range []string{"bash", "dash", ""} {
			f.Add(seed, shell)
		}
	}
	f.Fuzz(func(t *testing.T, text, shell string) {
		in := Input{Text: text, HasText: true, Shell: shell, Dir: "/srv"}
		a := Analyse(in)
		checkAnalysis(t, a)
		if a.Refused == nil && a.Text != strings.ReplaceAll(text, "\r\n", "\n") {
			t.Errorf("the text to run is %q", a.Text)
		}
		if diff := cmp.Diff(a, Analyse(in)); diff != "" {
			t.Errorf("a second analysis differs:\n%s", diff)
		}
		checkAnalysis(t, Analyse(Input{Argv: append(strings.Fields("sudo env "+shell), text)}))
		checkAnalysis(t, Analyse(Input{Argv: append(strings.Split(text, " "), shell)}))
	})
}

// checkAnalysis checks what every analysis promises.
func checkAnalysis(t *testing.T, a *Analysis) {
	t.Helper()
	for _, c := range a.Commands {
		if len(c.Argv) == 0 || c.Dir != "" && c.Dir[0] != '/' {
			t.Errorf("command %+v has no name, or no absolute directory", c)
		}
		for _, w := range c.Argv {
			if w.Glob && !w.Known {
				t.Errorf("word %+v is a pattern that is not known", w)
			}
		}
	}
	for _, u := range a.Unknown {
		if u.Kind == "" || u.Reason == "" {
			t.Errorf("unknown %+v says nothing", u)
		}
	}
}

// BenchmarkAnalyse measures what a policy adds to each command.
func BenchmarkAnalyse(b *testing.B) {
	typical := "cd src && git status --short | grep -v '^??' | awk '{print $2}' | while read -r f; do\n\tsed -i 's/foo/bar/g' \"$f\" && echo \"done: $f\" >> log.txt\ndone; go test -count=1 ./... 2>&1 | tail -20"
	texts := map[string]string{"simple": "ls -la", "200B": typical, "4KiB": strings.Repeat(typical+"\n", 4096/len(typical))}
	for _, shell := range []string{"bash", "sh"} {
		for _, name := range []string{"simple", "200B", "4KiB"} {
			b.Run(shell+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(texts[name])))
				b.ReportAllocs()
				for b.Loop() {
					Analyse(Input{Text: texts[name], HasText: true, Shell: shell, Dir: "/srv"})
				}
			})
		}
	}
}
