package seeds

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// TabShell are the settings of tab-shell-mcp.
type TabShell struct {
	Shell string // never empty
	// Timeout is the limit of a command that names none; less than zero and zero end
	// it at once, Forever is none.
	Timeout   time.Duration
	MaxOutput int    // characters of both streams together; zero and less show nothing
	Truncate  string // which end of longer output is kept: head or tail
	// Keepalive is the time between two notifications of progress; zero and less send
	// none.
	Keepalive time.Duration
	// TimeToLive is how long ended tasks can be asked for; zero and less is as long as
	// the server lives.
	TimeToLive           time.Duration
	Blacklist, Whitelist []string
	Transport            string   // stdio or streamable-http
	Host                 string   // for streamable-http
	Port                 int      // for streamable-http
	Env                  []string // NAME=value, laid over the environment of every command

	// Warnings say what is doubtful, and works all the same.
	Warnings []string
}

// The transports of tab-shell-mcp.
const (
	TabShellStdio = "stdio"
	TabShellHTTP  = "streamable-http"
)

// Forever is a time that never passes.
const Forever time.Duration = math.MaxInt64

// defaultTabShell is the table of its document; the shell is found later.
func defaultTabShell() TabShell {
	return TabShell{
		Timeout: 30 * time.Second, MaxOutput: 50_000, Truncate: "tail",
		Keepalive: 5 * time.Second, TimeToLive: time.Hour, Transport: TabShellStdio, Host: "127.0.0.1", Port: 8000,
		Env: []string{"CI=true", "DEBIAN_FRONTEND=noninteractive", "GIT_TERMINAL_PROMPT=0"},
	}
}

// ReadTabShell reads the command line of tab-shell-mcp, without the program's name, and
// the file that it names. What stands on the command line wins. The error tells
// everything that is wrong, a line each; it is pflag.ErrHelp if the command line asks
// for help.
func ReadTabShell(args, environ []string) (TabShell, error) {
	s := defaultTabShell()
	flags := pflag.NewFlagSet("tab-shell-mcp", pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.SortFlags = false
	file := flags.String("config", "", "")
	for _, o := range tabShellOptions() {
		if o.flag != "" {
			flags.String(o.flag, "", "")
		}
	}
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("%q is not the value of a flag; see --help", shown(flags.Arg(0)))
	}
	var faults []error
	if flags.Changed("config") {
		faults = s.readFile(*file)
	}
	for _, o := range tabShellOptions() {
		if o.flag == "" || !flags.Changed(o.flag) {
			continue
		}
		text, _ := flags.GetString(o.flag) // it was declared as a string
		if err := o.fromText(&s, text); err != nil {
			faults = append(faults, fmt.Errorf("--%s %q: it takes %s", o.flag, shown(text), o.takes))
		}
	}
	if s.Shell == "" {
		s.findShell(environ)
	}
	return s, errors.Join(faults...)
}

// findShell takes the shell that SHELL names, or /bin/sh: where SHELL names no program,
// no command could run.
func (s *TabShell) findShell(environ []string) {
	s.Shell = "/bin/sh"
	i := slices.IndexFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, "SHELL=") })
	if i < 0 || environ[i] == "SHELL=" {
		return
	}
	shell := strings.TrimPrefix(environ[i], "SHELL=")
	const anyExecute = 0o111
	info, err := os.Stat(shell)
	if err != nil || info.IsDir() || info.Mode()&anyExecute == 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("SHELL is %s, which is no program: commands run in %s", shown(shell), s.Shell))
		return
	}
	s.Shell = shell
}

// shown cuts a text to what is enough to recognize it.
func shown(text string) string {
	const most = 60 // bytes
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
