package main

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"whelk/internal/mcptest"
)

func TestBO48OddVariablesArriveOrAreNamed(t *testing.T) {
	s := startServer(t)
	const command = `touch ran; env -0 | tr "\0" "|"`
	ran := filepath.Join(s.Dir, "ran")
	for name, c := range map[string]struct {
		env  any
		want string // "": refused
		says []string
	}{
		"two lines":         {env: Args{"NL": "two\nlines"}, want: "|NL=two\nlines|"},
		"number":            {env: Args{"N": 1}, want: "|N=1|"},
		"boolean":           {env: Args{"N": true}, want: "|N=true|"},
		"hyphen":            {env: Args{"B-C": "1"}, want: "|B-C=1|"},
		"empty value":       {env: Args{"E": ""}, want: "|E=|"},
		"equals in value":   {env: Args{"V": "a=b"}, want: "|V=a=b|"},
		"object as text":    {env: `{"T":"1"}`, want: "|T=1|"},
		"equals in name":    {env: Args{"A=B": "x"}, says: []string{"A=B", "="}},
		"empty name":        {env: Args{"": "x"}, says: []string{"empty name"}},
		"NUL in value":      {env: Args{"A": "b\x00c"}, says: []string{"env.A", "NUL"}},
		"NUL in name":       {env: Args{"A\x00B": "x"}, says: []string{`A\x00B`, "NUL"}},
		"too long":          {env: Args{"BIG": strings.Repeat("x", 140_000)}, says: []string{"env.BIG", "140004", "131072"}},
		"null":              {env: Args{"N": nil}, says: []string{"env.N", "null"}},
		"list":              {env: Args{"L": []int{1}}, says: []string{"env.L", "[1]"}},
		"list of variables": {env: []string{"A=1"}, says: []string{"env", "an object of strings"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.Execute(command, Args{"env": c.env, "shell": "bash"})
			_, err := os.Stat(ran)
			_ = os.Remove(ran)
			if c.want == "" {
				wantRefused(t, r, c.says...)
				if err == nil {
					t.Error("the command was started all the same")
				}
				return
			}
			if r.Status() != "completed" || !strings.Contains("|"+r.Stdout(), c.want) {
				t.Errorf("%#v", r)
			}
		})
	}
}

// wantRefused checks an error that says all of the words.
func wantRefused(t testing.TB, r *mcptest.Result, words ...string) {
	t.Helper()
	if !r.IsError || r.String("code") == "" || r.Has("execution_id") {
		t.Errorf("no error of its own: %#v", r)
	}
	for _, word := range words {
		if !strings.Contains(r.String("error"), word) {
			t.Errorf("the error does not say %q: %s", word, r.String("error"))
		}
	}
}

func TestBO49BareEnvironmentGetsAPathAndAHome(t *testing.T) {
	t.Parallel()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	o := mcptest.Options{Path: mcptest.Program(t), Bare: true}
	s := startWith(t, o)
	r := s.Execute(`echo "$PATH"; ls -d /; cd ~ && pwd`)
	lines := strings.Split(r.Stdout(), "\n")
	if r.Int("exit_code") != 0 || len(lines) != 4 || lines[1] != "/" {
		t.Fatalf("%#v", r)
	}
	for entry := range strings.SplitSeq(lines[0], ":") {
		if !strings.HasPrefix(entry, "/") {
			t.Errorf("PATH %q has the entry %q", lines[0], entry)
		}
	}
	if home, err := filepath.EvalSymlinks(me.HomeDir); err != nil || lines[2] != home {
		t.Errorf("home is %s, not %s (%v)", lines[2], home, err)
	}
}

func TestServersOwnVariablesReachNoCommand(t *testing.T) {
	t.Parallel()
	s := startWith(t, mcptest.Options{Env: []string{"WHELK_YIELD=20s", "WHELK_SECRET=x", "MCPGODEBUG=x=1", "THEIRS=1"}})
	r := s.Execute("env | grep -e WHELK_ -e MCPGODEBUG -e THEIRS")
	wantRun(t, r, "completed", 0, "THEIRS=1\n")
}

func TestVariablesOfTheCallWinOverTheOperators(t *testing.T) {
	t.Parallel()
	s := startWith(t, mcptest.Options{Env: []string{"A=server", "B=server", "C=server"}}, "--env-set", "B=operator", "--env-set", "C=operator")
	wantRun(t, s.Execute("echo $A $B $C", Args{"env": Args{"C": "caller"}}), "completed", 0, "server operator caller\n")
}
