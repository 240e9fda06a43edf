package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

func TestBO57LastLineOfACommandIsItsOwn(t *testing.T) {
	s := startServer(t)
	wantRun(t, s.Execute("cat <<EOF\nx\nEOF"), "completed", 0, "x\n")
	wantRun(t, s.Execute("echo hi # c"), "completed", 0, "hi\n")
	for _, command := range []string{`echo a \`, "(echo hi", "echo 'open", "if true; then", "cat <<EOF\nx", "echo a &&", ""} {
		sameAsShell(t, s, command)
	}
}

// sameAsShell checks that a command does what the shell alone does with it.
func sameAsShell(t testing.TB, s *mcptest.Server, command string) {
	t.Helper()
	alone := exec.Command("/bin/sh", "-c", command)
	alone.Dir = s.Dir
	var stdout, stderr bytes.Buffer
	alone.Stdout, alone.Stderr = &stdout, &stderr
	var failed *exec.ExitError
	if err := alone.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	r := s.Execute(command)
	wantRun(t, r, "completed", int64(alone.ProcessState.ExitCode()), stdout.String())
	if r.Stderr() != stderr.String() {
		t.Errorf("%q: stderr %q, the shell's own is %q", command, r.Stderr(), stderr.String())
	}
}

func TestBO58ShellOfTheUserDoesNotMatter(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"/usr/sbin/nologin", "/bin/false", "/usr/bin/fish", "/missing/shell", ""} {
		s := startWith(t, mcptest.Options{Env: []string{"SHELL=" + shell}})
		wantRun(t, s.Execute("for i in 1 2; do echo $i; done"), "completed", 0, "1\n2\n")
	}
}

func TestBO58ShellOfTheCallIsUsedOrNamed(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	wantRun(t, s.Execute(`echo ${BASH_VERSION:+bash}`, Args{"shell": "bash"}), "completed", 0, "bash\n")
	plain := filepath.Join(s.Dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for shell, says := range map[string]string{
		"no-such-shell": "not found in PATH", "/missing/shell": "no such file", plain: "permission denied", s.Dir: "directory",
	} {
		r := s.Execute("touch ran", Args{"shell": shell})
		wantRefused(t, r, shell, says)
		if r.Status() != "failed_to_start" {
			t.Errorf("%#v", r)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "ran")); err == nil {
		t.Error("another shell ran the command")
	}
}

func TestBO59CommandsShareNoState(t *testing.T) {
	s := startServer(t)
	wantRun(t, s.Execute("exit 3"), "completed", 3, "")
	wantRun(t, s.Execute("exec >&-"), "completed", 0, "")
	wantRun(t, s.Execute("cd /; export A=1; set -e; false"), "completed", 1, "")
	wantRun(t, s.Execute("echo alive $A; pwd"), "completed", 0, "alive\n"+s.Dir+"\n")
}

func TestBO60ClosedOutputIsNotTheEnd(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	began := time.Now()
	r := s.Execute("exec >&- 2>&-; sleep 1; exit 3")
	if took := time.Since(began); took < time.Second {
		t.Errorf("answered after %v", took)
	}
	wantRun(t, r, "completed", 3, "")
}

func TestBO61LinesMayEndWithCarriageReturns(t *testing.T) {
	// Both kinds of line ends are one; what is judged is what runs.
	s := startServer(t)
	wantRun(t, s.Execute("if true; then\r\necho hi\r\nfi\r\n"), "completed", 0, "hi\n")
	wantRun(t, s.Execute("echo a\r\n"), "completed", 0, "a\n")
	if r := s.Execute("echo a\r# ; echo b"); r.Status() != "failed_to_start" || r.String("code") != "policy_denied" {
		t.Errorf("a carriage return within a line, which readers take for a blank and shells do not: %#v", r)
	}
}
