package seeds

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// readTabShell reads a command line in which FILE stands for a file of that text.
func readTabShell(t *testing.T, file string, args ...string) (TabShell, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	args = slices.Clone(args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "FILE", path)
	}
	return ReadTabShell(args, []string{"SHELL=/bin/sh"})
}

func TestTabShellSettings(t *testing.T) {
	standard := func(change func(*TabShell)) TabShell {
		s := TabShell{
			Shell: "/bin/sh", Timeout: 30 * time.Second, MaxOutput: 50000, Truncate: "tail", Keepalive: 5 * time.Second,
			TimeToLive: time.Hour, Transport: "stdio", Host: "127.0.0.1", Port: 8000,
			Env: []string{"CI=true", "DEBIAN_FRONTEND=noninteractive", "GIT_TERMINAL_PROMPT=0"},
		}
		if change != nil {
			change(&s)
		}
		return s
	}
	config := []string{"--config", "FILE"}
	for _, c := range []struct {
		name string
		file string
		args []string
		want TabShell
	}{
		{"the defaults", "", nil, standard(nil)},
		{"an empty file", "", config, standard(nil)},
		{"a file of comments", "# nothing\n", config, standard(nil)},
		{
			"every key", `
shell: /bin/bash
default_timeout: 2.5
max_output_length: 100
output_truncation_mode: head
keepalive_interval: 1
completed_task_ttl: 0
blacklist: [rm, "dd"]
whitelist:
  - ls
transport: streamable-http
host: 0.0.0.0
port: 9000
non_interactive_env:
  B: "1"
  A: x
`, config,
			TabShell{
				Shell: "/bin/bash", Timeout: 2500 * time.Millisecond, MaxOutput: 100, Truncate: "head", Keepalive: time.Second,
				Blacklist: []string{"rm", "dd"}, Whitelist: []string{"ls"}, Transport: "streamable-http", Host: "0.0.0.0", Port: 9000,
				Env: []string{"A=x", "B=1"},
			},
		},
		{
			"every flag", "", strings.Fields("--shell /bin/bash --timeout 2.5 --max-output-length 100 --output-truncation-mode head --completed-task-ttl 9" +
				" --blacklist rm,dd --whitelist ls --transport streamable-http --host 0.0.0.0 --port=9000"),
			standard(func(s *TabShell) {
				s.Shell, s.Timeout, s.MaxOutput, s.Truncate, s.TimeToLive = "/bin/bash", 2500*time.Millisecond, 100, "head", 9*time.Second
				s.Blacklist, s.Whitelist, s.Transport, s.Host, s.Port = []string{"rm", "dd"}, []string{"ls"}, "streamable-http", "0.0.0.0", 9000
			}),
		},
		{
			"flags win over the file", "default_timeout: 1\nblacklist: [rm]\nmax_output_length: 7\n",
			[]string{"--timeout", "5", "--config", "FILE", "--blacklist", "ls"},
			standard(func(s *TabShell) { s.Timeout, s.Blacklist, s.MaxOutput = 5*time.Second, []string{"ls"}, 7 }),
		},
		{
			"an empty flag wins over the file", "blacklist: [rm]\nshell: /bin/bash\n",
			[]string{"--config", "FILE", "--blacklist", "", "--shell", ""},
			standard(func(s *TabShell) { s.Blacklist = []string{""} }),
		},
		{"the last flag counts", "", []string{"--port", "1", "--port", "2"}, standard(func(s *TabShell) { s.Port = 2 })},
		{
			"negative numbers", "default_timeout: -1\n",
			[]string{"--config", "FILE", "--max-output-length", "-5", "--completed-task-ttl", "-1"},
			standard(func(s *TabShell) { s.Timeout, s.MaxOutput, s.TimeToLive = -time.Second, -5, -time.Second }),
		},
		{
			"numbers without an end", "default_timeout: .inf\n",
			[]string{"--config", "FILE", "--completed-task-ttl", "inf"},
			standard(func(s *TabShell) { s.Timeout, s.TimeToLive = Forever, Forever }),
		},
		{
			"words that look like booleans to others", "blacklist: [yes, off]\nnon_interactive_env: {}\n", config,
			standard(func(s *TabShell) { s.Blacklist, s.Env = []string{"yes", "off"}, []string{} }),
		},
		{"no values", "blacklist: null\nnon_interactive_env: null\nport: ~\ntransport:\n", config, standard(nil)},
		{"an empty shell is the one of the environment", "shell: \"\"\n", config, standard(nil)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readTabShell(t, c.file, c.args...)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestTabShellLeavesOutAKeyThatMeansNothing(t *testing.T) {
	got, err := readTabShell(t, "bogus: 1\nblacklist: [rm]\n", "--config", "FILE")
	if err != nil || len(got.Blacklist) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], ":1: there is no key bogus; it has shell, default_timeout") {
		t.Errorf("the warnings are %q", got.Warnings)
	}
}

// T6 and T8: a value that the seed would drop, or that would break every call.
func TestTabShellFilesWithFaultsAreRefused(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"a text for a list", "blacklist: rm\n", ":1: blacklist takes a list of names"},
		{"a text with commas for a list", "\nwhitelist: ls,rm\n", ":2: whitelist takes a list of names"},
		{"a number in a list", "blacklist: [rm, 7]\n", ":1: blacklist takes a list of names"},
		{"a word for a number", "default_timeout: abc\n", ":1: default_timeout takes a number of seconds"},
		{"a text for a number", "default_timeout: \"2\"\n", ":1: default_timeout takes a number of seconds"},
		{"a boolean for a number", "completed_task_ttl: true\n", ":1: completed_task_ttl takes a number of seconds"},
		{"no number", "keepalive_interval: .nan\n", ":1: keepalive_interval takes a number of seconds"},
		{"a fraction for a whole number", "max_output_length: 1.5\n", ":1: max_output_length takes a whole number"},
		{"a text for a whole number", "port: \"80\"\n", ":1: port takes a whole number"},
		{"a number for a text", "host: 1\n", ":1: host takes a text"},
		{"another mode", "output_truncation_mode: middle\n", ":1: output_truncation_mode takes head or tail"},
		{"another transport", "transport: websocket\n", `:1: transport takes stdio or streamable-http, not "websocket"`},
		{"a number for a variable", "non_interactive_env:\n  ZZX: 5\n", "the value of ZZX is no text; put it in quotes"},
		{"a boolean for a variable", "non_interactive_env: {CI: true}\n", "the value of CI is no text"},
		{"a list for a mapping", "non_interactive_env: [CI]\n", "non_interactive_env takes a mapping"},
		{"a name that is none", "non_interactive_env: {\"A=B\": x}\n", `"A=B" is no name of a variable`},
		{"a misspelt key", "blaclist: [rm]\n", "there is no key blaclist; did you mean blacklist?"},
		{"a nested key", "security:\n  blacklist: [rm]\n", ":1: there is no key security"},
		{"a list", "- a\n", ":1: a file is a mapping"},
		{"a word", "hello\n", ":1: a file is a mapping"},
		{"a key twice", "blacklist: [rm]\nblacklist: []\n", ":2: this is no YAML"},
		{"no YAML", "a: [\n", "this is no YAML"},
		{"no UTF-8", "host: \xff\n", ":1: a byte is not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readTabShell(t, c.file, "--config", "FILE")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "c.yaml:") {
				t.Errorf("error %q, want %q after the file's name", err, c.want)
			}
		})
	}
	t.Run("all faults at once", func(t *testing.T) {
		_, err := readTabShell(t, "port: x\nhost: 1\n", "--config", "FILE", "--timeout", "x")
		if got := strings.Count(err.Error(), "\n"); got != 2 {
			t.Errorf("%v", err)
		}
	})
	t.Run("no such file", func(t *testing.T) {
		_, err := readTabShell(t, "", "--config", "/no/such.yaml")
		if want := `--config "/no/such.yaml": there is no such file`; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

func TestTabShellFlagsWithFaultsAreRefused(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--max-output-length 1.5", `--max-output-length "1.5": it takes a whole number`},
		{"--transport sse", `--transport "sse": it takes stdio or streamable-http`},
		{"--output-truncation-mode x", `--output-truncation-mode "x": it takes head or tail`},
		{"--port x", `--port "x": it takes a whole number`},
		{"--timeout nan", `--timeout "nan": it takes a number of seconds`},
		{"--bogus", "unknown flag: --bogus"},
		{"--port", "flag needs an argument: --port"},
		{"serve", `"serve" is not the value of a flag`},
	} {
		if _, err := ReadTabShell(strings.Fields(c.args), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.args, err, c.want)
		}
	}
	for _, help := range []string{"-h", "--help"} {
		if _, err := ReadTabShell([]string{"--timeout", "1", help}, nil); !errors.Is(err, pflag.ErrHelp) {
			t.Errorf("%s: %v", help, err)
		}
	}
}

