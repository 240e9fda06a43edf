package command

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A dialect is a shell language that is analysed.
type dialect uint8

const (
	// noDialect is a shell that is not analysed.
	noDialect dialect = iota
	// dialectBash is GNU Bash.
	dialectBash
	// dialectDash is POSIX sh as dash reads it.
	dialectDash
	// dialectSh is a shell that may be either: sh differs between systems,
	// and busybox ash knows a part of what bash does. A text is accepted
	// where both readings agree.
	dialectSh
)

// dialectOf returns the language of a shell program, by its base name.
func dialectOf(name string) dialect {
	switch path.Base(name) {
	case "bash", "rbash":
		return dialectBash
	case "dash":
		return dialectDash
	case "sh", "ash":
		return dialectSh
	}
	return noDialect
}

// trustedFolders are where a shell given by its path is the shell that its
// name says. Elsewhere a file may have any name.
var trustedFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"}

// dialectOfInput returns the language of an input's shell, which must be a
// bare name or lie in a trusted folder.
func dialectOfInput(shell string) dialect {
	if shell == "" {
		return dialectSh
	}
	if strings.Contains(shell, "/") {
		trusted := false
		for _, folder := range trustedFolders {
			trusted = trusted || path.Dir(shell) == folder && path.Clean(shell) == shell
		}
		if !trusted {
			return noDialect
		}
	}
	return dialectOf(shell)
}

// variant returns the parser's name for the dialect.
func (d dialect) variant() syntax.LangVariant {
	if d == dialectDash {
		return syntax.LangPOSIX
	}
	return syntax.LangBash
}

// foreignShells are shells whose language is not analysed.
const foreignShells = " zsh ksh ksh93 mksh oksh lksh pdksh yash fish csh tcsh pwsh powershell nu elvish xonsh osh oil ysh ion es rc hush posh rksh rzsh zsh5 git-shell scponly rush mudsh "

// isShell says that a program is a shell, analysed or not.
func isShell(name string) bool {
	return dialectOf(name) != noDialect || contains(foreignShells, name)
}

// contains says that a list of words, with a blank around each, has the word.
func contains(list, word string) bool {
	return word != "" && !strings.ContainsAny(word, " \t\n") && strings.Contains(list, " "+word+" ")
}
