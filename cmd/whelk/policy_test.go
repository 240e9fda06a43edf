package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"whelk/internal/mcptest"
)

// denies checks that a command was refused by the policy, and by which rule,
// and that nothing was started for it.
func denies(t testing.TB, r *mcptest.Result, rule string) {
	t.Helper()
	if r.Status() != "failed_to_start" || r.String("code") != "policy_denied" || !strings.Contains(r.String("rule"), rule) || r.Has("execution_id") {
		t.Errorf("%#v: want a denial by rule %s", r, rule)
	}
}

func TestADeniedCommandNeverStarts(t *testing.T) {
	s := startServer(t, "--deny", "git push", "--deny", "touch")
	for _, command := range []string{
		"touch made", "/usr/bin/touch made", "to''uch made", "env -i touch made", "echo touch made | sh", "$(echo touch) made",
		"sh -c 'touch made'", "x=touch; $x made", "f() { touch made; }; f", "find . -exec touch made +", "eval 'touch made'",
		"trap 'touch made' EXIT", "true && { ! touch made; }", "cat <(touch made)", "git -c a.b=c push",
	} {
		r := s.Execute(command)
		if r.String("code") != "policy_denied" {
			t.Errorf("%s: %#v", command, r)
		}
	}
	denies(t, s.Call("execute", mcptest.Args{"argv": []string{"touch", "made"}}), `deny "touch"`)
	denies(t, s.Execute("sh", mcptest.Args{"close_stdin": false}), "on_unknown")
	denies(t, s.Execute("sh", mcptest.Args{"stdin": "touch made"}), `deny "touch"`)
	wantRun(t, s.Execute("ls; git status >/dev/null 2>&1; echo touch"), "completed", 0, "touch\n")
}

func TestTheBytesJudgedAreTheBytesRun(t *testing.T) {
	s := startServer(t, "--deny", "rm")
	wantRun(t, s.Execute("printf 'a\\n'\r\nprintf b\r\n"), "completed", 0, "a\nb")
}

