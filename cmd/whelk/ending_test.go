package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// startToEnd is startServer for tests that end the server themselves.
func startToEnd(t testing.TB, o mcptest.Options) *mcptest.Server {
	t.Helper()
	o.Args = append([]string{"--result", "structured", "--grace", "1s"}, o.Args...)
	return mcptest.Start(t, o)
}

// wantGone checks that the commands end with the grace of their server, which
// may be gone before: then another process sees to it.
func wantGone(t testing.TB, marker string, began time.Time) {
	t.Helper()
	mcptest.Eventually(t, mcptest.Patience, "the commands are gone", dead(marker))
	atMost(t, "the commands' end", began, time.Second+2*time.Second) // grace and the case's own
}

// wantEnd checks that the server ends by itself with the code.
func wantEnd(t testing.TB, s *mcptest.Server, code int, began time.Time, bound time.Duration) {
	t.Helper()
	if got := s.ExitCode(mcptest.Patience); got != code {
		t.Errorf("exit code %d, want %d; stderr: %s", got, code, s.Stderr())
	}
	atMost(t, "the server's end", began, bound)
}

var endings = map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP}

func TestBO15SignalEndsTheServerAndAllCommands(t *testing.T) {
	t.Parallel()
	for name, sig := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startToEnd(t, mcptest.Options{})
			marker := mcptest.Marker(t)
			s.Background("sleep " + marker + "; echo x")
			s.Background("sleep " + marker + " & sleep " + marker)
			s.Execute("sleep "+marker+" & exit 0", Args{"yield_ms": 50})
			inline := s.BeginExecute("echo begun; exec sleep " + marker)
			waiting := s.BeginCall("wait", Args{"execution_id": s.Background("exec sleep " + marker)})
			const processes = 8 // two shells, and a sleep for each other marker
			born(t, marker, processes)
			began := time.Now()
			s.Signal(sig)
			wantEnd(t, s, 0, began, time.Second+2*time.Second) // grace and the case's own
			wantGone(t, marker, began)
			if r := inline.Result(); r.Status() != "stopped" || r.String("signal") != "SIGTERM" || r.Stdout() != "begun\n" {
				t.Errorf("the call in flight: %#v", r)
			}
			if r := waiting.Result(); r.Status() != "stopped" || r.String("wait_result") != "exited" {
				t.Errorf("the wait in flight: %#v", r)
			}
		})
	}
}

func TestSignalEndsCommandsThatIgnoreIt(t *testing.T) {
	t.Parallel()
	for name, sig := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startToEnd(t, mcptest.Options{})
			marker := mcptest.Marker(t)
			const stubborn = `trap "" TERM INT HUP; `
			s.Background(stubborn + "sleep " + marker + "; echo x")
			inline := s.BeginExecute(stubborn + "echo begun; sleep " + marker + "; echo x")
			born(t, marker, 4)
			began := time.Now()
			s.Signal(sig)
			wantEnd(t, s, 0, began, time.Second+2*time.Second)
			wantGone(t, marker, began)
			if took := time.Since(began); took < time.Second {
				t.Errorf("no grace: ended after %v", took)
			}
			r := inline.Result()
			if r.Stdout() != "begun\n" || r.Status() != "stopped" && r.Status() != "backgrounded" {
				t.Errorf("the call in flight: %#v", r)
			}
		})
	}
}

func TestSecondSignalChangesNothing(t *testing.T) {
	t.Parallel()
	s := startToEnd(t, mcptest.Options{})
	marker := mcptest.Marker(t)
	s.Background(`trap "" TERM; sleep ` + marker + "; echo x")
	born(t, marker, 2)
	began := time.Now()
	s.Signal(syscall.SIGTERM)
	s.Signal(syscall.SIGTERM)
	s.Signal(syscall.SIGINT)
	wantEnd(t, s, 0, began, time.Second+2*time.Second)
	wantGone(t, marker, began)
	if took := time.Since(began); took < time.Second {
		t.Errorf("no grace: ended after %v", took)
	}
}

func TestHangupThatWasIgnoredAtTheStartEndsNothing(t *testing.T) {
	t.Parallel()
	s := startWith(t, mcptest.Options{Wrap: []string{"env", "--ignore-signal=HUP"}})
	s.Signal(syscall.SIGHUP)
	wantRun(t, s.Execute("sleep 0.3; echo on"), "completed", 0, "on\n")
}

