package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// difference is a place where whelk does not answer as the package does.
//
// Each names its row: the line of a table in docs/compat/SEED.md whose first
// cell is the row's id in backticks. The columns there are
//
//	| id | subject | the package | whelk | kind | cases |
//
// with kind kept, better or different, and in the last cell, in backticks,
// patterns of recorded cases and names of Go tests that show what the row
// says. A fault of the package has its number as id (Y2); everything else
// words (env-default-cwd).
type difference struct {
	seed, row string
	kind      string // better: the package contradicts its document or plain sense; different: chosen otherwise
	reason    string
	// cases is a pattern, * for any run of characters; "" means the cases that
	// name the row themselves, and what must hold instead.
	cases string
	of    string // which answers, of a pattern: results or errors of tools, or refusals to start
	// instead is what must hold for a pattern: paths and values, as in a case.
	instead string
}

const (
	seedYieldShell = "mcp-yieldshell"
	seedTabShell   = "tab-shell-mcp"
	seedMCPShell   = "mcp-shell-server"

	better    = "better"
	different = "different"
)

// documented is the result that the documents of mcp-shell-server describe.
const documented = `{"$has":{"error":{"$one_of":[null,{"$type":"string"}]},"stdout":{"$type":"string"},"stderr":{"$type":"string"},` +
	`"status":{"$one_of":[null,{"$type":"integer"}]},"execution_time":{"$type":"number"},"directory":{"$type":"string"}}}`

// differences are all that are known.
func differences() []difference {
	return []difference{
		{seed: seedYieldShell, row: "Y1", kind: better, reason: "a signal that ends the server ends its commands, too; it neither hangs nor leaves any"},
		{seed: seedYieldShell, row: "Y2", kind: better, reason: "output of descendants in the group is part of the result that waits for them"},
		{seed: seedYieldShell, row: "Y3", kind: better, reason: "stdin_error says what went wrong"},
		{seed: seedYieldShell, row: "Y4", kind: better, reason: "descendants in sessions of their own are ended with the rest"},
		{seed: seedYieldShell, row: "Y6", kind: better, reason: "positions count the bytes that the command wrote"},
		{seed: seedYieldShell, row: "Y7", kind: better, reason: "a hint names no execution that is gone"},
		{seed: seedYieldShell, row: "Y8", kind: better, reason: "every result names its execution and its process"},
		{seed: seedYieldShell, row: "Y9", kind: better, reason: "a position past the end becomes the end, and a hint says so: later output is not skipped"},
		{seed: seedYieldShell, row: "Y10", kind: better, reason: "a tail that is cut says that it is"},
		{seed: seedYieldShell, row: "Y11", kind: better, reason: "a relative directory is below the configured one"},
		{seed: seedYieldShell, row: "Y12", kind: better, reason: "a command that nobody can address ends with its call, which is not answered, as the protocol says"},
		{seed: seedYieldShell, row: "wire-unknown-method", kind: different, reason: "JSON-RPC has a code for methods that do not exist"},
		{seed: seedYieldShell, row: "wire-unknown-tool", kind: different, reason: "the protocol has an error for tools that do not exist"},
		{seed: seedYieldShell, row: "redact-encoded", kind: different, reason: "encoded forms of a secret are secrets"},
		{seed: seedYieldShell, row: "policy-deny-regex", kind: better, reason: "a forbidden command is found in each line and behind quotes, too"},
		{
			seed: seedYieldShell, row: "exit-configuration", kind: different, reason: "a fault of the configuration ends with 2, as one of the command line",
			cases: "refuses.*", of: "refusals", instead: `{"exit":2}`,
		},

		{seed: seedTabShell, row: "T3", kind: better, reason: "what was written before the end is kept"},
		{seed: seedTabShell, row: "T4", kind: better, reason: "the list holds whatever the shell's grammar puts around the command"},
		{seed: seedTabShell, row: "T5", kind: better, reason: "data of a here-document is no command"},
		{seed: seedTabShell, row: "T6", kind: better, reason: "a list that would not hold keeps the server from starting"},
		{seed: seedTabShell, row: "T7", kind: better, reason: "syntax is no command, and a path is not the program of its last name"},
		{seed: seedTabShell, row: "T8", kind: better, reason: "a value of the wrong type keeps the server from starting, instead of failing every call"},
		{seed: seedTabShell, row: "T9", kind: better, reason: "a page that has no room for the mark has output"},
		{seed: seedTabShell, row: "T10", kind: better, reason: "a signal that ends the server ends its commands, too"},
		{seed: seedTabShell, row: "T11", kind: better, reason: "a total that is not known is not told"},
		{seed: seedTabShell, row: "yaml-unknown-key", kind: different, reason: "what may be meant for a list must not be dropped"},
		{seed: seedTabShell, row: "setsid-children", kind: better, reason: "descendants in sessions of their own are ended with the rest"},
		{seed: seedTabShell, row: "error-nul", kind: better, reason: "a command that cannot start is a result like the others"},
		{seed: seedTabShell, row: "policy-path-entry", kind: better, reason: "a path in a list means that program, by whatever name"},
		{seed: seedTabShell, row: "param-shell", kind: better, reason: "a null is no argument"},
		{seed: seedTabShell, row: "env-shell", kind: better, reason: "a shell that is not there is passed over"},
		{seed: seedTabShell, row: "wire-unknown-tool", kind: different, reason: "the protocol has an error for tools that do not exist"},
		{
			seed: seedTabShell, row: "error-exit-code", kind: different, reason: "a fault of the configuration ends with 2, as one of the command line",
			cases: "start.yaml-*", of: "refusals", instead: `{"exit":2}`,
		},
		{seed: seedTabShell, row: "wire-cancel", kind: different, reason: "the protocol forbids the answer to a cancelled request"},
		{seed: seedTabShell, row: "wire-unknown-method", kind: different, reason: "JSON-RPC has a code for methods that do not exist"},

		{
			seed: seedMCPShell, row: "M1", kind: better, reason: "the documented result is the structured content",
			cases: "*", of: "results", instead: `{"structured":` + documented + `}`,
		},
		{
			seed: seedMCPShell, row: "M1", kind: better, reason: "the documented result is the structured content; arguments that are not even valid have none",
			cases: "*", of: "errors", instead: `{"structured":{"$maybe":` + documented + `}}`,
		},
		{seed: seedMCPShell, row: "M3", kind: better, reason: "a pipeline that has no time left fails"},
		{seed: seedMCPShell, row: "M4", kind: better, reason: "the stages of a pipeline run together"},
		{seed: seedMCPShell, row: "M5", kind: better, reason: "the stages of a pipeline run together; what a later one does not want is not output"},
		{seed: seedMCPShell, row: "M6", kind: better, reason: "stdin is the first stage's"},
		{seed: seedMCPShell, row: "M7", kind: better, reason: "a redirection holds in each stage"},
		{seed: seedMCPShell, row: "M8", kind: better, reason: "bytes go through a pipe as they are"},
		{seed: seedMCPShell, row: "M9", kind: better, reason: "blanks around the output are in the structured content"},
		{seed: seedMCPShell, row: "M10", kind: better, reason: "variables of a call, as documented, as far as the list of variables allows"},
		{seed: seedMCPShell, row: "M11", kind: better, reason: "a name with blanks is refused, not looked for"},
		{seed: seedMCPShell, row: "M12", kind: better, reason: "a program that does not read its input has its own result"},
		{seed: seedMCPShell, row: "M13", kind: better, reason: "descendants are ended with the rest"},
		{seed: seedMCPShell, row: "M14", kind: better, reason: "what was written before the end is kept"},
		{seed: seedMCPShell, row: "M15", kind: better, reason: "arguments are no shell text"},
		{seed: seedMCPShell, row: "M16", kind: better, reason: "a signal ends the server"},
		{seed: seedMCPShell, row: "M17", kind: better, reason: "a bad number is refused by the name of its variable"},
		{seed: seedMCPShell, row: "wire-repair", kind: different, reason: "numbers and lists that arrive as text are understood"},
		{seed: seedMCPShell, row: "wire-unknown-tool", kind: different, reason: "the protocol has an error for tools that do not exist"},
		{seed: seedMCPShell, row: "pattern-broken", kind: better, reason: "the message names the pattern"},
		{seed: seedMCPShell, row: "wire-cancel", kind: different, reason: "the protocol forbids the answer to a cancelled request"},
		{seed: seedMCPShell, row: "wire-unknown-method", kind: different, reason: "JSON-RPC has a code for methods that do not exist"},
	}
}

