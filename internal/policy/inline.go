package policy

import (
	"slices"
	"strings"
	"sync"

	"whelk/internal/command"
)

// interpreter says how a program is given code as an argument.
type interpreter struct {
	code   string // letters of short options that hold code
	long   []string
	valued string // letters of short options that take another value
}

// interpreters returns the programs that run code they are given. The table is
// built once and never written again.
var interpreters = sync.OnceValue(func() map[string]interpreter {
	shell := interpreter{code: "c", valued: "oO"}
	table := map[string]interpreter{
		"python": {code: "c", valued: "WX"},
		"node":   {code: "ep", long: []string{"--eval", "--print"}, valued: "r"},
		"bun":    {code: "ep", long: []string{"--eval", "--print"}},
		"perl":   {code: "eE"},
		"ruby":   {code: "e", valued: "rIC"},
		"php":    {code: "rBRE", valued: "dcz"},
		"lua":    {code: "e", valued: "l"}, "luajit": {code: "e"}, "julia": {code: "eE", valued: "LtpJ"},
		"Rscript": {code: "e"}, "R": {code: "e"}, "groovy": {code: "e"}, "elixir": {code: "e"}, "osascript": {code: "e"},
		"pwsh":   {long: []string{"-c", "-Command", "-command", "-EncodedCommand", "-e", "-ec"}},
		"expect": {code: "c"}, "tclsh": {}, "deno": {},
		"su": {code: "c", long: []string{"--command"}},
	}
	for name := range strings.FieldsSeq("sh bash dash ash zsh ksh mksh fish csh tcsh busybox") {
		table[name] = shell
	}
	return table
})

func interprets(name string) bool { _, ok := interpreters()[name]; return ok }

// runsInline tells whether an interpreter gets its code as an argument or on
// its standard input, instead of a file that can be read first.
func runsInline(c *command.Command, name string) bool {
	it := interpreters()[name]
	args := c.Argv[1:]
	for i := 0; i < len(args); i++ {
		w := &args[i]
		switch {
		case !w.Known:
			return false // the analysis reports what matters
		case w.Text == "-" || w.Text == "/dev/stdin":
			return true
		case !isOption(w.Text) && !strings.HasPrefix(w.Text, "+"):
			return name == "deno" && w.Text == "eval"
		case slices.Contains(it.long, w.Text):
			return true
		case strings.HasPrefix(w.Text, "--"):
		case name == "python" && w.Text == "-m":
			return false
		case strings.ContainsAny(w.Text[1:], it.code) && it.code != "":
			return true
		case strings.ContainsAny(w.Text[len(w.Text)-1:], it.valued):
			i++
		case w.Text == "-V" || w.Text == "-v" && name != "perl" || w.Text == "-h":
			return false
		}
	}
	return name != "su" && name != "busybox"
}