func TestBO16IdleServerEndsWithItsInput(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, s *mcptest.Server, began time.Time) {
		t.Helper()
		wantEnd(t, s, 0, began, time.Second)
		if cpu := s.CPU(); cpu > slack*200*time.Millisecond {
			t.Errorf("%v of processor time", cpu)
		}
	}
	t.Run("no input at all", func(t *testing.T) {
		t.Parallel()
		began := time.Now()
		check(t, mcptest.Launch(t, mcptest.Options{Wrap: []string{"sh", "-c", `exec "$@" </dev/null`, "sh"}}), began)
	})
	t.Run("after the handshake", func(t *testing.T) {
		t.Parallel()
		s := startToEnd(t, mcptest.Options{})
		began := time.Now()
		s.CloseStdin()
		check(t, s, began)
	})
	t.Run("after commands", func(t *testing.T) {
		t.Parallel()
		s := startToEnd(t, mcptest.Options{})
		wantRun(t, s.Execute("echo x"), "completed", 0, "x\n")
		began := time.Now()
		s.CloseStdin()
		check(t, s, began)
	})
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"c","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// executeLine is a call of execute as one line.
func executeLine(id int, command string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"execute","arguments":{"command":%q}}}`+"\n", id, command)
}

func TestBO17ScriptOnAPipeGetsAllAnswers(t *testing.T) {
	t.Parallel()
	s := mcptest.Launch(t, mcptest.Options{Args: []string{"--result", "structured"}})
	first, one, two := s.Expect("1"), s.Expect("2"), s.Expect("3")
	began := time.Now()
	s.Raw(handshake + executeLine(2, "sleep 0.5; echo one") + strings.TrimSpace(executeLine(3, "echo two")))
	s.CloseStdin()
	if m := first.Wait(); m.Error != nil {
		t.Errorf("%s", m.Raw)
	}
	wantRun(t, two.Result(), "completed", 0, "two\n")
	wantRun(t, one.Result(), "completed", 0, "one\n")
	wantEnd(t, s, 0, began, 1500*time.Millisecond)
	if first := s.Lines()[0]; !strings.Contains(first, `"id":1,`) {
		t.Errorf("initialize is not answered first: %s", first)
	}
}

func TestBO17EndOfInputBoundsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prefix string
		bound  time.Duration
	}{
		"gentle":   {"", 2 * time.Second},
		"stubborn": {`trap "" TERM; `, 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			marker := mcptest.Marker(t)
			s := startToEnd(t, mcptest.Options{})
			call := s.BeginExecute(c.prefix + "echo begun; sleep " + marker + "; echo x")
			born(t, marker, 2)
			began := time.Now()
			s.CloseStdin()
			r := call.Result()
			if r.Stdout() != "begun\n" || r.Status() != "stopped" && r.Status() != "backgrounded" {
				t.Errorf("%#v", r)
			}
			wantEnd(t, s, 0, began, c.bound)
			mcptest.Eventually(t, mcptest.Patience, "the command is gone", dead(marker))
			atMost(t, "the command's end", began, c.bound)
		})
	}
}

func TestEndOfInputEndsWhatRunsInTheBackground(t *testing.T) {
	t.Parallel()
	marker := mcptest.Marker(t)
	s := startToEnd(t, mcptest.Options{})
	s.Background("sleep " + marker)
	began := time.Now()
	s.CloseStdin()
	wantEnd(t, s, 0, began, time.Second)
	wantGone(t, marker, began)
}

func TestClientThatGoesAwayEndsServerAndCommands(t *testing.T) {
	t.Parallel()
	s := startToEnd(t, mcptest.Options{})
	marker := mcptest.Marker(t)
	s.Background("sleep " + marker)
	s.CloseStdout()
	began := time.Now()
	mcptest.Eventually(t, mcptest.Patience, "the server notices", func() bool {
		// Nobody can get the answers. One is not enough: a process that this
		// one is just starting may still hold the pipe.
		return s.Send(ping+"\n") != nil || mcptest.State(s.PID()) == 'Z'
	})
	wantEnd(t, s, 0, began, 2*time.Second)
	wantGone(t, marker, began)
}

func TestServerThatCannotSayAnythingStillEnds(t *testing.T) {
	t.Parallel()
	s := startToEnd(t, mcptest.Options{})
	marker := mcptest.Marker(t)
	s.Background("sleep " + marker)
	s.StopReading()
	for range 30 {
		s.BeginExecute(`head -c 20000 /dev/zero | tr "\0" x`)
	}
	born(t, marker, 1)
	began := time.Now()
	s.Signal(syscall.SIGTERM)
	eventually(t, 4*time.Second, "the commands are gone although nobody reads", dead(marker))
	eventually(t, 4*time.Second, "the server is gone although nobody reads", func() bool {
		state := mcptest.State(s.PID())
		return state == 0 || state == 'Z'
	})
	atMost(t, "the server's end", began, 4*time.Second)
	s.CloseStdout() // what it could not say any more ends within a line
}

// A server may be killed as soon as its first command runs: the guardian is there
// by then.
func TestServerKilledWithItsFirstCommandLeavesNothing(t *testing.T) {
	t.Parallel()
	for range 5 {
		marker := mcptest.Marker(t)
		s := startServer(t)
		s.Background("exec sleep " + marker)
		s.Signal(syscall.SIGKILL)
		<-s.Exited()
		eventually(t, 3*time.Second, "the command is ended", dead(marker))
	}
}
