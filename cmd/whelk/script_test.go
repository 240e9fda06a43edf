package main

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"whelk/internal/mcptest"
)

// TestScripts runs the scripts of the command line.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
		RequireExplicitExec: true,
	})
}

// exits CODE PROGRAM ARGS… runs a program that must end with the exit code; its
// output is then there to be looked at.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		code = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func TestCallLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	call := func(t *testing.T, arguments ...string) *exec.Cmd {
		return exec.Command(mcptest.Program(t), append([]string{"call", "execute"}, arguments...)...)
	}
	t.Run("when the command is in the background", func(t *testing.T) {
		t.Parallel()
		marker := mcptest.Marker(t)
		out, err := call(t, "command=echo begun; sleep "+marker, "yield_ms=500", "--", "--grace", "1s").CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "backgrounded ") || !strings.Contains(string(out), "\nbegun\n") {
			t.Errorf("%v: %s", err, out)
		}
		if !dead(marker)() {
			t.Error("the command outlived the call")
		}
	})
	t.Run("when it is interrupted", func(t *testing.T) {
		t.Parallel()
		marker := mcptest.Marker(t)
		running := call(t, "command=exec sleep "+marker, "--", "--grace", "1s")
		if err := running.Start(); err != nil {
			t.Fatal(err)
		}
		mcptest.Eventually(t, mcptest.Patience, "sleep runs", func() bool {
			return len(mcptest.Alive("sleep\x00"+marker)) == 1
		})
		began := time.Now()
		if err := running.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		var failed *exec.ExitError
		if err := running.Wait(); !errors.As(err, &failed) || failed.ExitCode() != 1 {
			t.Errorf("ended with %v", err)
		}
		atMost(t, "the end", began, 3*time.Second)
		if !dead(marker)() {
			t.Error("the command outlived the call")
		}
	})
}
