package main

import (
	"testing"

	"whelk/internal/mcptest"
)

func TestMain(m *testing.M) { mcptest.Main(m, run) }

// serve starts the real program with structured results, which tests read.
func startServer(t testing.TB, args ...string) *mcptest.Server {
	t.Helper()
	return mcptest.Start(t, mcptest.Options{Args: append([]string{"--result", "structured"}, args...)})
}

func TestCommandRuns(t *testing.T) {
	s := startServer(t)
	r := s.Execute("echo hi; echo err >&2; exit 3")
	if r.Status() != "completed" || r.Int("exit_code") != 3 || r.Stdout() != "hi\n" || r.Stderr() != "err\n" {
		t.Errorf("%#v", r)
	}
	s.CloseStdin()
	if code := s.ExitCode(mcptest.Patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