func TestTabShellHelpTellsEveryFlagAndKey(t *testing.T) {
	help := TabShellHelp()
	for word := range strings.FieldsSeq("--config --transport {stdio,streamable-http} --host --port --timeout --max-output-length" +
		" --output-truncation-mode {head,tail} --completed-task-ttl --shell --blacklist --whitelist --help keepalive_interval non_interactive_env") {
		if !strings.Contains(help, word) {
			t.Errorf("%s is missing in\n%s", word, help)
		}
	}
}

func TestTabShellFindsTheShell(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		environ []string
		want    string
		warned  bool
	}{
		{nil, "/bin/sh", false},
		{[]string{"SHELL="}, "/bin/sh", false},
		{[]string{"SHELL=/bin/cat"}, "/bin/cat", false},
		{[]string{"SHELL=/no/such"}, "/bin/sh", true},
		{[]string{"SHELL=/tmp"}, "/bin/sh", true},
		{[]string{"SHELL=" + plain}, "/bin/sh", true},
	} {
		if s, err := ReadTabShell(nil, c.environ); err != nil || s.Shell != c.want || len(s.Warnings) > 0 != c.warned {
			t.Errorf("%q: %s (%v), want %s; warnings %q", c.environ, s.Shell, err, c.want, s.Warnings)
		}
	}
}
