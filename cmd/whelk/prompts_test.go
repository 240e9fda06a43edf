package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whelk/internal/mcptest"
)

// gitEnv keeps the configuration of whoever runs the tests out of them.
func gitEnv(t testing.TB) []string {
	t.Helper()
	return []string{
		"HOME=" + t.TempDir(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
}

// repository makes a git repository with a staged file.
func repository(t testing.TB, s *mcptest.Server) (dir string) {
	t.Helper()
	dir = filepath.Join(s.Dir, "repository")
	if r := s.Execute("git init -q repository && cd repository && echo x >file && git add file"); r.Int("exit_code") != 0 {
		t.Fatalf("%#v", r)
	}
	return dir
}

func TestBO32EditorFailsAtOnce(t *testing.T) {
	t.Parallel()
	s := startWith(t, mcptest.Options{Env: gitEnv(t)})
	dir := repository(t, s)
	began := time.Now()
	r := s.Execute("git commit; echo rc=$?", Args{"cwd": dir, "timeout_ms": 10_000 * slack})
	atMost(t, "git commit", began, time.Second)
	wantRun(t, r, "completed", 0, "rc=1\n")
	if !strings.Contains(r.Stderr(), "git commit -m") || strings.Contains(r.Stderr(), "\x1b") {
		t.Errorf("stderr says not what to do: %q", r.Stderr())
	}
}

func TestBO32EditorOfTheCallerOrOperatorWins(t *testing.T) {
	t.Parallel()
	const editor = `GIT_EDITOR=echo message >`
	name, value, _ := strings.Cut(editor, "=")
	for who, run := range map[string]struct {
		flags []string
		args  Args
	}{
		"caller":   {args: Args{"env": Args{name: value}}},
		"operator": {flags: []string{"--env-set", editor}},
	} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			s := startWith(t, mcptest.Options{Env: gitEnv(t)}, run.flags...)
			dir := repository(t, s)
			r := s.Execute("git commit -q && git log --format=%s", Args{"cwd": dir}, run.args)
			wantRun(t, r, "completed", 0, "message\n")
		})
	}
}

func TestBO33CommandsHaveNoTerminal(t *testing.T) {
	t.Parallel()
	terminal := openTerminal(t)
	s := startWith(t, mcptest.Options{
		Files: []*os.File{terminal},
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3},
	})
	if stat := terminalOf(t, s.PID()); stat == "0" {
		t.Fatal("the server itself has no terminal, so the test shows nothing")
	}
	began := time.Now()
	r := s.Execute("cat </dev/tty; echo rc=$?")
	atMost(t, "reading the terminal", began, 500*time.Millisecond)
	if r.Int("exit_code") != 0 || r.Stdout() == "rc=0\n" || !strings.HasPrefix(r.Stdout(), "rc=") {
		t.Errorf("%#v", r)
	}
}

// openTerminal returns the slave of a new pseudo-terminal.
func openTerminal(t testing.TB) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("kernel: no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	return slave
}

// terminalOf returns the number of a process's controlling terminal, 0 if it
// has none.
func terminalOf(t testing.TB, pid int) string {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	const terminal = 4 // its place after the name, which ends with a bracket
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[terminal]
}

func TestBO34OutputIsNoTerminal(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	wantRun(t, s.Execute("for fd in 0 1 2; do test -t $fd; echo $?; done"), "completed", 0, "1\n1\n1\n")
}

func TestBO35PagerOfTheEnvironmentDoesNotWait(t *testing.T) {
	t.Parallel()
	const commits = 200
	s := startWith(t, mcptest.Options{Env: append(gitEnv(t), "PAGER=less", "GIT_PAGER=less", "MANPAGER=less", "LESS=-+F")})
	dir := repository(t, s)
	var history strings.Builder
	for i := range commits {
		fmt.Fprintf(&history, "commit refs/heads/many\ncommitter a <a@example.com> %d +0000\ndata 3\nno\n", 1_000_000_000+i)
	}
	if r := s.Execute("git fast-import --quiet && git checkout -q many", Args{"cwd": dir, "stdin": history.String()}); r.Int("exit_code") != 0 {
		t.Fatalf("%#v", r)
	}
	began := time.Now()
	r := s.Execute("git log", Args{"cwd": dir})
	atMost(t, "git log", began, 2*time.Second)
	if r.Status() != "completed" || r.Int("exit_code") != 0 {
		t.Errorf("%#v", r)
	}
	if out, _ := readAll(t, s, r.String("execution_id")); strings.Count(out, "commit ") != commits {
		t.Errorf("%d commits in the output", strings.Count(out, "commit "))
	}
	if _, err := exec.LookPath("man"); err == nil {
		began := time.Now()
		if r := s.Execute("man true | wc -l"); r.Int("exit_code") != 0 {
			t.Errorf("%#v", r)
		}
		atMost(t, "man", began, 2*time.Second)
	}
}

func TestPasswordPromptsFailAtOnce(t *testing.T) {
	t.Parallel()
	s := startWith(t, mcptest.Options{Env: gitEnv(t)})
	began := time.Now()
	r := s.Execute("printf 'protocol=https\nhost=example.invalid\n\n' | git credential fill; echo rc=$?")
	atMost(t, "git's prompt", began, time.Second)
	if r.Stdout() == "rc=0\n" || !strings.Contains(r.Stderr(), "terminal prompts disabled") {
		t.Errorf("%#v", r)
	}
}
