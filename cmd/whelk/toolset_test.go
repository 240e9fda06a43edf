package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"whelk/internal/mcptest"
)

// listedTools are the names of the tools in the order in which a client sees them.
func listedTools(t testing.TB, s *mcptest.Server) (names []string) {
	t.Helper()
	var list struct{ Tools []struct{ Name string } }
	m := s.Begin("tools/list", Args{}).Wait()
	if err := json.Unmarshal(m.Result, &list); err != nil {
		t.Fatalf("%s: %v", m.Raw, err)
	}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestSeveralToolSetsAreServedTogether(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--tools", "native,tabshell,mcpshell", "--deny", "rm", "--", "--max-output-length", "10", "--blacklist", "seq")
	names := listedTools(t, s)
	last := -1
	for _, first := range []string{"execute", "execute_shell_command", "shell_execute"} {
		at := slices.Index(names, first)
		if at <= last {
			t.Errorf("%s is not behind the sets before its own: %q", first, names)
		}
		last = at
	}
	// What the operator forbids holds in every set, what a set forbids in it alone.
	for _, test := range []struct {
		command               string
		native, tab, mcpShell bool // it is refused there
	}{
		{"rm -f x", true, true, true},
		{"seq 1", false, true, true}, // nothing is allowed in mcp-shell-server's without its variables
		{"echo hi", false, false, true},
	} {
		if r := s.Execute(test.command); (r.String("code") == "policy_denied") != test.native {
			t.Errorf("execute %s: %#v", test.command, r)
		}
		if f := tabRun(t, s, test.command); (f["status"] == "rejected") != test.tab {
			t.Errorf("execute_shell_command %s: %v", test.command, f)
		}
		if r := s.Call("shell_execute", Args{"command": strings.Fields(test.command)}); r.IsError != test.mcpShell {
			t.Errorf("shell_execute %s: %#v", test.command, r)
		}
	}
	// Each set knows its own executions alone, and cuts as it promises.
	tabTask(t, s, "echo 0123456789abcdef")
	for _, e := range executions(t, s) {
		if strings.Contains(e["command"].(string), "0123456789") {
			t.Errorf("ps lists a task of another set: %v", e)
		}
	}
}

func TestASetsOwnCommandLineStandsBehindDashes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		says string
	}{
		{"a set without one", []string{"--tools", "native", "--", "--timeout", "5"}, "no tool set of native has a command line"},
		{"a flag that it does not have", []string{"--tools", "tabshell", "--", "--nope"}, "nope"},
		{"a word before the dashes", []string{"serve", "nope"}, "nope"},
	} {
		p := mcptest.Launch(t, mcptest.Options{Args: test.args})
		if code := p.ExitCode(mcptest.Patience); code != 2 || !strings.Contains(p.Stderr(), test.says) {
			t.Errorf("%s: exit code %d: %s", test.name, code, p.Stderr())
		}
	}
}