// covers tells whether a case shows the difference.
func (d *difference) covers(s *seed, c *step) bool {
	if d.seed != s.name {
		return false
	}
	if d.cases == "" {
		return c.line.text("row") == d.row
	}
	want, _ := c.line.get("want").(*object)
	return patternOf(d.cases).MatchString(c.id()) && d.of == kindOf(want)
}

// kindOf tells what an answer is: results, errors, refusals or nothing of these.
func kindOf(want *object) string {
	_, ofTool := want.lookup("text")
	_, told := want.lookup("stderr")
	switch {
	case want == nil:
	case ofTool && want.get("error") == true:
		return "errors"
	case ofTool:
		return "results"
	case told && want.get("exit") != nil:
		return "refusals"
	}
	return ""
}

// overrides is what must hold instead.
func (d *difference) overrides() *object {
	if d.instead == "" {
		return nil
	}
	v, err := parseJSON([]byte(d.instead))
	if err != nil {
		panic(fmt.Sprintf("difference %s of %s: %v", d.row, d.seed, err))
	}
	return v.(*object)
}

// patternOf makes a regular expression of a pattern.
func patternOf(pattern string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
}

func TestDifferencesAreShownByCases(t *testing.T) {
	for _, s := range seedServers() {
		groups := readRecording(t, s)
		for _, d := range differences() {
			if d.seed == s.name && !slices.ContainsFunc(groups, func(g *group) bool {
				return slices.ContainsFunc(g.cases, func(c *step) bool { return d.covers(s, c) })
			}) {
				t.Errorf("%s: no case shows %s: take it out", d.seed, d.row)
			}
		}
		for _, g := range groups {
			for _, c := range g.cases {
				row, _ := c.line.get("row").(string)
				known := slices.ContainsFunc(differences(), func(d difference) bool { return d.seed == s.name && d.row == row })
				if row != "" && !known {
					t.Errorf("%s: case %s shows %s, which is no known difference", s.name, c.id(), row)
				}
				if row == "" && c.line.get("instead") != nil {
					t.Errorf("%s: case %s says what holds instead and names no row", s.name, c.id())
				}
			}
		}
	}
}
