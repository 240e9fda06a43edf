package policy

import (
	"fmt"
	"slices"
	"strings"

	"whelk/internal/command"
)

// Request is one thing to decide on.
type Request struct {
	Input command.Input
	// Analysis is that of Input; nil has it made.
	Analysis *command.Analysis
	// Declared holds the side effects that the caller says the command has.
	Declared []Effect
	// ShellNamed says that the call itself chose Input.Shell. A shell of the
	// server's own configuration is not judged.
	ShellNamed bool
}

// Match is one reason for a decision.
type Match struct {
	Decision Decision
	// Rule names what matched, in the operator's words: a rule's name,
	// `deny "git push"`, "allow", "on_unknown", "roots".
	Rule string
	// Subject is the part of the command it is about, cut to a line.
	Subject string
	// Program is the name of the program without its directory, or "".
	Program string
	// Reason says why; Suggest says what to do instead, and may be "".
	Reason, Suggest string
	Pos             command.Pos
}

// Verdict is the decision on a request, and everything it rests on.
type Verdict struct {
	Decision Decision
	// Rule, Reason and Suggest are those of the strictest match, the first of
	// its kind; all are "" for a command that nothing speaks against.
	Rule, Reason, Suggest string
	// Matched holds every match that is not Allow, in the order of judging.
	Matched []Match
	// Effects holds the detected side effects in the order of [Effects], and
	// Undeclared those of them that the caller did not declare.
	Effects, Undeclared []Effect
	// Unknown holds what the analysis could not tell.
	Unknown []command.Unknown
}

// Denial returns nil for a command that may run, else the error that says why
// it may not.
func (v Verdict) Denial() *Denial {
	if v.Decision == Allow {
		return nil
	}
	i := slices.IndexFunc(v.Matched, func(m Match) bool { return m.Decision == v.Decision })
	if i < 0 {
		return &Denial{Decision: v.Decision, Rule: v.Rule, Reason: v.Reason, Suggest: v.Suggest}
	}
	m := v.Matched[i]
	return &Denial{
		Decision: v.Decision, Rule: m.Rule, Subject: m.Subject,
		Reason: m.Reason, Suggest: m.Suggest, Position: position(m.Pos),
	}
}

// Denial is the error of a command that may not run, or not unasked. The zero
// value is not meaningful.
type Denial struct {
	Decision Decision
	// Rule, Subject, Reason and Suggest are those of [Match].
	Rule, Subject, Reason, Suggest string
	// Position is the place in the text, such as "line 2, column 5", or "".
	Position string
}

// Error says what was refused, by which rule, why, and what to do instead.
func (d *Denial) Error() string {
	var b strings.Builder
	if d.Decision == Ask {
		b.WriteString("approval required")
	} else {
		b.WriteString("denied by policy")
	}
	if d.Subject != "" {
		fmt.Fprintf(&b, ": %s", d.Subject)
	}
	if d.Position != "" {
		fmt.Fprintf(&b, " (%s)", d.Position)
	}
	fmt.Fprintf(&b, ". Rule %s: %s.", d.Rule, strings.TrimSuffix(d.Reason, "."))
	if d.Suggest != "" {
		fmt.Fprintf(&b, " Instead: %s.", strings.TrimSuffix(d.Suggest, "."))
	}
	return b.String()
}

// position describes a place in a text of more than one line or word. The zero
// place and the beginning need no words.
func position(p command.Pos) string {
	if p.Line == 0 || p.Offset == 0 {
		return ""
	}
	return fmt.Sprintf("line %d, column %d", p.Line, p.Col)
}

// mostShown is how many bytes of a command a message repeats: enough to find
// the place, too little to fill a model's context.
const mostShown = 100

// shown cuts a text to one line that is fit for a message.
func shown(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	cut := text
	if len(text) > mostShown {
		cut = strings.ToValidUTF8(text[:mostShown], "")
	}
	cut = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, cut)
	if len(text) > mostShown {
		cut += "…"
	}
	return cut
}

// subjectOf shows a command as it would run.
func subjectOf(c *command.Command) string {
	return shown(normalised(c))
}

// normalised writes a command with one blank between its words, after quote
// removal. Regular expressions are searched in it, so that quotes and line
// continuations hide nothing.
func normalised(c *command.Command) string {
	var b strings.Builder
	for i := range c.Argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.Argv[i].Text)
	}
	return b.String()
}
