package execution_test

import (
	"strings"
	"syscall"
	"testing"

	"whelk/internal/execution"
)

func TestSignalNames(t *testing.T) {
	tests := []struct {
		name   string
		signal syscall.Signal // 0: refused
	}{
		{"SIGTERM", syscall.SIGTERM},
		{"TERM", syscall.SIGTERM},
		{"sigterm", syscall.SIGTERM},
		{"Kill", syscall.SIGKILL},
		{"SIGUSR1", syscall.SIGUSR1},
		{"SIGCONT", syscall.SIGCONT},
		{"SIGIOT", syscall.SIGABRT},
		{"POLL", syscall.SIGIO},
		{"SIGCLD", syscall.SIGCHLD},
		{"SIGRTMIN", 34},
		{"rtmin+3", 37},
		{"SIGRTMAX", 64},
		{"SIGRTMAX-1", 63},
		{"SIGRTMIN-1", 0},
		{"SIGRTMAX+1", 0},
		{"SIGRTMIN3", 0},
		{"15", 0},
		{"", 0},
		{"SIG", 0},
		{"sigusr9", 0},
		{"SIGTERM ", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := execution.ParseSignal(test.name)
			if got != test.signal || (err == nil) != (test.signal != 0) {
				t.Fatalf("got %v, %v", got, err)
			}
			if err != nil {
				if !strings.Contains(err.Error(), "'"+test.name+"'") {
					t.Errorf("error %q does not quote the name", err)
				}
				return
			}
			if back, err := execution.ParseSignal(execution.SignalName(got)); back != got || err != nil {
				t.Errorf("%q names %v", execution.SignalName(got), back)
			}
		})
	}
}
