package differential

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"whelk/internal/command"
)

// stubs is how many made-up commands there are: c0 to c9.
const stubs = 10

// callEnvironment returns variables that some calls bring along, as Input.Env.
// Their values make hidden evaluation visible. The environment of the server
// itself is not for the caller to choose, and holds nothing of this kind.
func callEnvironment() map[string]string {
	return map[string]string{"v0": "c0", "v1": "a[$(c1)]", "v2": "$(c2)", "v3": "; c3 #", "v4": "-v", "v5": "5"}
}

// program is a random program.
type program struct {
	Name string `json:"name,omitempty"`
	// Shell is what the analysis is told: bash, dash or sh.
	Shell string `json:"shell"`
	// Sh is what sh is: bash or dash.
	Sh   string   `json:"sh,omitempty"`
	Text string   `json:"text,omitempty"`
	Argv []string `json:"argv,omitempty"`
	// Stdin is the text of standard input, "" for none.
	Stdin string `json:"stdin,omitempty"`
	// Env holds the call's own variables.
	Env  map[string]string `json:"env,omitempty"`
	Seed uint64            `json:"-"`
}

// newProgram makes the program of a seed.
func newProgram(seed uint64) program {
	r := rand.New(rand.NewPCG(seed, 0))
	g := &grammar{Rand: r, fuel: 6 + r.IntN(20)}
	p := program{Seed: seed, Shell: g.of("bash", "bash", "dash", "sh"), Sh: g.of("bash", "dash", "dash")}
	g.bash = p.interpreter() == "bash"
	if g.chance(40) {
		p.Env = callEnvironment()
	}
	if g.chance(4) {
		p.Argv, p.Shell = g.argv(), ""
		return p
	}
	p.Text = g.script()
	if g.chance(5) {
		p.Text, p.Stdin = g.reader(), g.nested(g.script)+"\n"
	}
	if g.chance(12) {
		p.Text = g.damaged(p.Text)
	}
	return p
}

// interpreter is the shell that runs the text.
func (p program) interpreter() string {
	if p.Shell == "sh" || p.Shell == "" {
		return p.Sh
	}
	return p.Shell
}

func (p program) input() command.Input {
	in := command.Input{Env: p.Env, Dir: workplace, Stdin: p.Stdin, HasStdin: p.Stdin != ""}
	if p.Argv != nil {
		in.Argv = p.Argv
	} else {
		in.Text, in.HasText, in.Shell = p.Text, true, p.Shell
	}
	return in
}

// String returns the program for messages.
func (p program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, ", p.Seed)
	if p.Argv != nil {
		fmt.Fprintf(&b, "argv %q", p.Argv)
	} else {
		fmt.Fprintf(&b, "%s -c %q", p.Shell, p.Text)
	}
	fmt.Fprintf(&b, " where sh is %s", p.Sh)
	if p.Stdin != "" {
		fmt.Fprintf(&b, ", stdin %q", p.Stdin)
	}
	if len(p.Env) > 0 {
		fmt.Fprintf(&b, ", env %q", p.Env)
	}
	return b.String()
}

// grammar makes random texts. The order of its choices is that of the text.
type grammar struct {
	*rand.Rand
	bash bool
	// fuel ends the recursion: each command takes one.
	fuel int
	// pending are the here-documents that begin after the line.
	pending []string
}

func (g *grammar) chance(percent int) bool { return g.IntN(100) < percent }

func (g *grammar) of(list ...string) string { return list[g.IntN(len(list))] }

// one makes one of several forms.
func (g *grammar) one(forms ...func() string) string { return forms[g.IntN(len(forms))]() }

// stub is the name of a made-up command.
func (g *grammar) stub() string { return "c" + strconv.Itoa(g.IntN(stubs)) }

// repeat joins between low and high forms.
func (g *grammar) repeat(low, high int, sep string, form func() string) string {
	list := make([]string, low+g.IntN(high-low+1))
	for i := range list {
		list[i] = form()
	}
	return strings.Join(list, sep)
}

// damaged changes a few bytes of a text, for what no grammar thinks of.
func (g *grammar) damaged(text string) string {
	for range 1 + g.IntN(3) {
		i := g.IntN(len(text) + 1)
		switch g.IntN(3) {
		case 0:
			text = text[:i] + g.of("\\", "\n", "'", "\"", "#", ";", " ", "$", "`", "(", ")", "{", "}", "&", "|", "<", ">", "\\\n", "!", "*", "=", "~", "\r\n", "\t", "[", "]", "$'", "<<", " # ", "-") + text[i:]
		case 1:
			j := min(len(text), i+1+g.IntN(2))
			text = text[:i] + text[j:]
		case 2:
			j := min(len(text), i+1+g.IntN(8))
			at := g.IntN(len(text) + 1)
			text = text[:at] + text[i:j] + text[at:]
		}
	}
	return text
}
