package native

import (
	"fmt"

	"whelk/internal/tools/schema"
)

// sideEffects are the categories of mcp-yieldshell.
var sideEffects = []string{
	"CHANGES_NETWORK_CONFIGURATION", "CHANGES_PACKAGES_OR_DEPENDENCIES", "CONSUMES_SIGNIFICANT_RESOURCES",
	"DELETES_FILES", "EXPOSES_SECRETS", "KILLS_AGENT_PROCESS", "MAKES_NETWORK_REQUESTS", "MODIFIES_OS_SETTINGS",
	"MODIFIES_OS_USER_SETTINGS", "MODIFIES_OUTSIDE_WORKSPACE", "MODIFIES_PRODUCTION_SERVICES",
	"MODIFIES_PROTECTED_FILES", "MODIFIES_SECURITY_CONTROLS", "MODIFIES_WORKSPACE_FILES", "NONE", "OTHER",
	"RUNS_INLINE_CODE", "RUNS_PRIVILEGED_COMMANDS", "STOPS_OR_RESTARTS_SERVICES", "UNKNOWN",
	"USES_DESTRUCTIVE_GIT_OPERATION",
}

// The parameters that several tools share.
var (
	executionID = schema.Param{Name: "execution_id", Kind: schema.String, Required: true, Doc: "Handle from execute, unchanged."}
	sinceSeq    = schema.Param{Name: "since_seq", Kind: schema.Integer, Doc: "Position to read from (a next_seq; 1 = the beginning). Omitted: go on after what you were shown last."}
	tailLines   = schema.Param{Name: "tail_lines", Kind: schema.Integer, Doc: "Only the newest N lines. Not with since_seq."}
)

func maxOutputParam(o Options) schema.Param {
	return schema.Param{Name: "max_output_bytes", Kind: schema.Integer, Doc: fmt.Sprintf("Most output in this answer, at most %d (default). The rest stays readable.", o.MaxOutput)}
}

// tools declares the tool set in the order in which clients see it. Models cut
// descriptions at 2,048 characters and pay for each: the most important words
// come first.
func tools(o Options) []*tool {
	if o.Dialect == YieldShell {
		return inSeedsDialect(nativeTools(o), o)
	}
	return nativeTools(o)
}

func nativeTools(o Options) []*tool {
	maxOutput := maxOutputParam(o)
	return []*tool{
		executeTool(o, maxOutput),
		{
			name: "read", title: "Read output",
			doc: "Returns output of an execution, running or ended, without waiting. Calls without since_seq and tail_lines each go on where the last one stopped, " +
				"so polling shows every byte once. capped: more is there, read again. evicted: output fell out of the buffer. latest_seq > next_seq: more is waiting.",
			readOnly: true, call: read,
			Tool: schema.Tool{Params: []schema.Param{
				executionID, sinceSeq, maxOutput,
				{Name: "streams", Kind: schema.String, Default: "both", Doc: "both, stdout or stderr. One stream alone is a look that moves no cursor."},
				tailLines,
			}},
		},
		{
			name: "write", title: "Write to stdin",
			doc:         "Writes to the standard input of a running execution that was started with close_stdin=false. accepted_bytes tells how much was taken.",
			destructive: true, openWorld: true, call: write,
			Tool: schema.Tool{Params: []schema.Param{
				executionID,
				{Name: "input", Kind: schema.String, Required: true, Doc: "Text to write."},
				{Name: "newline", Kind: schema.Boolean, Default: false, Doc: "Add a newline."},
				{Name: "close_stdin", Kind: schema.Boolean, Default: false, Doc: "End of input after it."},
			}},
		},
		{
			name: "wait", title: "Wait for the end",
			doc: "Waits until an execution has ended or timeout_ms is over, and returns its new output as read does. It never stops the command: " +
				"wait_result is exited or deadline_reached (then wait again).",
			readOnly: true, call: wait,
			Tool: schema.Tool{Params: []schema.Param{
				executionID,
				{Name: "timeout_ms", Kind: schema.Integer, Default: o.MaxWait.Milliseconds(), Doc: fmt.Sprintf("At most %d.", o.MaxWait.Milliseconds())},
				maxOutput, sinceSeq, tailLines,
			}},
		},
		{
			name: "stop", title: "Stop an execution",
			doc:         "Ends a running execution with all processes of its group: the signal, then SIGKILL after force_after_ms. Its output stays readable.",
			destructive: true, call: stop,
			Tool: schema.Tool{Params: []schema.Param{
				executionID,
				{Name: "signal", Kind: schema.String, Default: defaultSignal, Doc: "Name, e.g. SIGTERM, SIGINT, SIGKILL."},
				{Name: "force_after_ms", Kind: schema.Integer, Default: defaultForce.Milliseconds(), Doc: "Until SIGKILL; 0 = at once."},
			}},
		},
		{
			name: "ps", title: "List executions",
			doc:      "Lists executions, the newest first, running and recently ended. A running one with a large idle_ms may hang.",
			readOnly: true, idempotent: true, call: ps,
			Tool: schema.Tool{Params: []schema.Param{
				{Name: "include_completed", Kind: schema.Boolean, Default: true, Doc: "false: only running ones."},
				{Name: "limit", Kind: schema.Integer, Default: defaultListed, Doc: "Most entries."},
			}},
		},
		{
			name: "cleanup", title: "Forget ended executions",
			doc:         "Removes the records and the output of executions that ended longer ago than the given ages. Running ones stay.",
			destructive: true, idempotent: true, call: cleanup,
			Tool: schema.Tool{Params: []schema.Param{
				{Name: "completed_older_than_ms", Kind: schema.Integer, Default: defaultAge.Milliseconds(), Doc: "Age of completed ones; 0 = all."},
				{Name: "stopped_older_than_ms", Kind: schema.Integer, Default: defaultAge.Milliseconds(), Doc: "Age of stopped, timed-out and failed ones."},
			}},
		},
		{
			name: "explain", title: "Explain a decision",
			doc: "Says whether the policy would let execute run this, and why, without running anything: the commands found in the text, " +
				"what cannot be known before it runs, the rules that match and the side effects.",
			readOnly: true, idempotent: true, call: explain,
			Tool: schema.Tool{Params: explainParams()},
		},
	}
}

