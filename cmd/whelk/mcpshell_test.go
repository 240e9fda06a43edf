package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/mcptest"
)

// shellAnswer is a result of shell_execute.
type shellAnswer struct {
	Items []string // the text items
	Error bool
	// Fields are the documented result.
	Fields shellFields
}

type shellFields struct {
	Error              *string
	Stdout, Stderr     string
	Status, Returncode int
	Took               *float64 `json:"execution_time"`
	Directory          string
}

// startMCPShell starts the program under the name of mcp-shell-server in a
// directory with some files; env are its variables.
func startMCPShell(t testing.TB, env ...string) *mcptest.Server {
	t.Helper()
	return mcptest.Start(t, mcptest.Options{Path: "mcp-shell-server", Dir: mcpShellDir(t), Env: env})
}

func mcpShellDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// A program that does what its argument says. Its name is on no list of the
	// default security policy.
	write(t, filepath.Join(dir, "bin", "tool"), "#!/bin/sh\neval \"$1\"\n")
	if err := os.Chmod(filepath.Join(dir, "bin", "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "in.txt"), "alpha\nbeta\n")
	write(t, filepath.Join(dir, "sub", "deep.txt"), "deep\n")
	for link, target := range map[string]string{"out": "/etc/passwd", "same": "in.txt"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shellTools are variables that allow what these tests run.
func shellTools(dir string) []string {
	return []string{
		"ALLOW_COMMANDS=tool,echo,printf,cat,ls,pwd,head,seq,sort,tr,wc,tail,yes,sleep,printenv,grep,find,absent",
		"MCP_SHELL_SAFE_PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin",
	}
}

func startShellTools(t testing.TB, env ...string) *mcptest.Server {
	t.Helper()
	dir := mcpShellDir(t)
	return mcptest.Start(t, mcptest.Options{Path: "mcp-shell-server", Dir: dir, Env: append(shellTools(dir), env...)})
}

// shell runs a command, with further arguments, and returns the answer.
func shell(t testing.TB, s *mcptest.Server, command []string, more ...Args) shellAnswer {
	t.Helper()
	args := Args{"command": command}
	for _, m := range more {
		maps.Copy(args, m)
	}
	return answerOf(t, s.BeginCall("shell_execute", args))
}

func answerOf(t testing.TB, p *mcptest.Pending) shellAnswer {
	t.Helper()
	m := p.Wait()
	if m.Error != nil {
		t.Fatalf("protocol error %d: %s", m.Error.Code, m.Error.Message)
	}
	var wire struct {
		Content           []struct{ Type, Text string }
		StructuredContent *shellFields
		IsError           bool
	}
	if err := json.Unmarshal(m.Result, &wire); err != nil {
		t.Fatalf("%s: %v", m.Result, err)
	}
	if wire.StructuredContent == nil || wire.Content == nil {
		t.Fatalf("one of the two forms is missing: %s", m.Result)
	}
	a := shellAnswer{Items: []string{}, Error: wire.IsError, Fields: *wire.StructuredContent}
	for _, c := range wire.Content {
		if c.Type != "text" {
			t.Errorf("an item is %s", c.Type)
		}
		a.Items = append(a.Items, c.Text)
	}
	if f := a.Fields; f.Status != f.Returncode || f.Took == nil || !filepath.IsAbs(f.Directory) {
		t.Errorf("fields %+v", f)
	}
	return a
}

// wantShell checks the items and the output of a command that succeeds.
func wantShell(t testing.TB, a shellAnswer, stdout, stderr string, items ...string) {
	t.Helper()
	if items == nil {
		items = []string{}
	}
	if diff := cmp.Diff(items, a.Items); diff != "" || a.Error {
		t.Errorf("is an error: %v; items (-want +got):\n%s", a.Error, diff)
	}
	f := a.Fields
	if f.Error != nil || f.Status != 0 || f.Stdout != stdout || f.Stderr != stderr {
		t.Errorf("want stdout %q, stderr %q; got %+v", stdout, stderr, f)
	}
}

// wantFailure checks that a call failed with one item that has all words.
func wantFailure(t testing.TB, a shellAnswer, status int, words ...string) {
	t.Helper()
	if !a.Error || len(a.Items) != 1 || !strings.HasPrefix(a.Items[0], "Error executing command: ") {
		t.Errorf("want one item that says what failed, got %+v", a)
		return
	}
	for _, word := range words {
		if !strings.Contains(a.Items[0], word) {
			t.Errorf("%q is not in %q", word, a.Items[0])
		}
	}
	if a.Fields.Status != status {
		t.Errorf("status %d, want %d", a.Fields.Status, status)
	}
}

func TestMCPShellTool(t *testing.T) {
	t.Parallel()
	s := startMCPShell(t, "ALLOW_COMMANDS=ls, echo", "ALLOW_PATTERNS=python[0-9.]*", "MCP_SHELL_MAX_TIMEOUT_SECONDS=20", "MCP_SHELL_CHILD_ENV_ALLOWLIST=LANG")
	var list struct {
		Tools []struct {
			Name, Description string
			InputSchema       json.RawMessage
		}
	}
	if err := json.Unmarshal(s.Begin("tools/list", nil).Wait().Result, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != 1 || list.Tools[0].Name != "shell_execute" {
		t.Fatalf("tools %+v", list.Tools)
	}
	tool := list.Tools[0]
	want := "\nAllowed commands: echo, ls\nAllowed patterns: python[0-9.]*\nDefault timeout: 20s; maximum timeout: 20s; output cap: 1048576 bytes"
	if !strings.HasSuffix(tool.Description, want) {
		t.Errorf("the description is %q", tool.Description)
	}
	var schema struct {
		Required   []string
		Properties map[string]struct {
			Type    string
			Items   *struct{ Type string }
			Minimum *int
		}
	}
	if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"command"}, schema.Required); diff != "" {
		t.Errorf("required (-want +got):\n%s", diff)
	}
	kinds := map[string]string{"command": "array", "stdin": "string", "directory": "string", "timeout": "integer", "envs": "object", "output_limit": "integer"}
	for name, kind := range kinds {
		if schema.Properties[name].Type != kind {
			t.Errorf("%s is %q, want %s", name, schema.Properties[name].Type, kind)
		}
	}
	if p := schema.Properties["timeout"]; len(schema.Properties) != len(kinds) || p.Minimum == nil || *p.Minimum != 1 {
		t.Errorf("schema %s", tool.InputSchema)
	}
}

func TestMCPShellIntroducesItselfByTheNameItStandsInFor(t *testing.T) {
	t.Parallel()
	s := mcptest.Launch(t, mcptest.Options{Path: "mcp-shell-server"})
	var hello struct{ ServerInfo struct{ Name string } }
	if err := json.Unmarshal(s.Initialize("2025-06-18").Result, &hello); err != nil || hello.ServerInfo.Name != "mcp-shell-server" {
		t.Errorf("%v: %+v", err, hello)
	}
}

func TestMCPShellSuccess(t *testing.T) {
	t.Parallel()
	s := startShellTools(t)
	tests := []struct {
		name           string
		command        []string
		more           Args
		stdout, stderr string
		items          []string
	}{
		{"output without the white space around it", []string{"echo", "hi"}, nil, "hi\n", "", []string{"hi"}},
		{"exact output in the fields (M9)", []string{"printf", "  x y \\n\\n"}, nil, "  x y \n\n", "", []string{"x y"}},
		{"nothing but white space", []string{"printf", "\\n\\n"}, nil, "\n\n", "", nil},
		{"nothing", []string{"tool", ":"}, nil, "", "", nil},
		{"both streams", []string{"tool", "echo o; echo e >&2"}, nil, "o\n", "e\n", []string{"o", "e"}},
		{"standard error alone", []string{"tool", "echo e >&2"}, nil, "", "e\n", []string{"e"}},
		{"an empty element is dropped", []string{"echo", "", "x"}, nil, "x\n", "", []string{"x"}},
		{"elements are arguments", []string{"printf", "[%s]", "a b", "$HOME", "*", "a|b"}, nil, "[a b][$HOME][*][a|b]", "", []string{"[a b][$HOME][*][a|b]"}},
		{"operators of a shell inside of elements (M15)", []string{"echo", "a;b", "c&&d", "`e`", "f\ng"}, nil, "a;b c&&d `e` f\ng\n", "", []string{"a;b c&&d `e` f\ng"}},
		{"other operators of a shell", []string{"echo", "&", "2>&1", "|&", "<<"}, nil, "& 2>&1 |& <<\n", "", []string{"& 2>&1 |& <<"}},
		{"no input", []string{"cat"}, nil, "", "", nil},
		{"input", []string{"cat"}, Args{"stdin": "Hello, World!"}, "Hello, World!", "", []string{"Hello, World!"}},
		{"a pipeline as it is", []string{"printf", "  x\\n", "|", "cat"}, nil, "  x\n", "", []string{"  x\n"}},
		{"a pipeline that ends in |", []string{"echo", "x", "|"}, nil, "x\n", "", []string{"x\n"}},
		{"input of a pipeline (M6)", []string{"cat", "|", "wc", "-c"}, Args{"stdin": "hello"}, "5\n", "", []string{"5\n"}},
		{"much through a filter (M4)", []string{"head", "-c", "900000", "/dev/zero", "|", "tr", "\\0", "x", "|", "wc", "-c"}, nil, "900000\n", "", []string{"900000\n"}},
		{"a reader that has enough (M5, M12)", []string{"yes", "|", "head", "-n", "2"}, nil, "y\ny\n", "", []string{"y\ny\n"}},
		{"bytes through a pipe (M8)", []string{"printf", "\\377\\376", "|", "wc", "-c"}, nil, "2\n", "", []string{"2\n"}},
		{"a file as input", []string{"cat", "<", "in.txt"}, nil, "alpha\nbeta\n", "", []string{"alpha\nbeta"}},
		{"a link inside of the directory", []string{"cat", "<", "same"}, nil, "alpha\nbeta\n", "", []string{"alpha\nbeta"}},
		{"a file within a pipeline (M7)", []string{"echo", "a", ">", "mid.txt", "|", "cat", "<", "in.txt"}, nil, "alpha\nbeta\n", "", []string{"alpha\nbeta\n"}},
		{"a file is written", []string{"echo", "one", ">", "new.txt"}, nil, "", "", nil},
		{"and appended to", []string{"echo", "two", ">>", "new.txt"}, nil, "", "", nil},
		{"and has both", []string{"cat", "new.txt", "mid.txt"}, nil, "one\ntwo\na\n", "", []string{"one\ntwo\na"}},
		{"bytes into a file", []string{"printf", "\\377\\376", ">", "b.bin"}, nil, "", "", nil},
		{"and out of it", []string{"wc", "-c", "<", "b.bin"}, nil, "2\n", "", []string{"2"}},
		{"another directory", []string{"cat", "deep.txt"}, Args{"directory": "sub"}, "deep\n", "", []string{"deep"}},
		{"an unknown argument", []string{"echo", "x"}, Args{"colour": "blue"}, "x\n", "", []string{"x"}},
		{"a number that arrived as text", []string{"echo", "x"}, Args{"timeout": "5"}, "x\n", "", []string{"x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantShell(t, shell(t, s, tt.command, tt.more), tt.stdout, tt.stderr, tt.items...)
		})
	}
}

func TestMCPShellFailure(t *testing.T) {
	t.Parallel()
	s := startShellTools(t)
	tests := []struct {
		name    string
		command []string
		more    Args
		status  int
		words   []string
	}{
		{"an exit code, with what was written", []string{"tool", "echo o; echo e >&2; exit 3"}, nil, 3, []string{"status 3", "\nstdout:\no\nstderr:\ne"}},
		{"a signal", []string{"tool", "echo o; kill -9 $$"}, nil, -9, []string{"signal 9", "\nstdout:\no"}},
		{"the first stage that failed", []string{"cat", "/none", "|", "wc", "-l"}, nil, 1, []string{"status 1", "cat, program 1 of 2", "/none"}},
		{"the last stage", []string{"echo", "a", "|", "ls", "/none"}, nil, 2, []string{"status 2", "ls, program 2 of 2", "/none"}},
		{"no program of that name", []string{"absent"}, nil, 1, []string{"absent"}},
		{"an empty list", []string{}, nil, 1, []string{"no command"}},
		{"blanks", []string{"  "}, nil, 1, []string{"empty"}},
		{"a directory that is not there", []string{"pwd"}, Args{"directory": "/no/such"}, 1, []string{"/no/such"}},
		{"a file for a directory", []string{"pwd"}, Args{"directory": "in.txt"}, 1, []string{"in.txt", "not a directory"}},
		{"a blank directory", []string{"pwd"}, Args{"directory": " "}, 1, []string{"directory is empty"}},
		{"NUL", []string{"echo", "a\x00b"}, nil, 1, []string{"NUL"}},
		{"a list operator", []string{"echo", "a", "&&", "echo", "b"}, nil, 1, []string{"&&"}},
		{"a list operator in a pipeline", []string{"echo", "a", "|", "cat", ";", "echo"}, nil, 1, []string{";"}},
		{"a pipeline without its first program", []string{"|", "cat"}, nil, 1, []string{"|"}},
		{"a file outside of the directory", []string{"cat", "<", "out"}, nil, 1, []string{"out", "working directory"}},
		{"an absolute file", []string{"echo", "x", ">", "/dev/null"}, nil, 1, []string{"/dev/null", "relative"}},
		{"a file above", []string{"echo", "x", ">", "../x"}, nil, 1, []string{"../x", ".."}},
		{"a redirection without a file", []string{"echo", "x", ">", ""}, nil, 1, []string{">"}},
		{"no time", []string{"echo", "x"}, Args{"timeout": 0}, 1, []string{"timeout", "1"}},
		{"null", []string{"echo", "x"}, Args{"directory": nil}, 1, []string{"directory", "null"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := shell(t, s, tt.command, tt.more)
			wantFailure(t, a, tt.status, tt.words...)
			if started := strings.Contains(a.Items[0], "Command "); started != (a.Fields.Error == nil) {
				t.Errorf("the field error is for what was not run alone: %+v", a.Fields)
			}
			if e := a.Fields.Error; e != nil && a.Fields.Stderr != *e {
				t.Errorf("stderr has %q, want the error %q", a.Fields.Stderr, *e)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(s.Dir), "x")); err == nil {
		t.Error("a file was made above the directory")
	}
}
