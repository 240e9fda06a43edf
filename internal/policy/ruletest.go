package policy

import (
	"fmt"
	"strings"

	"whelk/internal/command"
)

// testDir is where the commands of tests run if there are no roots: a workspace that is nobody's
// home, so that a test does not depend on where it is loaded.
const testDir = "/workspace"

// request makes of a test what a call would be, in the test's own directory or
// in dir.
func (t Test) request(dir string) Request {
	in := command.Input{Dir: first(t.Cwd, dir)}
	if len(t.Argv) > 0 {
		in.Argv, in.Operators = t.Argv, true
	} else {
		in.Text, in.HasText = t.Command, true
	}
	return Request{Input: in}
}

// subject shows what a test runs.
func (t Test) subject() string {
	if len(t.Argv) > 0 {
		return fmt.Sprintf("%q", shown(strings.Join(t.Argv, " ")))
	}
	return fmt.Sprintf("%q", shown(t.Command))
}
