package main

import (
	"strconv"
	"strings"
	"testing"

	"whelk/internal/config"
	"whelk/internal/mcptest"
)

// messageLimit is the size of a message over which clients drop the
// connection (Python's over HTTP).
const messageLimit = 1 << 20

func TestNoMessageIsLargerThanClientsTake(t *testing.T) {
	t.Parallel()
	most := largestOutput(t)
	for _, form := range []string{"text", "structured", "both"} {
		for content, command := range map[string]string{
			"control bytes": `head -c 300000 /dev/zero | tr "\0" "\001"`,
			"invalid UTF-8": `head -c 300000 /dev/zero | tr "\0" "\377"`,
			"both streams":  `head -c 150000 /dev/zero; head -c 150000 /dev/zero >&2`,
			"long command":  `: ` + strings.Repeat("\x01", 400_000),
		} {
			t.Run(form+"/"+content, func(t *testing.T) {
				t.Parallel()
				s := mcptest.Start(t, mcptest.Options{Args: []string{"--result", form, "--max-output", most, "--buffer", "1MiB"}})
				wantBelowLimit(t, "execute", s.BeginExecute(command, Args{"max_output_bytes": 1 << 20}).Wait())
				wantBelowLimit(t, "ps", s.BeginCall("ps", nil).Wait())
			})
		}
	}
}

// largestOutput returns the largest --max-output, in powers of two, that the
// program takes.
func largestOutput(t testing.TB) (text string) {
	t.Helper()
	for n := 1 << 10; ; n *= 2 {
		next := strconv.Itoa(n)
		if _, _, err := config.Load(nil, []string{"WHELK_MAX_OUTPUT=" + next}); err != nil {
			if text == "" {
				t.Fatal(err)
			}
			return text
		}
		text = next
	}
}

func wantBelowLimit(t testing.TB, what string, m *mcptest.Message) {
	t.Helper()
	if n := len(m.Raw); n > messageLimit {
		t.Errorf("%s: a message of %d bytes", what, n)
	}
}

func TestListOfManyLongCommandsIsNotLargerThanClientsTake(t *testing.T) {
	t.Parallel()
	s := mcptest.Start(t, mcptest.Options{Args: []string{"--result", "both"}})
	const runs = 50
	command := ": " + strings.Repeat("'", 30_000)
	for range runs {
		s.BeginExecute(command, Args{"name": strings.Repeat("n", 10_000)}).Wait()
	}
	wantBelowLimit(t, "ps", s.BeginCall("ps", Args{"limit": 1000}).Wait())
}

func TestErrorsRepeatNoHugeArguments(t *testing.T) {
	s := mcptest.Start(t, mcptest.Options{Args: []string{"--result", "both"}})
	huge := strings.Repeat("\x01", 60_000)
	for name, call := range map[string]*mcptest.Pending{
		"unknown argument": s.BeginCall("execute", Args{huge: huge}),
		"unknown tool":     s.BeginCall(huge, nil),
		"unknown method":   s.Begin(huge, nil),
		"handle":           s.BeginCall("read", Args{"execution_id": huge}),
		"shell":            s.BeginCall("execute", Args{"command": "true", "shell": huge}),
		"directory":        s.BeginCall("execute", Args{"command": "true", "cwd": huge}),
		"program":          s.BeginCall("execute", Args{"argv": []string{huge}}),
		"signal":           s.BeginCall("stop", Args{"execution_id": s.BeginCall("ps", nil).ID(), "signal": huge}),
	} {
		const enough = 16 << 10 // bytes
		m := call.Wait()
		if n := len(m.Raw); n > enough {
			t.Errorf("%s: an answer of %d bytes", name, n)
		}
		if m.Error == nil && !strings.Contains(string(m.Result), `"isError":true`) {
			t.Errorf("%s: no error", name)
		}
	}
}