// explainParams are those of execute that say what would run.
func explainParams() []schema.Param {
	return []schema.Param{
		{Name: "command", Kind: schema.String, Doc: "As in execute."},
		{Name: "argv", Kind: schema.StringList, Doc: "As in execute."},
		{Name: "side_effects", Kind: schema.StringList, Enum: sideEffects, Doc: "As in execute."},
		{Name: "cwd", Kind: schema.String, Doc: "As in execute."},
		{Name: "env", Kind: schema.StringMap, Doc: "As in execute."},
		{Name: "shell", Kind: schema.String, Doc: "As in execute."},
		{Name: "stdin", Kind: schema.String, Doc: "As in execute."},
		{Name: "close_stdin", Kind: schema.Boolean, Default: true, Doc: "As in execute."},
	}
}

func executeTool(o Options, maxOutput schema.Param) *tool {
	return &tool{
		name: "execute", title: "Run a command",
		doc: "Runs a shell command (command) or a program without a shell (argv). A fast command answers with its whole result. " +
			"One that is still running after yield_ms goes on in the background and answers status=backgrounded with an execution_id " +
			"for read, wait, write and stop: nothing is lost, and nothing has to be started again. " +
			"Each call is a fresh process: cd and variables do not carry over; use cwd and env. " +
			"There is no terminal, stdin is empty unless given, and pagers, editors and password prompts fail at once instead of hanging. " +
			"A nonzero exit_code is still status=completed; a signal is a negative exit_code.",
		destructive: true, openWorld: true, call: execute,
		Tool: schema.Tool{Params: []schema.Param{
			{Name: "command", Kind: schema.String, Doc: "Text for the shell. Give command or argv."},
			{Name: "argv", Kind: schema.StringList, Doc: "Program and arguments, run as they are: no shell, no quoting, no expansion."},
			{Name: "side_effects", Kind: schema.StringList, Enum: sideEffects, Doc: "What the command may change; [\"NONE\"] if nothing."},
			{Name: "cwd", Kind: schema.String, Doc: "Working directory; relative to the server's."},
			{Name: "env", Kind: schema.StringMap, Doc: "Variables added to the environment."},
			{Name: "shell", Kind: schema.String, Doc: "Shell for command, e.g. bash. Default: the operator's, usually /bin/sh."},
			{Name: "stdin", Kind: schema.String, Doc: "Text for standard input."},
			{Name: "close_stdin", Kind: schema.Boolean, Default: true, Doc: "false keeps stdin open for write."},
			{Name: "name", Kind: schema.String, Doc: "Label shown by ps."},
			{Name: "yield_ms", Kind: schema.Integer, Doc: fmt.Sprintf("How long to wait for the end before going to the background; 0 = at once. Default %d, at most %d.", min(o.Yield, o.longestYield()).Milliseconds(), o.longestYield().Milliseconds())},
			{Name: "timeout_ms", Kind: schema.Integer, Doc: "Runtime limit: then the command is ended. 0 = none. Default: the operator's, usually 1 h."},
			{Name: "idle_timeout_ms", Kind: schema.Integer, Doc: "Limit of time without output. 0 = none."},
			maxOutput,
		}},
	}
}
