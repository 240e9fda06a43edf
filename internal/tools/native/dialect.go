package native

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/execution"
	"whelk/internal/tools/schema"
)

// Dialect is one of the two that the contract is spoken in.
type Dialect uint8

const (
	// Native has whelk's own additions, in the form that the operator chose.
	Native Dialect = iota
	// YieldShell has the parameters and the fields of mcp-yieldshell 1.1.0 and no
	// others, in its one form: indented JSON as one text. Failures of an execution
	// are not marked as errors, as there (Y13).
	YieldShell
)

// set is the name of the tool set in the dialect.
func (d Dialect) set() string {
	if d == YieldShell {
		return "yieldshell"
	}
	return "native"
}

// bufferSetting names what the operator raises to keep more output.
func (d Dialect) bufferSetting() string {
	if d == YieldShell {
		return "YIELDSHELL_MAX_BUFFER_BYTES"
	}
	return "--buffer, WHELK_BUFFER"
}

// repair takes out of a request what the dialect accepts and what means nothing: a
// variable without a name, which no program could read.
func (d Dialect) repair(r *execution.Request) {
	if d == YieldShell {
		delete(r.Env, "")
	}
}

// cursorFields say where a page stands.
var cursorFields = []string{"start_seq", "next_seq", "latest_seq", "capped", "evicted", "hint"}

// seedFields are the fields of mcp-yieldshell's answers, by tool. Their order is
// that in which they are added. hint in ps is not the seed's: it tells of a list
// that was cut.
var seedFields = map[string][]string{
	"execute": append([]string{
		"status", "execution_id", "process_id", "exit_code", "signal", "duration_ms", "stdout", "stderr", "stdin_error", "message", "error",
	}, cursorFields...),
	"read": append([]string{"execution_id", "status", "exit_code", "signal", "stdout", "stderr", "stdin_error", "error"}, cursorFields...),
	"wait": append([]string{
		"execution_id", "status", "exit_code", "signal", "wait_result", "waited_ms", "max_wait_ms", "stdout", "stderr", "stdin_error", "error",
	}, cursorFields...),
	"write":   {"execution_id", "ok", "error"},
	"stop":    {"execution_id", "stopped", "signal", "error"},
	"ps":      {"executions", "hint"},
	"cleanup": {"removed", "error"},
}

// seedListed are the fields of one execution in mcp-yieldshell's ps.
var seedListed = []string{
	"execution_id", "process_id", "name", "command", "cwd", "status", "exit_code", "signal", "started_at", "ended_at", "duration_ms",
	"stdout_bytes", "stderr_bytes", "last_output_at", "idle_ms", "latest_seq", "stdin_error",
}

// inSeedsDialect turns whelk's tools into those of mcp-yieldshell.
func inSeedsDialect(own []*tool, o Options) []*tool {
	var list []*tool
	for _, t := range own {
		switch t.name {
		case "execute":
			t.Params = seedExecuteParams(t.Params)
			t.doc = seedExecuteDoc
		case "write":
			t.doc = "Writes to the standard input of a running execution that was started with close_stdin=false. " +
				"A write that the command does not take within " + strconv.FormatInt(o.MaxWait.Milliseconds(), 10) + " ms fails."
		case "explain":
			continue
		}
		t.Lenient = true
		list = append(list, t)
	}
	return list
}

const seedExecuteDoc = "Runs a shell command. A fast one answers with its whole result. " +
	"One that is still running after yield_ms goes on in the background and answers status=backgrounded with an execution_id " +
	"for read, wait, write and stop: nothing is lost, and nothing has to be started again. Pass execution_id on unchanged; process_id is the " +
	"shell's number in the system and no handle. " +
	"side_effects is required: declare every category that the command may plausibly have, [\"NONE\"] alone if there is none. " +
	"The call fails with failed_to_start if the operator blocks one of them, which by default are KILLS_AGENT_PROCESS, MODIFIES_OS_SETTINGS, " +
	"MODIFIES_OS_USER_SETTINGS, MODIFIES_PROTECTED_FILES and RUNS_INLINE_CODE. Do not run code that is given inline (python -c, node -e, " +
	"curl … | sh, a here-document into an interpreter): write it to a file of the workspace where it can be read, and run that file in a small step. " +
	"Each call is a fresh process: cd and variables do not carry over; use cwd and env. " +
	"A nonzero exit_code is still status=completed; a signal is a negative exit_code."

// seedExecuteParams are those of mcp-yieldshell's execute among whelk's own.
func seedExecuteParams(own []schema.Param) []schema.Param {
	params := slices.DeleteFunc(slices.Clone(own), func(p schema.Param) bool { return p.Name == "argv" || p.Name == "idle_timeout_ms" })
	for i := range params {
		switch p := &params[i]; p.Name {
		case "command":
			p.Required, p.Doc = true, "Text for the shell."
		case "side_effects":
			p.Required = true
		case "env":
			p.OnlyStrings = true
		}
	}
	return params
}

// seedResult writes an answer as mcp-yieldshell does.
func seedResult(t *tool, a *answer) *mcp.CallToolResult {
	text := a.only(seedFields[t.name]).appendIndented(nil, 0)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

// argumentError answers a call whose arguments cannot be decoded. mcp-yieldshell
// marks this as an error, the only one, and writes no JSON.
func (s *set) argumentError(t *tool, a *answer) *mcp.CallToolResult {
	if s.opts.Dialect != YieldShell {
		return s.result(t, a)
	}
	parts := []string{t.name}
	for _, f := range a.only([]string{"error"}).fields {
		parts = append(parts, f.value.(string))
	}
	text := strings.Join(parts, ": ")
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}
}

// only returns the answer with the fields of these names alone.
func (a *answer) only(names []string) *answer {
	kept := new(answer)
	for _, f := range a.fields {
		if !slices.Contains(names, f.name) {
			continue
		}
		if list, ok := f.value.([]*answer); ok {
			entries := make([]*answer, len(list))
			for i, entry := range list {
				entries[i] = entry.only(seedListed)
			}
			f.value = entries
		}
		kept.add(f.name, f.value)
	}
	return kept
}

// result writes an answer in the form that the operator chose, or the dialect has.
// An error always has its text: clients show a model nothing else of it.
func (s *set) result(t *tool, a *answer) *mcp.CallToolResult {
	if s.opts.Dialect == YieldShell {
		return seedResult(t, a)
	}
	r := &mcp.CallToolResult{Content: []mcp.Content{}, IsError: a.fault}
	if s.opts.Form != Structured || a.fault {
		r.Content = []mcp.Content{&mcp.TextContent{Text: a.text()}}
	}
	if s.opts.Form != Text {
		r.StructuredContent = json.RawMessage(a.json())
	}
	return r
}
