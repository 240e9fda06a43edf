package main

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"whelk/internal/mcptest"
)

// textOverhead is the most that a finished command may cost a model beside
// its output, in bytes.
const textOverhead = 160

func startText(t testing.TB, flags ...string) *mcptest.Server {
	t.Helper()
	return mcptest.Start(t, mcptest.Options{Args: flags})
}

func TestTextFormCostsLittleMoreThanTheOutput(t *testing.T) {
	s := startText(t)
	for command, output := range map[string]string{
		"true":                         "",
		"false":                        "",
		"exit 255":                     "",
		"kill -USR1 $$":                "",
		"echo out; echo err >&2":       "out\nerr\n",
		"printf out; echo err >&2":     "outerr\n",
		"seq 1 3000":                   "",
		"sleep 1.2; echo late; exit 3": "late\n",
	} {
		r := s.Execute(command)
		if command == "seq 1 3000" {
			output = r.Text[strings.IndexByte(r.Text, '\n')+1:]
			if !strings.HasPrefix(output, "1\n2\n") || !strings.HasSuffix(output, "\n3000\n") {
				t.Errorf("the output is not whole: %d bytes", len(output))
			}
		}
		if over := len(r.Text) - len(output); over > textOverhead {
			t.Errorf("%q: %d bytes over the output: %.300q", command, over, r.Text)
		}
		if r.IsError || r.Fields != nil {
			t.Errorf("%q: %#v", command, r)
		}
	}
}

func TestTextFormShowsOutputUnescapedAfterOneLine(t *testing.T) {
	s := startText(t)
	const output = "a \"quoted\" <tag> & \\n\n\ttab é 😀"
	r := s.Execute("cat; echo e1 >&2; echo e2 >&2", Args{"stdin": output})
	first, rest, _ := strings.Cut(r.Text, "\n")
	if !strings.HasPrefix(first, "completed ") {
		t.Errorf("the first line is %q", first)
	}
	if want := output + "\n[stderr]\ne1\ne2\n"; rest != want {
		t.Errorf("after it %q, want %q", rest, want)
	}
	if r := s.Execute("echo only >&2"); !strings.HasSuffix(r.Text, "\n[stderr]\nonly\n") {
		t.Errorf("%q", r.Text)
	}
	if r := s.Execute("true"); strings.Contains(r.Text, "\n") {
		t.Errorf("no output: %q", r.Text)
	}
}

func TestBothFormsSayTheSame(t *testing.T) {
	t.Parallel()
	s := startText(t, "--result", "both", "--grace", "1s")
	running := s.Background("echo begun; sleep "+mcptest.Marker(t), Args{"name": "a name", "close_stdin": false})
	ended := s.Execute("echo o; echo e >&2; exit 3").String("execution_id")
	handle := func(id string, more Args) Args {
		all := Args{"execution_id": id}
		maps.Copy(all, more)
		return all
	}
	for name, r := range map[string]*mcptest.Result{
		"completed":        s.Execute("echo o; echo e >&2"),
		"failing":          s.Execute("exit 9"),
		"signal":           s.Execute("kill -9 $$"),
		"timed out":        s.Execute("echo x; sleep 60", Args{"timeout_ms": 100}),
		"idle":             s.Execute("sleep 60", Args{"idle_timeout_ms": 100}),
		"backgrounded":     s.Execute("sleep 1 & exit 4", Args{"yield_ms": 300}),
		"capped":           s.Execute("echo 1234567890", Args{"max_output_bytes": 4}),
		"unread input":     s.Execute("sleep 0.1", Args{"stdin": strings.Repeat("x", 200_000)}),
		"failed to start":  s.Execute("true", Args{"cwd": "/missing"}),
		"invalid argument": s.Execute("true", Args{"timeout_ms": "x"}),
		"read":             s.Call("read", handle(ended, Args{"since_seq": 1})),
		"read of a tail":   s.Call("read", handle(ended, Args{"tail_lines": 1, "streams": "stdout"})),
		"read past":        s.Call("read", handle(ended, Args{"since_seq": 99})),
		"wait":             s.Call("wait", handle(ended, nil)),
		"wait in vain":     s.Call("wait", handle(running, Args{"timeout_ms": 50})),
		"write":            s.Call("write", handle(running, Args{"input": "x"})),
		"write too late":   s.Call("write", handle(ended, Args{"input": "x"})),
		"unknown":          s.Call("read", handle("nope", nil)),
		"ps":               s.Call("ps", nil),
		"stop":             s.Call("stop", handle(running, nil)),
		"stop too late":    s.Call("stop", handle(running, nil)),
		"stop by nonsense": s.Call("stop", handle(running, Args{"signal": "x"})),
		"cleanup":          s.Call("cleanup", Args{"completed_older_than_ms": 0}),
	} {
		t.Run(name, func(t *testing.T) { wantSameForms(t, r) })
	}
}

