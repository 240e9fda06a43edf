package main

import (
	"strings"
	"testing"
)

func TestYieldShellSideEffects(t *testing.T) {
	t.Parallel()
	servers := map[string][]string{
		"by default": nil,
		"none":       {"MCP_YIELDSHELL_BLOCKED_SIDE_EFFECTS=,"},
		"empty":      {"MCP_YIELDSHELL_BLOCKED_SIDE_EFFECTS="},
		"two":        {"MCP_YIELDSHELL_BLOCKED_SIDE_EFFECTS= NONE , OTHER"},
	}
	tests := []struct {
		blocked, command string
		declared         []string
		says             []string // nil: it runs
	}{
		{"by default", "echo x", []string{"NONE"}, nil},
		{"by default", "echo x", []string{"NONE", "NONE"}, nil},
		{"by default", "echo x", []string{"DELETES_FILES", "OTHER", "DELETES_FILES"}, nil},
		{"by default", "echo x", []string{}, []string{"side_effects", "empty", `["NONE"]`}},
		{"by default", "echo x", []string{"NONE", "OTHER", "DELETES_FILES"}, []string{"NONE", "OTHER, DELETES_FILES"}},
		{"by default", "echo x", []string{"KILLS_AGENT_PROCESS"}, []string{"KILLS_AGENT_PROCESS", "nothing was started", "Instead: "}},
		{
			"by default", "echo x",
			[]string{"RUNS_INLINE_CODE", "DELETES_FILES", "MODIFIES_OS_SETTINGS"},
			[]string{"RUNS_INLINE_CODE, MODIFIES_OS_SETTINGS are blocked", "nothing was started", "RUNS_INLINE_CODE: ", "MODIFIES_OS_SETTINGS: "},
		},
		// Only what is declared counts: effects are not looked for.
		{"by default", "sh -c 'echo x'", []string{"NONE"}, nil},
		{"empty", "echo x", []string{"RUNS_INLINE_CODE"}, []string{"RUNS_INLINE_CODE"}},
		{"none", "echo x", []string{"RUNS_INLINE_CODE"}, nil},
		{"two", "echo x", []string{"RUNS_INLINE_CODE"}, nil},
		{"two", "echo x", []string{"NONE"}, []string{"NONE is blocked"}},
		{"two", "echo x", []string{"OTHER"}, []string{"OTHER is blocked"}},
	}
	for blocked, env := range servers {
		s := startYieldShell(t, env...)
		for _, test := range tests {
			if test.blocked == blocked {
				wantJudged(t, callSeed(t, s, "execute", Args{"command": test.command, "side_effects": test.declared}), test.declared, test.says)
			}
		}
	}
}

// wantJudged checks that a command has run and said x, or was refused with words.
func wantJudged(t testing.TB, a seedAnswer, what any, says []string) {
	t.Helper()
	if says == nil {
		if a.string("stdout") != "x\n" {
			t.Errorf("%v: %s", what, a.text)
		}
		return
	}
	if a.string("status") != "failed_to_start" {
		t.Errorf("%v: %s", what, a.text)
	}
	for _, word := range says {
		if !strings.Contains(a.string("error"), word) {
			t.Errorf("%v: %q does not say %s", what, a.string("error"), word)
		}
	}
}

func TestYieldShellExpressions(t *testing.T) {
	t.Parallel()
	const deny, allow = "YIELDSHELL_DENY_COMMAND_REGEX=", "YIELDSHELL_ALLOW_COMMAND_REGEX="
	tests := []struct {
		name string
		env  []string
		args Args
		says []string // nil: it runs
	}{
		{"denied anywhere", []string{deny + "rm"}, seedArgs("echo rm"), []string{"deny_regex", "rm"}},
		{"letter case", []string{deny + "RM"}, seedArgs("true rm; echo x"), nil},
		{"stdin, cwd and env are not searched", []string{deny + "rm|tmp"}, seedArgs("cat", Args{"stdin": "x\n", "env": map[string]string{"A": "rm"}, "cwd": "/tmp"}), nil},
		{"the end", []string{deny + "rm$"}, seedArgs("echo rm\n"), []string{"deny_regex"}},
		{"empty is unset", []string{deny, allow}, seedArgs("echo x"), nil},
		{"allowed anywhere", []string{allow + "echo"}, seedArgs("true; echo x"), nil},
		{"not allowed", []string{allow + "echo"}, seedArgs("ls"), []string{"allow_regex", "ls"}},
		{"the beginning is that of the text", []string{allow + "^echo"}, seedArgs("ls\necho x"), []string{"allow_regex"}},
		{"deny wins", []string{allow + "^echo", deny + "secret"}, seedArgs("echo secret"), []string{"deny_regex"}},
		{"a named shell, denied", []string{deny + "bash"}, seedArgs("echo x", Args{"shell": "/bin/bash"}), []string{"shell", "bash"}},
		{"the default shell is not tested", []string{deny + "/bin/sh"}, seedArgs("echo x"), nil},
		{"a named shell, not allowed", []string{allow + "^echo"}, seedArgs("echo x", Args{"shell": "/bin/bash"}), []string{"shell", "bash"}},
		{"a named shell, allowed", []string{allow + "^(echo|/bin/bash)"}, seedArgs("echo x", Args{"shell": "/bin/bash"}), nil},
		{"side effects come first", []string{deny + "rm"}, seedArgs("rm x", Args{"side_effects": []string{"RUNS_INLINE_CODE"}}), []string{"RUNS_INLINE_CODE"}},
		{"deny before allow", []string{deny + "rm", allow + "^echo"}, seedArgs("rm x"), []string{"deny_regex"}},
		{"the directory comes last", []string{deny + "rm", "YIELDSHELL_ALLOWED_CWDS=/tmp"}, seedArgs("rm x", Args{"cwd": "/nowhere"}), []string{"deny_regex"}},
	}
	for _, test := range tests {
		s := startYieldShell(t, test.env...)
		wantJudged(t, callSeed(t, s, "execute", test.args), test.name, test.says)
	}
}

