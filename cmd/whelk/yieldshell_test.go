package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/mcptest"
)

// seedAnswer is an answer of the program as mcp-yieldshell.
type seedAnswer struct {
	text    string
	isError bool
	keys    []string // of the object, in order; nil if the text is none
	fields  map[string]any
}

// startYieldShell starts the program as mcp-yieldshell with variables.
func startYieldShell(t testing.TB, env ...string) *mcptest.Server {
	t.Helper()
	return mcptest.Start(t, mcptest.Options{Path: "mcp-yieldshell", Env: env})
}

// callSeed calls a tool and checks the one form that results have.
func callSeed(t testing.TB, s *mcptest.Server, tool string, args Args) seedAnswer {
	t.Helper()
	return seedAnswerOf(t, s.BeginCall(tool, args))
}

func seedAnswerOf(t testing.TB, call *mcptest.Pending) seedAnswer {
	t.Helper()
	var wire struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	m := call.Wait()
	unmarshal(t, m.Result, &wire)
	if len(wire.Content) != 1 || wire.Content[0].Type != "text" || wire.StructuredContent != nil {
		t.Fatalf("not one text: %s", m.Raw)
	}
	a := seedAnswer{text: wire.Content[0].Text, isError: wire.IsError}
	if a.isError {
		return a
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(a.text), "", "  "); err != nil || indented.String() != a.text {
		t.Errorf("not as Python indents it (%v): %s", err, a.text)
	}
	unmarshal(t, []byte(a.text), &a.fields)
	a.keys = keysOf(t, a.text)
	return a
}

// keysOf returns the keys of an object in their order.
func keysOf(t testing.TB, text string) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

func (a seedAnswer) string(key string) string {
	text, _ := a.fields[key].(string)
	return text
}

// runSeed runs a command that has no side effects.
func runSeed(t testing.TB, s *mcptest.Server, command string, more ...Args) seedAnswer {
	t.Helper()
	return callSeed(t, s, "execute", seedArgs(command, more...))
}

func seedArgs(command string, more ...Args) Args {
	args := Args{"command": command, "side_effects": []string{"NONE"}}
	for _, m := range more {
		maps.Copy(args, m)
	}
	return args
}

// The keys of answers, in the order in which mcp-yieldshell 1.1.0 writes them.
const (
	seedCursor  = "start_seq next_seq latest_seq capped evicted"
	seedIDs     = "status execution_id process_id "
	seedStreams = "stdout stderr "
	seedEnded   = seedIDs + "exit_code signal duration_ms " + seedStreams + seedCursor
	seedYielded = seedIDs + "duration_ms " + seedStreams + seedCursor
	seedRead    = "execution_id status exit_code signal " + seedCursor
	seedWait    = "execution_id status exit_code signal wait_result waited_ms max_wait_ms " + seedStreams + seedCursor
	seedListed  = "execution_id process_id name command cwd status exit_code signal started_at ended_at duration_ms " +
		"stdout_bytes stderr_bytes last_output_at idle_ms latest_seq stdin_error"
)

