// Package command reads what somebody wants to run, as a shell's text or as a
// list of arguments, and says what would run. It executes nothing, reads no
// file, knows no allow or deny list and keeps no state: the same input always
// gives the same analysis, and every function may be called concurrently.
//
// The words. A command is one simple command: a name, its arguments, the
// assignments before it and its redirections. A wrapper is a command that runs
// another one (sudo, xargs, sh -c); it and what it wraps are commands of their
// own. An unknown is a place where the text alone does not say what happens;
// it carries a reason for a person. A refusal is a text that may not run
// whatever the policy, because its judge and its shell could read it
// differently.
//
// The invariant all else rests on: every program that the input can start is
// in Commands, or there is an Unknown for it. Where a form is not understood
// it becomes an Unknown; nothing is guessed, and no limit drops the rest of a
// text silently. The analysis of a program's own files (a Makefile, a script
// that was there before) is not part of it.
//
// The bytes that were judged must be the bytes that run: callers run
// [Analysis.Text], not the text they were given.
package command

// Input is what somebody wants to run. Exactly one of Text and Argv is given.
type Input struct {
	// Text is a shell's text; HasText says that it is given, also when empty.
	Text    string
	HasText bool
	// Argv is a program and its arguments, run without a shell.
	Argv []string
	// Operators says that the elements |, <, > and >> of Argv are operators;
	// see [Stages]. Without it they are arguments as any other.
	Operators bool
	// Shell is the program that runs Text: a name or a path; "" is sh.
	Shell string
	// Stdin is a text for standard input; HasStdin says that there is one.
	Stdin    string
	HasStdin bool
	// KeepsStdin says that standard input stays open for later writes.
	KeepsStdin bool
	// Dir is the working directory, absolute; "" is unknown.
	Dir string
	// Env holds the call's own variables, not those inherited.
	Env map[string]string
	// TTY says that the command gets a terminal.
	TTY bool
}

// Word is one word of a command after quote removal.
type Word struct {
	// Text is what the program would get. Where Known is false it is the
	// word as written, for messages only.
	Text string
	// Known says that Text is exactly what the program would get.
	Known bool
	// Glob says that Text holds a pattern outside of quotes, which pathname
	// expansion may turn into names of files. Known is then true, and Text
	// is the pattern.
	Glob bool
}

// Pos is a place in the text. Offset counts bytes from 0; Line and Col count
// from 1, Col in bytes. Within a script inside the text (sh -c, eval) it is
// the place of the command that holds the script. The zero value means that
// there is no place, as for argv and the call's environment; in argv Offset
// is the index of the element.
type Pos struct{ Offset, Line, Col int }

// Assignment gives a variable a value.
type Assignment struct {
	Name  string
	Value Word
	Pos   Pos
}

// Redirect connects a descriptor to a file, or to a text.
type Redirect struct {
	// Op is the operator as written, without descriptor: ">", "&>>", "<<<".
	Op string
	// Target is the file, or the text of a here-string or here-document.
	Target Word
	// Path is the absolute, lexically clean file, or "" when the target or
	// the working directory is unknown or there is no file.
	Path string
	// Reads and Writes say what is done to the file. Both are false for a
	// duplicated descriptor, a here-string and a here-document.
	Reads, Writes bool
	Pos           Pos
}

// Command is one simple command that would or could run.
type Command struct {
	// Argv holds the words; Argv[0] is the name as written, after quote
	// removal. It has at least one word.
	Argv []Word
	// Assigns stand before the name.
	Assigns []Assignment
	// Redirects are the command's own.
	Redirects []Redirect
	// Dir is the working directory at this point, or "" if it is not known.
	Dir string
	// Via names what the command was unwrapped from, outermost first:
	// "sudo", "xargs", "sh -c", "find -exec", "function f".
	Via []string
	Pos Pos
}

// Texts returns the texts of Argv, for messages: see [Word] for what is not
// known.
func (c *Command) Texts() []string {
	out := make([]string, len(c.Argv))
	for i, w := range c.Argv {
		out[i] = w.Text
	}
	return out
}

// Unknown is a place where the text alone does not say what happens.
type Unknown struct {
	Kind Kind
	// Reason is a sentence for a person or a model.
	Reason string
	// Text is the part of the text it is about, cut to a line's length.
	Text string
	Pos  Pos
}

// Refusal says that the input may not run, whatever the policy.
type Refusal struct {
	// Reason says what is wrong, Suggest what to send instead.
	Reason, Suggest string
	// TooLarge says that nothing else is wrong than that the text is too long
	// or too deep to be analysed: it matters only to who has something to
	// judge by.
	TooLarge bool
}

// Analysis is what is known about an input before it runs. It shares nothing
// with the input and is not written after Analyse returned.
type Analysis struct {
	// Text holds the bytes to run: the input's text with CR LF turned into
	// LF. It is "" for argv.
	Text string
	// Stages are the programs to run, for an argv: one if it has no operators.
	// It is nil for a text.
	Stages []Stage
	// Commands holds every simple command that would or could run, wrappers
	// and what they wrap, each as its own entry, in the order of the text.
	Commands []Command
	// Assigns holds the assignments that belong to no command: those alone
	// on a line, those of declarations, and the call's environment.
	Assigns []Assignment
	// Redirects holds those of groups, loops and functions.
	Redirects []Redirect
	// Unknown holds what could not be told. Its order is that of discovery.
	Unknown []Unknown
	// Refused is nil for an input that may run.
	Refused *Refusal
}
