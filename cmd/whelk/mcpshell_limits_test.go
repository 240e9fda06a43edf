package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

func TestMCPShellTimeout(t *testing.T) {
	t.Parallel()
	s := startShellTools(t, "MCP_SHELL_MAX_TIMEOUT_SECONDS=2")
	t.Run("keeps what was written, and ends the tree (M13, M14)", func(t *testing.T) {
		t.Parallel()
		marker := mcptest.Marker(t)
		a := shell(t, s, []string{"tool", "echo begun; sleep " + marker + " & wait"}, Args{"timeout": 1})
		wantFailure(t, a, -1, "timed out after 1 seconds", "\nstdout:\nbegun")
		if f := a.Fields; f.Error == nil || *f.Error != "Command timed out after 1 seconds" || f.Stdout != "begun\n" || f.Stderr != *f.Error {
			t.Errorf("fields %+v", f)
		}
		if !dead(marker)() {
			t.Error("a descendant outlived the timeout")
		}
	})
	t.Run("holds for a pipeline (M3)", func(t *testing.T) {
		t.Parallel()
		wantFailure(t, shell(t, s, []string{"echo", "a", "|", "sleep", "60"}, Args{"timeout": 1}), -1, "timed out after 1 seconds")
	})
	t.Run("is never longer than the most", func(t *testing.T) {
		t.Parallel()
		began := time.Now()
		wantFailure(t, shell(t, s, []string{"sleep", "60"}, Args{"timeout": 1 << 40}), -1, "timed out after 2 seconds")
		atMost(t, "the timeout", began, 3*time.Second)
	})
	t.Run("counts for what the program left in its group", func(t *testing.T) {
		t.Parallel()
		wantFailure(t, shell(t, s, []string{"tool", "sleep 60 & echo started"}, Args{"timeout": 1}), -1, "timed out after 1 seconds", "started")
	})
}

func TestMCPShellOutputLimit(t *testing.T) {
	t.Parallel()
	s := startShellTools(t, "MCP_SHELL_OUTPUT_LIMIT_BYTES=1000")
	thousand := strings.Repeat("x", 1000)
	write1001 := []string{"tool", "printf '%01001d' 0"}
	tests := []struct {
		name    string
		command []string
		more    Args
		want    string // "" is a success
	}{
		{"exactly as much", []string{"printf", "%s", thousand}, nil, ""},
		{"one byte more (M14)", write1001, nil, "stdout exceeded output limit of 1000 bytes"},
		{"on standard error", []string{"tool", "printf '%01001d' 0 >&2"}, nil, "stderr exceeded output limit of 1000 bytes"},
		{"each stream as much", []string{"tool", "printf '%01000d' 0; printf '%01000d' 0 >&2"}, nil, ""},
		{"without an end", []string{"yes"}, nil, "stdout exceeded output limit of 1000 bytes"},
		{"between stages", []string{"seq", "1", "100000", "|", "tail", "-n", "1"}, nil, ""},
		{"of the last stage", []string{"echo", "a", "|", "seq", "1", "100000"}, nil, "stdout exceeded output limit of 1000 bytes"},
		{"lowered by the call", []string{"echo", "123456"}, Args{"output_limit": 5}, "stdout exceeded output limit of 5 bytes"},
		{"not raised by the call", write1001, Args{"output_limit": 5000}, "stdout exceeded output limit of 1000 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := shell(t, s, tt.command, tt.more)
			if tt.want == "" {
				if a.Error {
					t.Errorf("it failed: %+v", a)
				}
				return
			}
			wantFailure(t, a, -1, tt.want)
			most := 1000
			if limit, ok := tt.more["output_limit"].(int); ok {
				most = min(limit, most)
			}
			if kept := len(a.Fields.Stdout); strings.HasPrefix(tt.want, "stdout") && kept != most {
				t.Errorf("%d bytes are kept, want %d", kept, most)
			}
		})
	}
}

func TestMCPShellTextOfALongPartialOutputIsCut(t *testing.T) {
	t.Parallel()
	s := startShellTools(t)
	a := shell(t, s, []string{"yes"})
	wantFailure(t, a, -1, "stdout exceeded output limit of 1048576 bytes", "bytes more are in the field stdout")
	if len(a.Items[0]) > 21_000 || len(a.Fields.Stdout) != 1048576 {
		t.Errorf("the text has %d bytes, the field %d", len(a.Items[0]), len(a.Fields.Stdout))
	}
}

func TestMCPShellCancelledCallEndsItsCommand(t *testing.T) {
	t.Parallel()
	s := startShellTools(t)
	marker := mcptest.Marker(t)
	call := s.BeginCall("shell_execute", Args{"command": []string{"sleep", marker}})
	born(t, marker, 1)
	s.Cancel(call)
	mcptest.Eventually(t, mcptest.Patience, "the command is ended", dead(marker))
}

func TestMCPShellEndsWithItsServer(t *testing.T) {
	t.Parallel()
	s := startShellTools(t)
	marker := mcptest.Marker(t)
	call := s.BeginCall("shell_execute", Args{"command": []string{"tool", "echo begun; exec sleep " + marker}})
	born(t, marker, 1)
	began := time.Now()
	s.Signal(syscall.SIGTERM) // M16
	wantFailure(t, answerOf(t, call), -1, "shutting down", "begun")
	<-s.Exited()
	atMost(t, "the end", began, 2*time.Second)
	mcptest.Eventually(t, mcptest.Patience, "the command is ended", dead(marker))
}

func TestMCPShellRunsManyAtOnce(t *testing.T) {
	t.Parallel()
	s := startShellTools(t)
	began := time.Now()
	var calls []*mcptest.Pending
	for range 10 {
		calls = append(calls, s.BeginCall("shell_execute", Args{"command": []string{"sleep", "1"}}))
	}
	for _, call := range calls {
		wantShell(t, answerOf(t, call), "", "")
	}
	atMost(t, "ten at once", began, 2*time.Second)
}
