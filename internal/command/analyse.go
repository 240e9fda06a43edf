package command

import (
	"maps"
	"slices"
	"strings"
)

// Analyse says what the input would run. It is pure: it executes nothing,
// reads no file, and never panics. An input that has neither or both of a text
// and an argv is refused.
func Analyse(in Input) *Analysis {
	a := &analyser{
		out:       &Analysis{},
		tty:       in.TTY,
		variables: make(map[string]origin),
		written:   make(map[string]bool),
		called:    make(map[string]bool),
		unset:     make(map[string]bool),
	}
	if refusal := refuse(in); refusal != nil {
		a.out.Refused = refusal
		return a.out
	}
	a.callEnvironment(in.Env)
	if in.HasText {
		a.text(in)
	} else {
		a.argv(in)
	}
	a.judgeArithmetic()
	a.judgeWritten()
	a.judgeUnset()
	return a.out
}

// analyser holds what one analysis collects. It is used by one goroutine.
type analyser struct {
	out *Analysis
	// scriptBytes counts the text of all scripts so far.
	scriptBytes int
	// tty says that what runs gets a terminal, on which keys may be pressed.
	tty bool
	// variables holds where the values of variables come from; evaluated
	// holds those that arithmetic reads.
	variables map[string]origin
	evaluated []evaluated
	// written holds the base names of files that are written, executed those
	// that are run as code; blindWrite is the first write to an unknown file.
	written    map[string]bool
	executed   []executed
	blindWrite bool
	// called holds the functions that are called, unset those that are
	// removed somewhere; allUnset says that their names are not known.
	called, unset map[string]bool
	allUnset      bool
}

// refuse returns why an input may not run whatever it says.
func refuse(in Input) *Refusal {
	if in.HasText == (len(in.Argv) > 0) {
		return &Refusal{
			Reason:  "there must be either a shell text or an argv with at least one element",
			Suggest: "give one of the two",
		}
	}
	for _, arg := range in.Argv {
		if strings.Contains(arg, "\x00") {
			return &Refusal{Reason: "an element of argv has a NUL byte: the program would see only what stands before it", Suggest: "send argv without NUL bytes"}
		}
	}
	for name, value := range in.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			return &Refusal{Reason: "the environment has a variable whose name is empty or has = or NUL, or whose value has NUL", Suggest: "correct the variable " + span(name)}
		}
	}
	return nil
}

// text analyses a shell's text.
func (a *analyser) text(in Input) {
	text, refusal := readable(in.Text)
	a.out.Text, a.out.Refused = text, refusal
	if refusal != nil {
		return
	}
	d := dialectOfInput(in.Shell)
	if d == noDialect {
		a.unknown(KindShell, "the text runs in "+in.Shell+", whose language is not analysed; set shell to bash, dash or sh, by name or in a system folder", in.Shell, Pos{})
		return
	}
	a.script(text, d, &scope{dir: in.Dir, stdin: inputStdin(in)}, true)
}

// unknown reports something that cannot be told. The same report is made once.
func (a *analyser) unknown(kind Kind, reason, text string, pos Pos) {
	u := Unknown{Kind: kind, Reason: reason, Text: span(text), Pos: pos}
	// Repetitions come close together: from loops over the words of a call.
	recent := a.out.Unknown[max(0, len(a.out.Unknown)-8):]
	if !slices.Contains(recent, u) {
		a.out.Unknown = append(a.out.Unknown, u)
	}
}

// callEnvironment judges the call's own variables, in the order of their names.
func (a *analyser) callEnvironment(env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		assignment := Assignment{Name: name, Value: Word{Text: env[name], Known: true}}
		a.out.Assigns = append(a.out.Assigns, assignment)
		a.assigned(name, textOrigin(assignment.Value))
		a.judgeAssignment(assignment)
	}
}
