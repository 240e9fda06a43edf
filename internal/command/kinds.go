package command

// Kind is the kind of an [Unknown]. Kinds are stable strings: policies and
// audit records name them.
type Kind string

// The kinds of what cannot be told before it runs.
const (
	// KindSyntax is a text that does not parse, or that two shells, or the
	// shell and the parser, read differently.
	KindSyntax Kind = "syntax"
	// KindShell is a shell whose language is not analysed.
	KindShell Kind = "shell"
	// KindDynamicName is a command whose name is formed while it runs.
	KindDynamicName Kind = "dynamic-name"
	// KindEvaluation is a text that the shell evaluates while it runs: eval,
	// source, arithmetic on a variable, a subscript.
	KindEvaluation Kind = "evaluation"
	// KindRedefinition is a name that gets another meaning: an alias, a
	// function with the name of a program, hash -p.
	KindRedefinition Kind = "redefinition"
	// KindEnvironment is a variable that makes programs run code.
	KindEnvironment Kind = "environment"
	// KindInlineCode is a program in another language, given as an argument.
	KindInlineCode Kind = "inline-code"
	// KindStdinShell is a shell or an interpreter that reads its program
	// from standard input.
	KindStdinShell Kind = "stdin-shell"
	// KindOption is an option, or a word of the options, that is not known
	// to be safe for a program that can run others.
	KindOption Kind = "option"
	// KindProgram is a program that runs what its own arguments do not show.
	KindProgram Kind = "program"
	// KindRedirect is a redirection whose target is not known, or is a
	// network connection.
	KindRedirect Kind = "redirect"
	// KindWrite is an option that makes a program that is used for reading
	// write, replace or delete files.
	KindWrite Kind = "write"
	// KindProtected is a write to a file that programs run or obey later: a
	// shell's start-up file, a git hook, a system folder.
	KindProtected Kind = "protected"
	// KindWrittenCode is a file that the same text writes and runs.
	KindWrittenCode Kind = "written-code"
	// KindDirectory is a change of the working directory to an unknown place.
	KindDirectory Kind = "directory"
	// KindLimit is a part that was not analysed because it is too large.
	KindLimit Kind = "limit"
)

// HidesCommand says that a command which is not in [Analysis.Commands] may run
// behind an unknown of this kind. Where only certain commands are forbidden,
// the other kinds cannot be one of them.
func (k Kind) HidesCommand() bool {
	switch k {
	case KindRedirect, KindWrite, KindDirectory:
		return false
	}
	return true
}
