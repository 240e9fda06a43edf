package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whelk/internal/mcptest"
)

// TestBadArgumentsStartNothing holds that arguments which cannot be meant are
// refused by an error that names them, before anything is started.
func TestBadArgumentsStartNothing(t *testing.T) {
	s := startServer(t)
	const command = `"command":"touch ran"`
	for name, c := range map[string]struct {
		arguments string
		says      []string
	}{
		"list for text":        {`{"command":["touch","ran"]}`, []string{"command: expected a string", `["touch","ran"]`}},
		"number for text":      {`{"command":5}`, []string{"command: expected a string", "5"}},
		"null for both":        {`{"command":null,"argv":null}`, []string{"command", "argv"}},
		"nothing":              {`{}`, []string{"command", "argv"}},
		"empty list":           {`{"argv":[]}`, []string{"command", "argv"}},
		"both":                 {`{` + command + `,"argv":["touch","ran"]}`, []string{"command and argv"}},
		"text for list":        {`{"argv":"touch ran"}`, []string{"argv: expected an array of strings"}},
		"number in list":       {`{"argv":["touch",5]}`, []string{"argv[1]: expected a string"}},
		"null in list":         {`{"argv":["touch",null]}`, []string{"argv[1]: expected a string"}},
		"no program":           {`{"argv":["","ran"]}`, []string{"argv[0]"}},
		"missing program":      {`{"argv":["no-such-program"]}`, []string{"no-such-program", "PATH"}},
		"shell for argv":       {`{"argv":["touch","ran"],"shell":"bash"}`, []string{"shell"}},
		"empty shell":          {`{` + command + `,"shell":" "}`, []string{"shell"}},
		"number for directory": {`{` + command + `,"cwd":5}`, []string{"cwd: expected a string"}},
		"text for boolean":     {`{` + command + `,"close_stdin":"maybe"}`, []string{"close_stdin: expected true or false", "maybe"}},
		"number for boolean":   {`{` + command + `,"close_stdin":1}`, []string{"close_stdin: expected true or false"}},
		"list for input":       {`{` + command + `,"stdin":["a"]}`, []string{"stdin: expected a string"}},
		"unknown effect":       {`{` + command + `,"side_effects":["DELETE_FILES"]}`, []string{"side_effects[0]", "did you mean DELETES_FILES?"}},
		"no effects":           {`{` + command + `,"side_effects":[]}`, []string{"side_effects"}},
		"none and more":        {`{` + command + `,"side_effects":["NONE","OTHER"]}`, []string{"NONE", "OTHER"}},
		"unknown name":         {`{` + command + `,"timeout":5}`, []string{"timeout: expected a known argument", "did you mean timeout_ms?"}},
		"capitals":             {`{` + command + `,"Command":"x"}`, []string{"Command", "did you mean command?"}},
		"capitals alone":       {`{"COMMAND":"touch ran"}`, []string{"COMMAND", "did you mean command?"}},
		"twice":                {`{` + command + `,"command":"touch other"}`, []string{"command", "once"}},
		"half a character":     {`{"command":"touch ran \ud83d"}`, []string{"command", "UTF-8"}},
		"list of arguments":    {`["touch ran"]`, []string{"expected an object"}},
		"text of arguments":    {`"touch ran"`, []string{"expected an object"}},
		"deep":                 {`{` + command + `,"env":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", []string{"env"}},
		"many faults":          {`{` + command + `,"a1":1,"b2":2,"timeout_ms":"x"}`, []string{"a1", "b2", "timeout_ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, rawCall(s, "execute", c.arguments), c.says...)
			if files, err := os.ReadDir(s.Dir); err != nil || len(files) > 0 {
				t.Errorf("something was started: %v, %v", files, err)
				_ = os.Remove(filepath.Join(s.Dir, "ran"))
			}
		})
	}
	if list := executions(t, s); len(list) > 0 {
		t.Errorf("ps lists what was not started: %v", list)
	}
}

func TestBadArgumentsOfOtherToolsAreNamed(t *testing.T) {
	s := startServer(t)
	marker := mcptest.Marker(t)
	id := s.Background("cat; sleep " + marker)
	handle := `"execution_id":"` + id + `"`
	for name, c := range map[string]struct {
		tool, arguments string
		says            []string
	}{
		"read without handle":    {"read", `{}`, []string{"execution_id: expected a string, received nothing", "required"}},
		"read of null":           {"read", `{"execution_id":null}`, []string{"execution_id", "required"}},
		"read of other streams":  {"read", `{` + handle + `,"streams":"stdouterr"}`, []string{"stdouterr", "stdout or stderr"}},
		"read with a typo":       {"read", `{` + handle + `,"since_sec":1}`, []string{"did you mean since_seq?"}},
		"wait with a typo":       {"wait", `{` + handle + `,"timeout":1}`, []string{"did you mean timeout_ms?"}},
		"write without input":    {"write", `{` + handle + `}`, []string{"input", "required"}},
		"write of a list":        {"write", `{` + handle + `,"input":["x"]}`, []string{"input: expected a string"}},
		"stop by number":         {"stop", `{` + handle + `,"signal":9}`, []string{"signal: expected a string"}},
		"stop by number as text": {"stop", `{` + handle + `,"signal":"9"}`, []string{"9", "SIGTERM"}},
		"stop by nothing":        {"stop", `{` + handle + `,"signal":""}`, []string{"signal", "SIGTERM"}},
		"ps with a typo":         {"ps", `{"limits":1}`, []string{"did you mean limit?"}},
		"cleanup by text":        {"cleanup", `{"completed_older_than_ms":"now"}`, []string{"completed_older_than_ms: expected a whole number"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := rawCall(s, c.tool, c.arguments)
			if !r.IsError {
				t.Errorf("no error: %#v", r)
			}
			for _, word := range c.says {
				if !strings.Contains(r.String("error"), word) {
					t.Errorf("the error does not say %q: %s", word, r.String("error"))
				}
			}
		})
	}
	if e := listed(t, s, id); e["status"] != "running" {
		t.Errorf("the execution was touched: %v", e)
	}
	if r := s.Call("stop", Args{"execution_id": id}); !r.Bool("stopped") {
		t.Errorf("%#v", r)
	}
}

func TestBadParametersOfRequestsAreAnsweredWithACode(t *testing.T) {
	s := startServer(t)
	deep := `{"name":"execute","arguments":{"command":"touch ran","env":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`
	for _, params := range []string{deep, `[]`, `"x"`, `5`, `{"name":5}`, `{"name":null}`, `{"arguments":{}}`, `{"name":"Execute","arguments":{"command":"touch ran"}}`} {
		got := afterRaw(t, s, `{"jsonrpc":"2.0","id":8000,"method":"tools/call","params":`+params+"}\n", 1)
		if len(got) != 1 || got[0].Error == nil || got[0].Error.Code != -32602 && got[0].Error.Code != -32600 {
			t.Errorf("%s: %v", params, raws(got))
		}
	}
	if r := s.Execute("ls"); r.Stdout() != "" {
		t.Errorf("something ran: %q", r.Stdout())
	}
}
