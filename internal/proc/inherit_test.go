package proc_test

import (
	"os"
	"strings"
	"testing"

	"whelk/internal/proc"
)

// TestChildInheritsNothing starts the test binary as a server in a bad state
// and looks at what a command of it sees.
func TestChildInheritsNothing(t *testing.T) {
	signals := `grep -E "Sig(Ign|Blk)" /proc/self/status | tr -d '\t' | tr '\n' ' '`
	const clean = "SigBlk:0000000000000000 SigIgn:0000000000000000 "
	tests := []struct {
		name, setup, program, command, want string
	}{
		{"ignored signals (BO-42)", `trap "" INT HUP TERM QUIT TSTP TTIN TTOU USR1 PIPE CHLD;`, "inherit", signals, clean},
		{"blocked signals (BO-42)", ``, "block", signals, clean},
		{"ignored and blocked signals", `trap "" INT HUP TERM;`, "block", signals, clean},
		{"SIGPIPE (BO-41)", `trap "" PIPE;`, "inherit", `yes | head -1`, "y\n"},
		{"descriptors (BO-44)", `exec 7</dev/null 9</etc/passwd;`, "inherit", `ls /proc/self/fd | tr '\n' ' '`, "0 1 2 3 "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := launch(t, &proc.Spec{
				Path: "/bin/sh", Argv: []string{"sh", "-c", test.setup + ` exec "$0"`, os.Args[0]}, Dir: "/",
				Env: append(os.Environ(), asProgram+"="+test.program, "WHELK_TEST_COMMAND="+test.command),
			})
			_, out, errs := r.wait(t)
			if out != test.want || errs != "" {
				t.Errorf("the command saw %q (stderr %q); want %q", out, errs, test.want)
			}
		})
	}
}

func TestExitCodeSurvivesIgnoredSIGCHLD(t *testing.T) {
	r := launch(t, &proc.Spec{
		Path: "/bin/sh", Argv: []string{"sh", "-c", `trap "" CHLD; exec "$0"`, os.Args[0]}, Dir: "/",
		Env: append(os.Environ(), asProgram+"=inherit", "WHELK_TEST_COMMAND=exit 7"),
	})
	if exit, _, _ := r.wait(t); exit.Code != 7 {
		t.Errorf("exit code %d (BO-43)", exit.Code)
	}
}

// TestInheritedPipeIsClosed: whoever waits for the end of a pipe that the
// server was started with must not wait for the server.
func TestInheritedPipeIsClosed(t *testing.T) {
	r := start(t, `{ WHELK_TEST_PROGRAM=inherit WHELK_TEST_COMMAND="sleep 0.5; echo command" "`+os.Args[0]+`" 9>&1 >&2 | { cat; echo end of pipe >&2; } ; } 9>&1`)
	_, _, errs := r.wait(t)
	if !strings.HasPrefix(errs, "end of pipe\n") {
		t.Errorf("order %q; want the pipe to end first (BO-44)", errs)
	}
}
