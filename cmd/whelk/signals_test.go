package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"whelk/internal/mcptest"
)

func TestBO41PipesBreakAsInAnyShell(t *testing.T) {
	s := startWith(t, mcptest.Options{Wrap: []string{"env", "--ignore-signal=PIPE"}})
	r := s.Execute("yes | head -1; echo ${PIPESTATUS[@]}", Args{"shell": "bash"})
	wantRun(t, r, "completed", 0, "y\n141 0\n")
	if r.Stderr() != "" {
		t.Errorf("stderr %q", r.Stderr())
	}
}

func TestBO42InheritedSignalStateReachesNoCommand(t *testing.T) {
	t.Parallel()
	s := startWith(t, mcptest.Options{
		Wrap: []string{"env", "--ignore-signal=INT,HUP,TERM,QUIT", "--block-signal=TERM,USR1"},
	})
	r := s.Execute(`grep -E "Sig(Ign|Blk)" /proc/self/status`)
	const none = "0000000000000000"
	wantRun(t, r, "completed", 0, "SigBlk:\t"+none+"\nSigIgn:\t"+none+"\n")

	marker := mcptest.Marker(t)
	id := s.Background("sleep " + marker)
	r = s.Call("stop", Args{"execution_id": id, "force_after_ms": 30_000})
	if !r.Bool("stopped") || r.Bool("forced") || r.Int("exit_code") != -15 || !dead(marker)() {
		t.Errorf("a gentle stop: %#v", r)
	}
}

func TestBO43IgnoredChildSignalLosesNoExitCode(t *testing.T) {
	s := startWith(t, mcptest.Options{Wrap: []string{"env", "--ignore-signal=CHLD"}})
	for range 20 {
		wantRun(t, s.Execute("exit 7"), "completed", 7, "")
	}
}

func TestBO81CommandSignalsOnlyItsOwnGroup(t *testing.T) {
	s := startServer(t)
	commands := []string{"kill 0", "kill -- -$$", "kill -TERM -$$"}
	if _, err := exec.LookPath("pkill"); err == nil {
		commands = append(commands, "pkill -TERM -s 0; echo survived")
	}
	for _, command := range commands {
		r := s.Execute(command)
		wantRun(t, r, "completed", -15, "")
		if r.String("signal") != "SIGTERM" {
			t.Errorf("%s: signal %q", command, r.String("signal"))
		}
	}
}

func TestBO80EndedExecutionsAreNotSignalled(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, call := range []string{"stop", "write"} {
		r, group := reuse(t, s)
		more := Args{"execution_id": r.String("execution_id")}
		if call == "write" {
			more["input"] = "x"
		}
		if r := s.Call(call, more); !r.IsError || r.String("code") != "not_running" {
			t.Errorf("%s: %#v", call, r)
		}
		s.Call("cleanup", Args{"completed_older_than_ms": 0, "stopped_older_than_ms": 0})
		if state := mcptest.State(group.Process.Pid); state == 0 || state == 'Z' {
			t.Errorf("%s hit a stranger that has the number of an ended execution", call)
		}
	}
}

// reuse runs a command and then starts a process group that has its number, as
// any program's may have by chance once the number is free.
func reuse(t testing.TB, s *mcptest.Server) (ended *mcptest.Result, stranger *exec.Cmd) {
	t.Helper()
	const attempts, each = 40, 10 // other programs start processes too
	for range attempts {
		ended = s.Execute("true")
		for range each {
			if stranger := startAs(t, int(ended.Int("process_id"))); stranger != nil {
				return ended, stranger
			}
		}
	}
	t.Skip("kernel: it gives no number out again, so many processes start here")
	return nil, nil
}

// startAs starts a process group with this number, or none.
func startAs(t testing.TB, pid int) *exec.Cmd {
	t.Helper()
	if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0); err != nil {
		t.Skipf("kernel: the next pid cannot be chosen: %v", err)
	}
	stranger := exec.Command("sleep", mcptest.Marker(t))
	stranger.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	end := func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }
	if stranger.Process.Pid != pid {
		end()
		return nil
	}
	t.Cleanup(end)
	return stranger
}

func TestServerStartsNoKillProgram(t *testing.T) {
	t.Parallel()
	fake := t.TempDir()
	for _, name := range []string{"kill", "pkill", "killall"} {
		script := "#!/bin/sh\necho $0 \"$@\" >>" + fake + "/called\n"
		if err := os.WriteFile(filepath.Join(fake, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := startWith(t, mcptest.Options{Env: []string{"PATH=" + fake + ":" + os.Getenv("PATH")}})
	id := s.Background("sleep " + mcptest.Marker(t))
	s.Call("stop", Args{"execution_id": id})
	s.Execute("sleep "+mcptest.Marker(t), Args{"timeout_ms": 50})
	if called, err := os.ReadFile(filepath.Join(fake, "called")); err == nil {
		t.Errorf("started %s", strings.TrimSpace(string(called)))
	}
}
