package main

import (
	"fmt"
	"strings"
	"testing"

	"whelk/internal/mcptest"
)

// startSecret starts a server that knows some secrets.
func startSecret(t testing.TB, flags ...string) *mcptest.Server {
	t.Helper()
	o := mcptest.Options{Env: []string{
		"MY_TOKEN=supersecret123", "MY_TOKEN2=supersecret", "SHORT_TOKEN=abcdefg", "EIGHT_TOKEN=abcdefgh",
		"my_token_lc=lowercasesecret", "OTHER=othervalue9",
	}}
	return startWith(t, o, append([]string{"--redact-env", "TOKEN"}, flags...)...)
}

func TestBO82SecretsAreHiddenHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	s := startSecret(t)
	for command, want := range map[string]string{
		`printf superse; sleep 0.2; printf cret12; sleep 0.2; printf 3END`:           "[REDACTED:MY_TOKEN]END",
		`echo $MY_TOKEN $MY_TOKEN2 $SHORT_TOKEN $EIGHT_TOKEN $OTHER lowercasesecret`: "[REDACTED:MY_TOKEN] [REDACTED:MY_TOKEN2] abcdefg [REDACTED:EIGHT_TOKEN] othervalue9 lowercasesecret\n",
		`for c in s u p e r s e c r e t 1 2 3 x; do printf $c; sleep 0.01; done`:     "[REDACTED:MY_TOKEN]x",
		`printf supersecre`:                               "supersecre",
		`printf %s "$MY_TOKEN" | base64`:                  "[REDACTED:MY_TOKEN]\n",
		`printf 'user:%s' "$MY_TOKEN" | base64 | tr -d =`: "dXNlcjp[REDACTED:MY_TOKEN]\n",
	} {
		r := s.Execute(command)
		wantRun(t, r, "completed", 0, want)
		if marks := strings.Count(want, "[REDACTED:"); fmt.Sprint(r.Fields["redactions"]) != fmt.Sprint(marks) && (marks > 0 || r.Has("redactions")) {
			t.Errorf("%s: %#v: want %d redactions", command, r, marks)
		}
	}
	r := s.Execute("yes $MY_TOKEN | head -n 20000")
	if r.Int("redactions") != 20000 || r.Int("latest_seq") != 20000*int64(len("[REDACTED:MY_TOKEN]\n"))+1 {
		t.Errorf("%#v", r)
	}
}

func TestPagesNeverPartASecret(t *testing.T) {
	t.Parallel()
	s := startSecret(t)
	const want = "aaa [REDACTED:MY_TOKEN] bbb [REDACTED:EIGHT_TOKEN]\n"
	id := s.Background(`printf 'aaa superse'; sleep 0.3; printf 'cret123 bbb abcd'; sleep 0.3; echo efgh`)
	if r := s.Call("read", Args{"execution_id": id}); strings.Contains(r.Stdout(), "superse") {
		t.Errorf("shown before it is decided: %#v", r)
	}
	if r := s.Call("wait", Args{"execution_id": id, "max_output_bytes": 1}); r.Int("redactions") != 2 {
		t.Errorf("%#v", r)
	}
	for size := 1; size <= len(want); size++ {
		joined := ""
		for next := int64(1); next <= int64(len(want)); {
			r := s.Call("read", Args{"execution_id": id, "since_seq": next, "max_output_bytes": size})
			joined += r.Stdout()
			next = r.Int("next_seq")
		}
		if joined != want {
			t.Errorf("pages of %d bytes: %q, want %q", size, joined, want)
		}
	}
}

