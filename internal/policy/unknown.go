package policy

import (
	"slices"

	"whelk/internal/command"
)

// mostReported is how many unknowns of one input a verdict lists as matches; a
// person reads no more, and the decision needs one.
const mostReported = 16

// onUnknowns judges what the analysis could not tell.
func (p *Policy) onUnknowns(v *Verdict, a *command.Analysis) {
	reported := 0
	for i := range a.Unknown {
		u := &a.Unknown[i]
		if reported == mostReported {
			break
		}
		if !p.matters(u.Kind) {
			continue
		}
		rule, decision := "on_unknown", p.onUnknown
		if u.Kind == command.KindInlineCode {
			rule, decision = "inline_code", p.onInline
		}
		if decision == Allow {
			continue
		}
		reported++
		v.add(Match{
			Decision: decision, Rule: rule, Subject: shown(u.Text), Reason: u.Reason, Suggest: rewritten(u.Kind), Pos: u.Pos,
		})
	}
}

// matters tells whether an unknown of a kind could hide what the policy is
// about. A file or a directory that is not known runs nothing: it matters to
// those who permit commands one by one, and to rules about files.
func (p *Policy) matters(kind command.Kind) bool {
	if !p.judges() { // only roots are configured
		return kind == command.KindDirectory || kind == command.KindRedirect
	}
	if p.onlyNamed {
		return kind == command.KindSyntax // an operator that is none, in an argv
	}
	permits := p.hasPaths || len(p.sets) > 0
	switch kind {
	case command.KindRedirect, command.KindWrite:
		return permits
	case command.KindProtected:
		// Where the blocked side effects see to it, a deny list need not: they
		// know which of these files a project keeps for itself.
		return permits || p.mode != Enforce || !slices.Contains(p.blocked, ModifiesProtectedFiles)
	case command.KindDirectory:
		return p.hasPaths
	}
	return true
}

// rewritten says how to write a command so that it can be judged.
func rewritten(kind command.Kind) string {
	switch kind {
	case command.KindSyntax:
		return "write it in plain POSIX shell, one command a line, and check that quotes and parentheses are closed"
	case command.KindShell:
		return "leave the shell out: the text then runs in the server's own"
	case command.KindDynamicName:
		return "write the name of the program itself, without variables, wildcards or substitutions"
	case command.KindEvaluation:
		return "write the commands themselves instead of having a text evaluated"
	case command.KindRedefinition:
		return "call the program by its own name, without alias, function or hash"
	case command.KindEnvironment:
		return "leave the variable out, or have the operator set it for all commands"
	case command.KindInlineCode:
		return "write the code to a file of the workspace and run that file"
	case command.KindStdinShell:
		return "give the shell or interpreter a file, or write its commands as commands"
	case command.KindOption:
		return "leave the option out, or use one that cannot start another program"
	case command.KindProgram:
		return "run the program that is meant directly"
	case command.KindRedirect:
		return "write the file's name itself, a plain file in the workspace"
	case command.KindWrite:
		return "leave the option out, and redirect the output to a file if it is needed"
	case command.KindProtected:
		return "write to an ordinary file, and let a person put it in place"
	case command.KindWrittenCode:
		return "write the file in one call and run it in the next"
	case command.KindDirectory:
		return "write the directory itself, or give it as cwd"
	case command.KindLimit:
		return "split the command into smaller ones"
	}
	return "write the command so that everything it runs stands in its text"
}
