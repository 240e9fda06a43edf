package execution

import "strings"

// quoteArgv shows an argument list as a shell would need it written; operators
// says that it has some.
func quoteArgv(argv []string, operators bool) string {
	quoted := make([]string, len(argv))
	for i, arg := range argv {
		switch {
		case operators && (arg == "|" || arg == "<" || arg == ">" || arg == ">>"):
			quoted[i] = arg
		default:
			quoted[i] = quote(arg)
		}
	}
	return strings.Join(quoted, " ")
}

func quote(arg string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("%+,-./:=@_", r))
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