func TestYieldShellAnswersHaveTheSeedsFieldsInItsOrder(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	id := runSeed(t, s, "echo a; cat", Args{"yield_ms": 100, "close_stdin": false}).string("execution_id")
	ended := runSeed(t, s, "seq 9").string("execution_id")
	on := func(id string, more Args) Args {
		args := Args{"execution_id": id}
		maps.Copy(args, more)
		return args
	}
	steps := []struct {
		name, tool string
		args       Args
		keys       string
	}{
		{"completed", "execute", seedArgs("true"), seedEnded},
		{"timed out", "execute", seedArgs("exec sleep 60", Args{"timeout_ms": 50}), seedEnded},
		{"backgrounded", "execute", seedArgs("sleep 0.2", Args{"yield_ms": 0}), seedYielded + " message"},
		{"capped", "execute", seedArgs("seq 9", Args{"max_output_bytes": 3}), seedEnded + " hint"},
		{"stdin nobody reads", "execute", seedArgs("true", Args{"stdin": strings.Repeat("x", 200_000)}), seedEnded + " stdin_error"},
		{"not started", "execute", seedArgs("true", Args{"cwd": "/nowhere"}), "status error"},
		{"nothing declared", "execute", seedArgs("true", Args{"side_effects": []string{}}), "status error"},
		{"read", "read", on(id, nil), seedRead + " stdout stderr"},
		{"read one", "read", on(id, Args{"streams": "stdout"}), seedRead + " stdout"},
		{"read the other", "read", on(id, Args{"streams": "stderr"}), seedRead + " stderr"},
		{"read, capped", "read", on(ended, Args{"since_seq": 1, "max_output_bytes": 1}), seedRead + " hint stdout stderr"},
		{"read, wrong", "read", on(id, Args{"tail_lines": 0}), "execution_id error"},
		{"read, unknown", "read", on("no", nil), "execution_id error"},
		{"wait", "wait", on(id, Args{"timeout_ms": 0}), seedWait},
		{"wait, wrong", "wait", on(id, Args{"tail_lines": 1, "since_seq": 1}), "execution_id error"},
		{"wait, unknown", "wait", on("no", nil), "execution_id error"},
		{"write", "write", on(id, Args{"input": "x"}), "execution_id ok"},
		{"write, closed", "write", on(ended, Args{"input": "x"}), "execution_id ok error"},
		{"write, unknown", "write", on("no", Args{"input": "x"}), "execution_id ok error"},
		{"stop, wrong", "stop", on(id, Args{"signal": "15"}), "execution_id stopped error"},
		{"stop", "stop", on(id, nil), "execution_id stopped signal error"},
		{"stop again", "stop", on(id, nil), "execution_id stopped error"},
		{"ps", "ps", nil, "executions"},
		{"ps of nothing", "ps", Args{"limit": 0}, "executions"},
		{"cleanup", "cleanup", nil, "removed"},
		{"cleanup, wrong", "cleanup", Args{"completed_older_than_ms": -1}, "removed error"},
	}
	for _, step := range steps {
		a := callSeed(t, s, step.tool, step.args)
		if a.isError {
			t.Errorf("%s is marked as an error: %s", step.name, a.text)
		}
		if diff := cmp.Diff(strings.Fields(step.keys), a.keys); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	list := callSeed(t, s, "ps", nil)
	_, first, _ := strings.Cut(list.text, "[\n    ")
	if diff := cmp.Diff(strings.Fields(seedListed), keysOf(t, first)); diff != "" {
		t.Errorf("an entry of ps (-want +got):\n%s", diff)
	}
}

func TestYieldShellTextIsPythonsJSON(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	a := runSeed(t, s, `printf 'é\342\200\250<&>\n\001\177"\\'`)
	if want := "  \"stdout\": \"é\u2028<&>\\n\\u0001\x7f\\\"\\\\\",\n"; !strings.Contains(a.text, want) {
		t.Errorf("%q is not in %q", want, a.text)
	}
	if !strings.Contains(a.text, "\n  \"exit_code\": 0,\n  \"signal\": null,\n") {
		t.Errorf("%s", a.text)
	}
	if a := callSeed(t, s, "ps", Args{"limit": 0}); a.text != "{\n  \"executions\": []\n}" {
		t.Errorf("%q", a.text)
	}
}

func TestYieldShellToolsAndName(t *testing.T) {
	t.Parallel()
	s := mcptest.Launch(t, mcptest.Options{Path: "mcp-yieldshell"})
	var hello struct {
		ServerInfo   struct{ Name, Version string }
		Instructions string
	}
	unmarshal(t, s.Initialize("2025-11-25").Result, &hello)
	if hello.ServerInfo.Name != "YieldShell MCP" || hello.ServerInfo.Version != version() || hello.Instructions != "" {
		t.Errorf("%+v", hello)
	}
	tools, raw := listTools(t, s)
	if len(raw) > 12_000 {
		t.Errorf("tools/list has %d bytes", len(raw))
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		if n := len(tool.Description); n == 0 || n >= textLimit {
			t.Errorf("%s: a description of %d characters", tool.Name, n)
		}
		if _, closed := tool.InputSchema["additionalProperties"]; closed {
			t.Errorf("%s refuses unknown arguments, which the seed ignores", tool.Name)
		}
		checkSchema(t, tool.Name, tool.InputSchema)
	}
	if diff := cmp.Diff(strings.Fields("execute read write wait stop ps cleanup"), names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a := runSeed(t, s, "echo x", Args{"bogus": 1}); a.string("stdout") != "x\n" {
		t.Errorf("with an unknown argument: %s", a.text)
	}
}

func TestYieldShellArgumentErrorsAreMarked(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t)
	tests := []struct {
		name, tool string
		args       Args
		says       []string
	}{
		{"no command", "execute", Args{"side_effects": []string{"NONE"}}, []string{"execute", "command"}},
		{"no side effects", "execute", Args{"command": "true"}, []string{"execute", "side_effects"}},
		{"an unknown side effect", "execute", Args{"command": "true", "side_effects": []string{"BOGUS"}}, []string{"side_effects[0]", "BOGUS", "DELETES_FILES"}},
		{"letter case", "execute", Args{"command": "true", "side_effects": []string{"none"}}, []string{"side_effects[0]", "none", "NONE"}},
		{"no list", "execute", Args{"command": "true", "side_effects": "NONE"}, []string{"side_effects", "NONE"}},
		{"a number as handle", "read", Args{"execution_id": 12}, []string{"read", "execution_id", "12"}},
		{"no number", "wait", Args{"execution_id": "x", "timeout_ms": "soon"}, []string{"timeout_ms", "soon"}},
	}
	for _, test := range tests {
		a := callSeed(t, s, test.tool, test.args)
		if !a.isError {
			t.Errorf("%s is not marked: %s", test.name, a.text)
		}
		for _, says := range test.says {
			if !strings.Contains(a.text, says) {
				t.Errorf("%s: %q does not say %s", test.name, a.text, says)
			}
		}
	}
	for name, args := range map[string]Args{
		"a list as text":      seedArgs("echo x", Args{"side_effects": `["NONE"]`}),
		"a number as text":    seedArgs("echo x", Args{"yield_ms": "5000"}),
		"null for nothing":    seedArgs("echo x", Args{"cwd": nil, "env": nil, "timeout_ms": nil}),
		"a nameless variable": seedArgs("echo x", Args{"env": map[string]string{"": "y"}}),
	} {
		if a := callSeed(t, s, "execute", args); a.string("stdout") != "x\n" {
			t.Errorf("%s: %s", name, a.text)
		}
	}
}

func TestYieldShellFaultsKeepTheServerFromStarting(t *testing.T) {
	t.Parallel()
	for variable, says := range map[string]string{
		"YIELDSHELL_DENY_COMMAND_REGEX=(":                  "missing closing )",
		"YIELDSHELL_ALLOW_COMMAND_REGEX=^(?!rm)":           "a negative lookahead ((?!)",
		"YIELDSHELL_REDACT_ENV_REGEX=*":                    "missing argument to repetition operator",
		"MCP_YIELDSHELL_BLOCKED_SIDE_EFFECTS=DELETE_FILES": "did you mean DELETES_FILES?",
	} {
		name, _, _ := strings.Cut(variable, "=")
		s := mcptest.Launch(t, mcptest.Options{Path: "mcp-yieldshell", Env: []string{variable}})
		if code := s.ExitCode(mcptest.Patience); code != 2 {
			t.Errorf("%s: exit code %d", variable, code)
		}
		if e := s.Stderr(); !strings.Contains(e, "mcp-yieldshell: "+name+": ") || !strings.Contains(e, says) {
			t.Errorf("%s: %s", variable, e)
		}
	}
}

func TestYieldShellHelpNamesAllVariables(t *testing.T) {
	program, err := exec.LookPath("mcp-yieldshell")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../internal/config/seeds/yieldshell.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for part := range strings.SplitSeq(string(source), `"`) {
		if strings.Contains(part, "YIELDSHELL_") && !strings.ContainsAny(part, " \n%") {
			found++
			if !strings.Contains(string(out), "\n  "+part) {
				t.Errorf("the help does not name %s", part)
			}
		}
	}
	if found != 14 {
		t.Errorf("%d variables are read, want 14", found)
	}
}

func TestYieldShellIsServedAsASetToo(t *testing.T) {
	t.Parallel()
	s := mcptest.Start(t, mcptest.Options{Args: []string{"serve", "--tools", "yieldshell"}, Env: []string{"YIELDSHELL_MAX_OUTPUT_BYTES=2"}})
	if a := runSeed(t, s, "echo abc"); a.string("stdout") != "ab" || a.fields["capped"] != true {
		t.Errorf("%s", a.text)
	}
}

// yieldShellTree makes directories to allow, beside others, and links.
func yieldShellTree(t testing.TB) (top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"open/in", "opensib", "sub"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"open/esc": "/etc", "linkin": "open/in", "lopen": "open"} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func TestYieldShellAllowedDirectories(t *testing.T) {
	t.Parallel()
	top := yieldShellTree(t)
	for name, roots := range map[string]string{
		"plain": top + "/open", "by a link, and one that is missing": top + "/missing:" + top + "/lopen", "relative": "open",
	} {
		s := mcptest.Start(t, mcptest.Options{Path: "mcp-yieldshell", Dir: top, Env: []string{"YIELDSHELL_ALLOWED_CWDS=" + roots}})
		tests := []struct{ cwd, stdout, says string }{
			{top + "/open", top + "/open\n", ""},
			{top + "/open/in/..", top + "/open\n", ""},
			{top + "/linkin", top + "/open/in\n", ""},
			{"open/in", top + "/open/in\n", ""},
			{top + "/opensib", "", top + "/opensib"},
			{top + "/open/esc", "", "/etc is outside"},
			{top + "/open/missing", "", top + "/open/missing: no such directory"},
			{"/missing", "", "/missing is outside"},
			{"", "", top + " is outside"},
		}
		for _, test := range tests {
			a := runSeed(t, s, "pwd", Args{"cwd": test.cwd})
			if a.string("stdout") != test.stdout || !strings.Contains(a.string("error"), test.says) || (test.says == "") != (a.string("error") == "") {
				t.Errorf("%s, in %q: %s", name, test.cwd, a.text)
			}
		}
		// Where a command goes itself is not looked at.
		if a := runSeed(t, s, "cd / && pwd", Args{"cwd": top + "/open"}); a.string("stdout") != "/\n" {
			t.Errorf("%s: %s", name, a.text)
		}
	}
}

func TestYieldShellDefaultDirectory(t *testing.T) {
	t.Parallel()
	top := yieldShellTree(t)
	s := mcptest.Start(t, mcptest.Options{Path: "mcp-yieldshell", Dir: top, Env: []string{"YIELDSHELL_DEFAULT_CWD=" + top + "/open"}})
	for cwd, want := range map[string]string{"": top + "/open\n", "in": top + "/open/in\n", top + "/sub": top + "/sub\n"} { // the second: Y11
		if a := runSeed(t, s, "pwd", Args{"cwd": cwd}); a.string("stdout") != want {
			t.Errorf("in %q: %s", cwd, a.text)
		}
	}
}

func TestYieldShellEnvironmentIsTheServersAndTheCalls(t *testing.T) {
	t.Parallel()
	s := mcptest.Start(t, mcptest.Options{
		Path: "mcp-yieldshell", Bare: true,
		Env: []string{"PATH=" + os.Getenv("PATH"), "A=1", "B=2", "YIELDSHELL_MAX_PROCESSES=7", "XDG_CONFIG_HOME=/nonexistent"},
	})
	a := runSeed(t, s, "env -u PWD -u _ -u PATH -u SHLVL -u OLDPWD | sort", Args{"env": map[string]string{"B": "3", "C": "4"}})
	if want := "A=1\nB=3\nC=4\nXDG_CONFIG_HOME=/nonexistent\nYIELDSHELL_MAX_PROCESSES=7\n"; a.string("stdout") != want {
		t.Errorf("%s, want %s", a.text, want)
	}
}
