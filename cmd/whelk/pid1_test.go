package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// startAsPID1 starts the server as the first process of a pid namespace, as a
// container without an init does.
func startAsPID1(t *testing.T) *mcptest.Server {
	t.Helper()
	wrap := []string{"unshare", "--pid", "--fork", "--mount-proc"}
	if out, err := exec.Command(wrap[0], append(wrap[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("kernel: no pid namespace can be made here: %v %s", err, out)
	}
	// A command may not end the server otherwise.
	return mcptest.Start(t, mcptest.Options{Wrap: wrap, Args: []string{"--result", "structured", "--grace", "1s", "--blocked-side-effects", ","}})
}

func TestServerAsPID1ReapsAndStops(t *testing.T) {
	t.Parallel()
	s := startAsPID1(t)
	wantRun(t, s.Execute("echo $PPID"), "completed", 0, "1\n")
	many(s, 20, 4, `(setsid sh -c "sleep 0.05" &) ; true`)
	mcptest.Eventually(t, slack*3*time.Second, "no zombie is left", func() bool {
		r := s.Execute(`cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z "`)
		return r.Stdout() == "0\n"
	})
	id := s.Background(`(setsid sh -c "sleep 1000 & exit 0" &) ; sleep 1000`)
	if r := s.Call("stop", Args{"execution_id": id}); !r.Bool("stopped") || r.Has("survivors") {
		t.Errorf("%#v", r)
	}
	if r := s.Execute(`cat /proc/[0-9]*/cmdline | tr "\0" "\n" | grep -cx 100[0]`); strings.TrimSpace(r.Stdout()) != "0" {
		t.Errorf("processes are left: %#v", r)
	}
}

func TestServerAsPID1GivesItsCommandsTheGraceItself(t *testing.T) {
	// When PID 1 ends the kernel ends all others at once: nobody could finish
	// the grace for it.
	for _, ending := range []string{"end of input", "SIGTERM"} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			s := startAsPID1(t)
			marker := mcptest.Marker(t)
			s.Background(`trap 'sleep 0.5; : > "$PWD/graceful"; exit 0' TERM; sleep ` + marker + ` & wait`)
			born(t, marker, 2)
			began := time.Now()
			if ending == "SIGTERM" {
				s.Execute("kill -TERM 1", Args{"yield_ms": 0})
			} else {
				s.CloseStdin()
			}
			if code := s.ExitCode(mcptest.Patience); code != 0 {
				t.Errorf("exit code %d", code)
			}
			atMost(t, "the end", began, 3*time.Second)
			if !dead(marker)() {
				t.Error("the command lives on")
			}
			exists(t, s.Dir+"/graceful")
		})
	}
}

func exists(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
