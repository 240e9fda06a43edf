package audit

import (
	"strings"
)

// mark stands in the place of what no record holds.
const mark = "[REDACTED]"

// names are the words by which options, variables and headers say that their
// value is a secret.
const names = `(?:passw|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|authorization|cookie)`

var (
	// secretOption is an option whose value is the next argument.
	secretOption = pattern(`(?i)^--?[\w-]*` + names + `[\w-]*$`)
	// secretValue is a name with its value: --password=x, TOKEN=x, "Authorization: x".
	secretValue = pattern(`(?is)^(-{0,2}[\w-]*` + names + `[\w-]*[=:]).+$`)
	// userInfo is the password of an address.
	userInfo = pattern(`(://[^/\s:@]*:)[^/\s@]+@`)
)

// hideSecrets returns arguments without the secrets that their own words give away.
// It is a guard against accidents: a secret that looks like any other word stays.
func hideSecrets(argv []string) []string {
	out := make([]string, len(argv))
	for i, arg := range argv {
		switch {
		case i > 0 && secretOption().MatchString(argv[i-1]) && !strings.HasPrefix(arg, "-"):
			out[i] = mark
		case secretValue().MatchString(arg):
			out[i] = secretValue().ReplaceAllString(arg, "${1}"+mark)
		default:
			out[i] = userInfo().ReplaceAllString(arg, "${1}"+mark+"@")
		}
	}
	return out
}