// wantSameForms checks that every field of the structured form that is set is
// in the text: on the first line, unless it is output, an error or a list.
func wantSameForms(t testing.TB, r *mcptest.Result) {
	t.Helper()
	if len(r.Fields) == 0 || r.Text == "" {
		t.Fatalf("a form is missing: %#v", r)
	}
	first, rest, _ := strings.Cut(r.Text, "\n")
	for name, value := range r.Fields {
		switch v := value.(type) {
		case nil:
		case []any:
			wantOneLineEach(t, v, rest)
		case bool:
			if v && !strings.Contains(" "+first+" ", " "+name+"=true ") {
				t.Errorf("%s is true and not in %q", name, first)
			}
		case string:
			switch name {
			case "status":
				if !strings.HasPrefix(first, v) {
					t.Errorf("status %s is not first in %q", v, first)
				}
			case "stdout", "stderr", "error":
				if !strings.Contains(r.Text, v) {
					t.Errorf("%s %q is not in %q", name, v, r.Text)
				}
			default:
				if v != "" && !strings.Contains(first, name+"="+v) && !strings.Contains(first, name+`="`) {
					t.Errorf("%s=%s is not in %q", name, v, first)
				}
			}
		case float64:
			if !strings.Contains(" "+first+" ", fmt.Sprintf(" %s=%v ", name, v)) {
				t.Errorf("%s=%v is not in %q", name, v, first)
			}
		}
	}
}

func wantOneLineEach(t testing.TB, list []any, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != len(list) {
		t.Errorf("%d lines for %d entries: %q", len(lines), len(list), text)
		return
	}
	for i, entry := range list {
		e := entry.(map[string]any)
		if !strings.Contains(lines[i], "execution_id="+e["execution_id"].(string)) || !strings.HasPrefix(lines[i], e["status"].(string)) {
			t.Errorf("%v is not in %q", e, lines[i])
		}
	}
}

func TestEachFormIsCompleteByItself(t *testing.T) {
	text, structured := startText(t), startServer(t)
	const command = "echo o; echo e >&2; exit 3"
	if r := text.Execute(command); r.Fields != nil || !strings.Contains(r.Text, "exit_code=3") || !strings.Contains(r.Text, "\no\n[stderr]\ne\n") {
		t.Errorf("%#v", r)
	}
	r := structured.Execute(command)
	wantRun(t, r, "completed", 3, "o\n")
	if r.Text != "" || r.Stderr() != "e\n" {
		t.Errorf("%#v", r)
	}
}

// TestErrorsAreReadableInEveryForm: clients show a model the text alone when a
// result is an error, whatever else it has.
func TestErrorsAreReadableInEveryForm(t *testing.T) {
	for _, form := range []string{"text", "structured", "both"} {
		s := startText(t, "--result", form)
		for _, r := range []*mcptest.Result{
			s.Execute("true", Args{"cwd": "/missing/directory"}),
			s.Call("read", Args{"execution_id": "/missing/directory"}),
		} {
			if !r.IsError || !strings.Contains(r.Text, "/missing/directory") {
				t.Errorf("%s: the text of an error is %q", form, r.Text)
			}
		}
	}
}