// What the operator asks of whelk itself holds besides, and can only forbid more.
func TestYieldShellIsGuardedByWhelksPolicyToo(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t, "WHELK_DENY=git push")
	wantJudged(t, runSeed(t, s, "git -C . push"), "git push", []string{"git push"})
	wantJudged(t, runSeed(t, s, "echo x"), "echo", nil)
}

func TestYieldShellRedaction(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t, "YIELDSHELL_REDACT_ENV_REGEX=TOKEN", "MY_TOKEN=supersecret123", "MY_TOKEN2=supersecret",
		"SHORT_TOKEN=abcdefg", "EIGHT_TOKEN=abcdefgh", "my_token_lc=lowercasesecret", "OTHER=othervalue9")
	tests := []struct{ name, command, stdout string }{
		{"the longest first", "echo $MY_TOKEN; echo $MY_TOKEN2", "[REDACTED:MY_TOKEN]\n[REDACTED:MY_TOKEN2]\n"},
		{"eight bytes and more", "echo $SHORT_TOKEN $EIGHT_TOKEN", "abcdefg [REDACTED:EIGHT_TOKEN]\n"},
		{"letter case, other names", "echo $my_token_lc $OTHER", "lowercasesecret othervalue9\n"},
		{"over several writes", "printf superse; sleep 0.2; printf cret12; sleep 0.2; printf 3END", "[REDACTED:MY_TOKEN]END"},
		{"what the call brings", "echo $NEW_TOKEN $NEW", "[REDACTED:NEW_TOKEN] overlayplain\n"},
		{"as base64", `printf %s "$MY_TOKEN" | base64`, "[REDACTED:MY_TOKEN]\n"},
	}
	for _, test := range tests {
		a := runSeed(t, s, test.command, Args{"env": map[string]string{"NEW_TOKEN": "overlaysecret", "NEW": "overlayplain"}})
		wantSeedFields(t, test.name, a, map[string]any{"stdout": test.stdout, "latest_seq": float64(len(test.stdout) + 1)})
	}

	part := runSeed(t, s, "printf superse; sleep 60", Args{"yield_ms": 300})
	wantSeedFields(t, "what may become a secret", part, map[string]any{"stdout": "", "latest_seq": 1.0})
	id := runSeed(t, s, "echo supersecret123 bbb").string("execution_id")
	listed := callSeed(t, s, "ps", Args{"limit": 1}).fields["executions"].([]any)[0].(map[string]any)
	if listed["command"] != "echo [REDACTED:MY_TOKEN] bbb" {
		t.Errorf("ps shows %v", listed["command"])
	}
	wantSeedFields(t, "a page that parts a mark", callSeed(t, s, "read", Args{"execution_id": id, "since_seq": 7, "max_output_bytes": 6}), map[string]any{"stdout": "TED:MY"})
	if e := runSeed(t, s, "x", Args{"cwd": "/supersecret123"}).string("error"); strings.Contains(e, "supersecret") || !strings.Contains(e, "[REDACTED:MY_TOKEN]") {
		t.Errorf("the error is %q", e)
	}
}

func TestYieldShellHidesWhatWhelkIsToldToHideToo(t *testing.T) {
	t.Parallel()
	s := startYieldShell(t, "YIELDSHELL_REDACT_ENV_REGEX=(?i)token", "WHELK_REDACT_ENV=PASSWORD", "my_token=supersecret123", "PASSWORD=correcthorse", "Password=batterystaple")
	a := runSeed(t, s, `echo $my_token $PASSWORD $Password; printf %s "$my_token" | base64`)
	if want := "[REDACTED:my_token] [REDACTED:PASSWORD] batterystaple\n[REDACTED:my_token]\n"; a.string("stdout") != want {
		t.Errorf("%s, want %q", a.text, want)
	}
}