func TestOnlyWhatIsAllowedRuns(t *testing.T) {
	s := startServer(t, "--allow", "echo", "--allow", "cat")
	if err := os.WriteFile(filepath.Join(s.Dir, "cat"), []byte("#!/bin/sh\necho other\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	wantRun(t, s.Execute("echo a | cat"), "completed", 0, "a\n")
	for _, command := range []string{"./cat", "PATH=.; cat", "echo a | tee b", "echo $(id)", "cat <<E\n$(id)\nE"} {
		if r := s.Execute(command); r.String("code") != "policy_denied" {
			t.Errorf("%s: %#v", command, r)
		}
	}
	if r := s.Execute("cat x", mcptest.Args{"env": map[string]string{"LD_PRELOAD": "./x.so"}}); r.String("code") != "policy_denied" {
		t.Errorf("%#v", r)
	}
}

func TestExplainStartsNothing(t *testing.T) {
	s := startServer(t, "--deny", "touch")
	r := s.Call("explain", mcptest.Args{"command": "cd /tmp && touch made"})
	if r.String("decision") != "deny" || r.String("rule") != `deny "touch"` {
		t.Errorf("%#v", r)
	}
	if r := s.Call("explain", mcptest.Args{"command": "echo hi > made"}); r.String("decision") != "allow" {
		t.Errorf("%#v", r)
	}
	if got := executions(t, s); len(got) != 0 {
		t.Errorf("%d executions", len(got))
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "made")); err == nil {
		t.Error("explain ran what it explained")
	}
}

// withConfig starts a server with a configuration file.
func withConfig(t testing.TB, text string) (s *mcptest.Server, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "whelk.yaml")
	writeFile(t, file, text)
	return mcptest.Launch(t, mcptest.Options{Args: []string{"--result", "structured", "--log-level", "info", "--config", file}}), file
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFaultyRulesLeaveTheOldOnesInForce(t *testing.T) {
	s, file := withConfig(t, "deny: [touch]\n")
	s.Initialize("2025-11-25")
	reload := func(text, said string) {
		t.Helper()
		writeFile(t, file, text)
		s.Signal(syscall.SIGHUP)
		mcptest.Eventually(t, mcptest.Patience, said, func() bool { return strings.Contains(s.Stderr(), said) })
	}
	denies(t, s.Execute("touch x"), `deny "touch"`)
	reload("deny: [mkdir\n", "the configuration is faulty: the old rules hold")
	denies(t, s.Execute("touch x"), `deny "touch"`)
	reload("policy: {rules: [{name: a, match: {name: [mkdir]}, decision: deny, tests: [{command: ls, decision: deny}]}]}\n",
		"the policy is faulty: the old rules hold")
	denies(t, s.Execute("touch x"), `deny "touch"`)
	reload("deny: [mkdir]\n", "the rules are taken anew")
	denies(t, s.Execute("mkdir x"), `deny "mkdir"`)
	wantRun(t, s.Execute("touch x"), "completed", 0, "")
}

func TestCommandsCannotWriteTheConfiguration(t *testing.T) {
	s, file := withConfig(t, "deny: [mkdir]\n")
	s.Initialize("2025-11-25")
	for _, command := range []string{"echo > " + file, "sed -i s/a/b/ " + file, "cp x " + file, "rm " + file} {
		if r := s.Execute(command); r.String("code") != "policy_denied" {
			t.Errorf("%s: %#v", command, r)
		}
	}
}

const asking = "policy:\n  rules:\n    - name: makes things\n      match: {name: [touch]}\n      decision: ask\n      reason: it makes a file\n"

// stateless writes a request of the 2026 protocol.
func stateless(s *mcptest.Server, id int, capabilities, params string) *mcptest.Message {
	p := s.Expect(fmt.Sprint(id))
	s.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":%s},%s}}`+"\n", id, capabilities, params))
	return p.Wait()
}

// asked is a result that waits for a person.
type asked struct {
	ResultType    string
	RequestState  string
	InputRequests map[string]struct {
		Method string
		Params struct{ Message string }
	}
	StructuredContent struct{ Status, Code, Error string }
}

func parseAsked(t testing.TB, m *mcptest.Message) (a asked) {
	t.Helper()
	if err := json.Unmarshal(m.Result, &a); err != nil {
		t.Fatalf("%s: %v", m.Raw, err)
	}
	return a
}

func TestAPersonIsAskedAndTheAnswerIsAboutThisVeryCall(t *testing.T) {
	s, _ := withConfig(t, asking)
	const can = `{"elicitation":{"form":{}}}`
	call := func(id int, command, more string) asked {
		t.Helper()
		return parseAsked(t, stateless(s, id, can, fmt.Sprintf(`"name":"execute","arguments":{"command":%q}%s`, command, more)))
	}
	answer := func(state, action, choice string) string {
		return fmt.Sprintf(`,"requestState":%q,"inputResponses":{"approval":{"action":%q,"content":{"approval":%q}}}`, state, action, choice)
	}
	q := call(1, "touch a", "")
	message := q.InputRequests["approval"].Params.Message
	for _, part := range []string{"makes things", "it makes a file", "touch a", "/touch", s.Dir} {
		if !strings.Contains(message, part) {
			t.Errorf("the question does not say %q: %s", part, message)
		}
	}
	if q.ResultType != "input_required" || q.RequestState == "" || q.InputRequests["approval"].Method != "elicitation/create" {
		t.Errorf("%+v", q)
	}
	if got := call(2, "touch b", answer(q.RequestState, "accept", "once")); got.StructuredContent.Code != "policy_denied" {
		t.Errorf("an answer about another command: %+v", got)
	}
	q = call(3, "touch a", "")
	if got := call(4, "touch a", answer(q.RequestState, "decline", "once")); got.StructuredContent.Code != "policy_denied" {
		t.Errorf("declined: %+v", got)
	}
	q = call(5, "touch a", "")
	if got := call(6, "touch a", answer(q.RequestState, "accept", "once")); got.StructuredContent.Status != "completed" {
		t.Errorf("once: %+v", got)
	}
	if got := call(7, "touch a", answer(q.RequestState, "accept", "once")); got.StructuredContent.Code != "policy_denied" {
		t.Errorf("the same answer again: %+v", got)
	}
	if got := call(8, "touch a", answer("invented", "accept", "once")); got.StructuredContent.Code != "policy_denied" {
		t.Errorf("an invented answer: %+v", got)
	}
	q = call(9, "touch a", "")
	if got := call(10, "touch a", answer(q.RequestState, "accept", "for this run of the server")); got.StructuredContent.Status != "completed" {
		t.Errorf("for the run: %+v", got)
	}
	if got := call(11, "touch a", ""); got.StructuredContent.Status != "completed" {
		t.Errorf("afterwards: %+v", got)
	}
	if got := call(12, "touch c", ""); got.ResultType != "input_required" {
		t.Errorf("another command: %+v", got)
	}
}

func TestAClientThatCannotAskGetsNo(t *testing.T) {
	s, _ := withConfig(t, asking)
	got := parseAsked(t, stateless(s, 1, "{}", `"name":"execute","arguments":{"command":"touch a"}`))
	if got.StructuredContent.Code != "policy_denied" || !strings.Contains(got.StructuredContent.Error, "cannot ask") {
		t.Errorf("%+v", got)
	}
	s.Initialize("2025-11-25")
	if r := s.Execute("touch a"); r.String("code") != "policy_denied" || !strings.Contains(r.String("error"), "cannot ask") {
		t.Errorf("%#v", r)
	}
}

func TestAPersonIsAskedInTheOlderProtocolToo(t *testing.T) {
	s, _ := withConfig(t, asking)
	s.Begin("initialize", Args{
		"protocolVersion": "2025-11-25", "capabilities": Args{"elicitation": Args{}}, "clientInfo": Args{"name": "c", "version": "1"},
	}).Wait()
	s.Notify("notifications/initialized", nil)
	call := s.BeginExecute("touch a; echo made")
	var question struct {
		ID     json.RawMessage
		Method string
	}
	mcptest.Eventually(t, mcptest.Patience, "the question", func() bool {
		lines := s.Lines()
		return json.Unmarshal([]byte(lines[len(lines)-1]), &question) == nil && question.Method == "elicitation/create"
	})
	s.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"approval":"once"}}}`+"\n", question.ID))
	wantRun(t, call.Result(), "completed", 0, "made\n")
}
