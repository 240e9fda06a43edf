package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

func TestBO53LongCommandsRunLikeShortOnes(t *testing.T) {
	for _, shell := range []string{"", "bash"} {
		t.Run("shell "+shell, func(t *testing.T) { testLongCommands(t, shell) })
	}
}

func testLongCommands(t *testing.T, shell string) {
	temp := t.TempDir()
	s := startWith(t, mcptest.Options{Env: []string{"TMPDIR=" + temp}})
	more := Args{}
	if shell != "" {
		more["shell"] = shell
	}
	const body = "\nprintf '%s\\n' \"$0\" \"$#\" \"$$\"; cat; ls /proc/self/fd | wc -l; set -e; (exit 9); echo not here"
	var short string
	for _, length := range []int{200, 131_070, 131_071, 131_072, 131_073, 400_000} {
		command := ":" + strings.Repeat(" ", length-len(body)-1) + body
		r := s.Execute(command, more)
		pid := strconv.FormatInt(r.Int("process_id"), 10)
		if r.Status() != "completed" || r.Int("exit_code") != 9 || r.Stderr() != "" || !strings.Contains(r.Stdout(), "\n"+pid+"\n") {
			t.Errorf("%d bytes: %#v", length, r)
		}
		out := strings.Replace(r.Stdout(), pid, "PID", 1)
		if short == "" {
			short = out
		}
		if out != short {
			t.Errorf("%d bytes: %q, unlike a short one: %q", length, out, short)
		}
	}
	document := "wc -c <<'EOF'\n" + strings.Repeat(strings.Repeat("d", 99)+"\n", 4000) + "EOF\necho ok"
	r := s.Execute(document, more)
	if r.Int("exit_code") != 0 || strings.TrimSpace(r.Stdout()) != "400000\nok" {
		t.Errorf("a long here-document: %#v", r)
	}
	r = s.Execute(":"+strings.Repeat(" ", 140_000)+"\ncat", Args{"stdin": "input"}, more)
	wantRun(t, r, "completed", 0, "input")
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
}

func TestBO54LongArgumentIsNamed(t *testing.T) {
	s := startServer(t)
	r := s.Call("execute", Args{"argv": []string{"echo", strings.Repeat("x", 140_000)}})
	wantRefused(t, r, "argv[1]", "131072", "140000")
	if r.Status() != "failed_to_start" {
		t.Errorf("%#v", r)
	}
}

func TestManyArgumentsOverTheKernelsLimitAreNamed(t *testing.T) {
	s := startServer(t)
	argv := []string{"true"}
	for range 40 { // 4 MB in all
		argv = append(argv, strings.Repeat("x", 100_000))
	}
	r := s.Call("execute", Args{"argv": argv})
	wantRefused(t, r, "too long")
	if r.Status() != "failed_to_start" {
		t.Errorf("%#v", r)
	}
}

func TestBO55NULIsRefusedWhereverItIs(t *testing.T) {
	s := startServer(t)
	for name, c := range map[string]struct {
		args Args
		says string
	}{
		"command": {Args{"command": "touch ran\x00b"}, "command contains NUL"},
		"argv":    {Args{"argv": []string{"touch", "ran\x00b"}}, "argv[1] contains NUL"},
		"program": {Args{"argv": []string{"touch\x00", "ran"}}, "argv[0] contains NUL"},
		"cwd":     {Args{"command": "touch ran", "cwd": "/\x00"}, "cwd contains NUL"},
		"shell":   {Args{"command": "touch ran", "shell": "sh\x00"}, "shell contains NUL"},
		"env":     {Args{"command": "touch ran", "env": Args{"A": "\x00"}}, "env.A: the value contains NUL"},
	} {
		r := s.Call("execute", c.args)
		wantRefused(t, r, c.says)
		if r.Status() != "failed_to_start" {
			t.Errorf("%s: %#v", name, r)
		}
	}
	if r := s.Execute("ls"); r.Stdout() != "" {
		t.Errorf("something was started: %s", r.Stdout())
	}
}

func TestBO56LongRequestsAreAnswered(t *testing.T) {
	s := startServer(t)
	for _, size := range []int{70_000, 1_100_000, 3_000_000} {
		began := time.Now()
		r := s.Execute("wc -c", Args{"stdin": strings.Repeat("x", size)})
		atMost(t, fmt.Sprintf("%d bytes", size), began, time.Second)
		wantRun(t, r, "completed", 0, strconv.Itoa(size)+"\n")
		if m := s.Begin("ping", nil).Wait(); m.Error != nil {
			t.Errorf("ping: %s", m.Raw)
		}
	}
}
