package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

func TestBO11BackgroundServerSurvivesItsCall(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	// A server that answers after the call which started it has returned.
	id := s.Background("until [ -e ask ]; do sleep 0.05; done; echo 200 >answer; sleep " + mcptest.Marker(t))
	if err := os.WriteFile(filepath.Join(s.Dir, "ask"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, 2*time.Second, "an answer of the server in the background", func() bool {
		answer, err := os.ReadFile(filepath.Join(s.Dir, "answer"))
		return err == nil && string(answer) == "200\n"
	})
	if status := listed(t, s, id)["status"]; status != "running" {
		t.Errorf("status %v", status)
	}
	if r := s.Call("stop", Args{"execution_id": id}); !r.Bool("stopped") {
		t.Errorf("%#v", r)
	}
}

func TestBO11DetachedChildSurvivesAndCanBeStopped(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	marker := mcptest.Marker(t)
	r := s.Execute("sleep "+marker+" >/dev/null 2>&1 & echo ok", Args{"yield_ms": 1000})
	if r.Status() != "backgrounded" || r.Stdout() != "ok\n" {
		t.Errorf("%#v", r)
	}
	id := r.String("execution_id")
	if alive := len(mcptest.Alive(marker)); alive != 1 {
		t.Errorf("%d processes after the call", alive)
	}
	if status := listed(t, s, id)["status"]; status != "running" {
		t.Errorf("status %v", status)
	}
	if r := s.Call("stop", Args{"execution_id": id}); !r.Bool("stopped") {
		t.Errorf("%#v", r)
	}
	if !dead(marker)() {
		t.Error("alive after the stop")
	}
}

func TestBO12OrphansTakeNoExitCodes(t *testing.T) {
	s := startServer(t)
	const runs, width = 120, 4 // the case has 300
	for i, r := range many(s, runs, width, "(sleep 0.02 &) ; exit 7") {
		if r.Status() != "completed" || r.Int("exit_code") != 7 {
			t.Fatalf("run %d: %#v", i, r)
		}
	}
}

func TestBO13ServerKeepsNoDefunctChildren(t *testing.T) {
	s := startServer(t)
	const runs, width = 100, 4
	many(s, runs, width, `(sh -c "sleep 0.05" &) ; true`)
	wantNoChildren(t, s)
}

// wantNoChildren checks that the server has no children, living or defunct,
// but the one that watches over its end.
func wantNoChildren(t testing.TB, s *mcptest.Server) {
	t.Helper()
	eventually(t, time.Second, "the server has no children", func() bool {
		return !slices.ContainsFunc(mcptest.Children(s.PID()), func(pid int) bool { return !isGuardian(pid) })
	})
}

func TestOrphanInAnotherSessionIsReaped(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid (util-linux)")
	}
	s := startServer(t)
	const runs, width = 20, 4
	many(s, runs, width, `(setsid sh -c "sleep 0.1; exit 3" >/dev/null 2>&1 &) ; true`)
	wantNoChildren(t, s)
}
