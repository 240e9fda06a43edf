package audit

import (
	"regexp"
	"sync"
)

// pattern returns a regular expression that is compiled when it is first asked
// for: a server starts without any of them.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
