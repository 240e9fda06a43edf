package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whelk/internal/mcptest"
)

// rawCall calls a tool with arguments as they are written.
func rawCall(s *mcptest.Server, tool, arguments string) *mcptest.Result {
	answer := s.Expect(`"raw"`)
	s.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":"raw","method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", tool, arguments))
	return answer.Result()
}

func TestBO70NumbersInAnyCommonFormAreUnderstood(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, limit := range []string{`"5000"`, "5000.0", "5e3", "null", `" 5000 "`, `"5e3"`, "50000E-1", "5000.000"} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			r := rawCallID(s, limit, `{"command":"sleep 0.2; echo hi","timeout_ms":`+limit+"}")
			wantRun(t, r, "completed", 0, "hi\n")
		})
	}
}

// rawCallID is rawCall of execute with an id of its own, for calls at once.
func rawCallID(s *mcptest.Server, id, arguments string) *mcptest.Result {
	id = fmt.Sprintf("%q", "raw "+strings.ReplaceAll(id, `"`, "'"))
	answer := s.Expect(id)
	s.Raw(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"execute","arguments":` + arguments + "}}\n")
	return answer.Result()
}

func TestBO70WhatIsNoNumberStartsNothing(t *testing.T) {
	s := startServer(t)
	ran := filepath.Join(s.Dir, "ran")
	for _, value := range []string{"0.5", "true", `"5s"`, "1e30", "[]", "{}", `""`, `"NaN"`, `"Infinity"`, `"0x10"`, "-0.5", "1e400", `"١"`, "9223372036854775808"} {
		for _, name := range []string{"timeout_ms", "yield_ms", "idle_timeout_ms", "max_output_bytes"} {
			r := rawCall(s, "execute", fmt.Sprintf(`{"command":"touch ran","%s":%s}`, name, value))
			wantRefused(t, r, name+": expected a whole number, received "+value)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the command was started")
	}
}

func TestNumbersThatJSONDoesNotKnowAreParseErrors(t *testing.T) {
	s := startServer(t)
	for _, value := range []string{"NaN", "Infinity", "-Infinity", "05", "+5", "5.", ".5", "0x10"} {
		got := afterRaw(t, s, `{"jsonrpc":"2.0","id":9000,"method":"tools/call","params":{"name":"execute","arguments":{"command":"touch ran","timeout_ms":`+value+"}}}\n", 1)
		if len(got) != 1 || got[0].Error == nil || got[0].Error.Code != -32700 {
			t.Errorf("%s: %v", value, raws(got))
		}
	}
	if r := s.Execute("ls"); r.Stdout() != "" {
		t.Errorf("something ran: %q", r.Stdout())
	}
}

func TestNumbersOutOfRangeAreClampedAsDocumented(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for name, args := range map[string]Args{
		"no bytes":           {"max_output_bytes": 0},
		"negative bytes":     {"max_output_bytes": -5},
		"more than the cap":  {"max_output_bytes": 1 << 40},
		"long yield":         {"yield_ms": 1 << 60},
		"negative limit":     {"timeout_ms": -1},
		"no idle limit":      {"idle_timeout_ms": 0},
		"negative idle time": {"idle_timeout_ms": -1 << 62},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRun(t, s.Execute("sleep 0.1; echo hi", args), "completed", 0, "hi\n")
		})
	}
	r := s.Execute("sleep 1; echo late", Args{"yield_ms": -1})
	if r.Status() != "backgrounded" {
		t.Errorf("a negative yield: %#v", r)
	}
	id := r.String("execution_id")
	if r := s.Call("wait", Args{"execution_id": id, "timeout_ms": -5}); r.String("wait_result") != "deadline_reached" || r.Int("max_wait_ms") != 0 {
		t.Errorf("a negative wait: %#v", r)
	}
	wantRun(t, s.Call("wait", Args{"execution_id": id, "since_seq": -7}), "completed", 0, "late\n")
	r = s.Call("read", Args{"execution_id": id, "since_seq": int64(1) << 62})
	if r.Stdout() != "" || r.Int("next_seq") != 6 || !strings.Contains(r.String("hint"), "past the end") {
		t.Errorf("a position past the end: %#v", r)
	}
	for name, args := range map[string]Args{"none": {"tail_lines": 0}, "negative": {"tail_lines": -1}, "both": {"tail_lines": 1, "since_seq": 1}} {
		args["execution_id"] = id
		if r := s.Call("read", args); !r.IsError || !strings.Contains(r.String("error"), "tail_lines") {
			t.Errorf("%s: %#v", name, r)
		}
	}
	for _, name := range []string{"completed_older_than_ms", "stopped_older_than_ms"} {
		r := s.Call("cleanup", Args{name: -1})
		if !r.IsError || r.Int("removed") != 0 || !strings.Contains(r.String("error"), name) {
			t.Errorf("%#v", r)
		}
	}
	if r := s.Call("cleanup", Args{"completed_older_than_ms": 0}); r.Int("removed") == 0 {
		t.Errorf("%#v", r)
	}
}