func TestSecretsAreHiddenWhereverATextLeaves(t *testing.T) {
	t.Parallel()
	s := startSecret(t, "--deny", "rm", "--env-set", "SET_TOKEN=operatorsecret", "--log-level", "debug")
	env := Args{"NEW_TOKEN": "overlaysecret", "NEW": "overlayplain"}
	wantRun(t, s.Execute("echo $NEW_TOKEN $NEW $SET_TOKEN", Args{"env": env}), "completed", 0, "[REDACTED:NEW_TOKEN] overlayplain [REDACTED:SET_TOKEN]\n")
	wantRun(t, s.Execute("echo supersecret123", Args{"name": "use overlaysecret", "env": env}), "completed", 0, "[REDACTED:MY_TOKEN]\n")
	if e := executions(t, s)[0]; e["command"] != "echo [REDACTED:MY_TOKEN]" || e["name"] != "use [REDACTED:NEW_TOKEN]" {
		t.Errorf("ps shows %v", e)
	}
	for name, arguments := range map[string]Args{
		"directory":        {"command": "x", "cwd": "/supersecret123"},
		"program":          {"argv": []string{"/supersecret123"}},
		"overlay":          {"command": "x", "cwd": "/overlaysecret", "env": env},
		"denial":           {"command": "rm supersecret123"},
		"a wrong argument": {"command": "x", "yield_ms": "supersecret123"},
		"an effect":        {"command": "x", "side_effects": []string{"supersecret123"}},
	} {
		for _, tool := range []string{"execute", "explain"} {
			r := s.Call(tool, arguments)
			if strings.Contains(r.Raw, "supersecret") || strings.Contains(r.Raw, "overlaysecret") {
				t.Errorf("%s, %s: %#v", tool, name, r)
			}
			if tool == "execute" && !strings.Contains(r.Raw, "[REDACTED:") {
				t.Errorf("%s, %s is not quoted: %#v", tool, name, r)
			}
		}
	}
	if r := s.Call("explain", Args{"command": "echo supersecret123 overlaysecret", "env": env}); !strings.Contains(r.Raw, `"echo","[REDACTED:MY_TOKEN]","[REDACTED:NEW_TOKEN]"`) {
		t.Errorf("explain: %#v", r)
	}
	if log := s.Stderr(); strings.Contains(log, "supersecret") || strings.Contains(log, "overlaysecret") {
		t.Errorf("the log shows a secret: %s", log)
	}
}

func TestAQuestionToAPersonNamesSecrets(t *testing.T) {
	t.Parallel()
	s, _ := withConfig(t, asking+"redact_env: TOKEN\n")
	const can = `{"elicitation":{"form":{}}}`
	arguments := `{"command":"touch 'overlay\"secret'","env":{"A_TOKEN":"overlay\"secret"},"stdin":"overlay\"secret"}`
	q := parseAsked(t, stateless(s, 1, can, fmt.Sprintf(`"name":"execute","arguments":%s`, arguments)))
	message := q.InputRequests["approval"].Params.Message
	if strings.Contains(message, "overlay") || strings.Count(message, "[REDACTED:A_TOKEN]") < 3 {
		t.Errorf("%q of %+v", message, q)
	}
}

func TestKeysOfKnownFormatsAreHiddenIfWanted(t *testing.T) {
	t.Parallel()
	const command = `printf 'id=AKI'; sleep 0.1; echo AIOSFODNN7EXAMPLE`
	wantRun(t, startServer(t, "--redact-formats").Execute(command), "completed", 0, "id=[REDACTED:aws-access-key-id]\n")
	r := startServer(t).Execute(command)
	wantRun(t, r, "completed", 0, "id=AKIAIOSFODNN7EXAMPLE\n")
	if r.Has("redactions") {
		t.Errorf("%#v", r)
	}
}

func TestLinesOfTheLogAreRedacted(t *testing.T) {
	t.Parallel()
	o := mcptest.Options{Env: []string{"MY_TOKEN=supersecret123", "WHELK_supersecret123=x"}}
	s := startWith(t, o, "--redact-env", "MY_TOKEN")
	mcptest.Eventually(t, mcptest.Patience, "the warning", func() bool { return strings.Contains(s.Stderr(), "WHELK_") })
	if log := s.Stderr(); strings.Contains(log, "WHELK_supersecret123") || !strings.Contains(log, "WHELK_[REDACTED:MY_TOKEN]") {
		t.Errorf("%s", log)
	}
}
