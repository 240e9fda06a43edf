package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// stranger is a user id that owns no process on any machine we know of.
const stranger = 61_743

// asStranger runs the program as a user without privileges: limits and
// permissions do not bind root.
func asStranger(t testing.TB) mcptest.Options {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("kernel: only root can run the program as another user")
	}
	path, dir := mcptest.OpenProgram(t)
	return mcptest.Options{
		Path: path, Dir: dir,
		Sys: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}},
	}
}

func TestBO47ProcessLimitIsNamedAndSurvived(t *testing.T) {
	t.Parallel()
	o := asStranger(t)
	o.Wrap = []string{"bash", "-c", `ulimit -u 60; exec "$@"`, "bash"}
	s := startWith(t, o, "--max-executions", "100")
	const runs = 50
	var begun []*mcptest.Pending
	for range runs {
		begun = append(begun, s.BeginExecute("sleep 3; exit 7", Args{"yield_ms": 50}))
	}
	var handles []string
	refused := 0
	for _, p := range begun {
		r := p.Result()
		switch {
		case r.Status() == "backgrounded":
			handles = append(handles, r.String("execution_id"))
		case r.IsError && r.Status() == "failed_to_start" && strings.Contains(r.String("error"), "RLIMIT_NPROC"):
			refused++
		case r.Status() == "completed" && r.Int("exit_code") != 7:
			refused++ // the shell itself could not fork, and says so
		default:
			t.Errorf("%#v", r)
		}
	}
	t.Logf("%d of %d run, %d were refused", len(handles), runs, refused)
	if len(handles) == 0 || refused == 0 {
		t.Errorf("%d run, %d were refused: the limit was not met", len(handles), refused)
	}
	s.Execute("i=0; while [ $i -lt 100 ]; do sleep 1 & i=$((i+1)); done; wait", Args{"yield_ms": 0})
	for _, id := range handles {
		r := s.Call("wait", Args{"execution_id": id})
		if r.Status() != "completed" || r.Int("exit_code") != 7 && r.Stderr() == "" {
			t.Errorf("%#v", r)
		}
	}
	eventually(t, 5*time.Second, "commands run again", func() bool {
		return s.Execute("echo alive").Stdout() == "alive\n"
	})
}
