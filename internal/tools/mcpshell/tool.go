package mcpshell

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"whelk/internal/tools/schema"
)

const toolName = "shell_execute"

// parameters are those of mcp-shell-server, and the two that it documents without
// publishing them. What it does not know it ignores; null it refuses.
func parameters(o Options) schema.Tool {
	least := int64(1)
	env := "Variables for this command alone, besides PATH and what the server passes on. "
	if len(o.CallEnv) == 0 {
		env += "The operator permits none; others are left out."
	} else {
		env += "Permitted are " + strings.Join(o.CallEnv, ", ") + "; others are left out."
	}
	tool := schema.Tool{Lenient: true, Params: []schema.Param{
		{Name: "command", Kind: schema.StringList, Required: true, Doc: `The program and its arguments, one element each: ["grep", "-n", "a b", "notes.txt"]. No shell reads them, so nothing is expanded and nothing needs quotes. The elements "|", "<", ">" and ">>" are operators.`},
		{Name: "stdin", Kind: schema.String, Doc: "Text for the standard input of the (first) program."},
		{Name: "directory", Kind: schema.String, Doc: "Directory to run in, absolute or relative to the server's own, which is the default. Files of < > >> must lie in it."},
		{Name: "timeout", Kind: schema.Integer, Min: &least, Doc: fmt.Sprintf("Seconds after which the command is ended. Default %d, at most %d.", seconds(o.Timeout), seconds(o.MaxTimeout))},
		{Name: "envs", Kind: schema.StringMap, Doc: env},
		{Name: "output_limit", Kind: schema.Integer, Min: &least, Doc: fmt.Sprintf("Most bytes on stdout, and on stderr; more ends the command. Default and most %d.", o.OutputLimit)},
	}}
	for i := range tool.Params {
		tool.Params[i].NotNull = true
	}
	return tool
}

// description says what the tool does and, as mcp-shell-server does in its last
// three lines, what may be run and for how long.
func description(o Options) string {
	return strings.Join([]string{
		"Run one allowed command, or a pipeline of them, without a shell, and wait for its end. " +
			"The list restricts executable names, not what an allowed program does.",
		"Allowed commands: " + sortedList(o.Commands),
		"Allowed patterns: " + sortedList(o.Patterns),
		fmt.Sprintf("Default timeout: %ds; maximum timeout: %ds; output cap: %d bytes", seconds(o.Timeout), seconds(o.MaxTimeout), o.OutputLimit),
	}, "\n")
}

func sortedList(items []string) string {
	return strings.Join(slices.Sorted(slices.Values(items)), ", ")
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
