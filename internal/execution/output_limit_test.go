package execution_test

import (
	"syscall"
	"testing"
	"time"

	"whelk/internal/execution"
	"whelk/internal/output"
	"whelk/internal/proc"
)

func TestAnOutputLimitEndsWhatWritesMoreToOneStream(t *testing.T) {
	tests := []struct {
		name           string
		stdout, stderr string
		limit          string
	}{
		{"exactly as much", "12345", "12345", ""},
		{"one byte more", "123456", "", "output_limit"},
		{"on standard error", "1", "123456", "output_limit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := func(f *fake) {
				if tt.stdout != "" {
					f.stdout.write(tt.stdout)
				}
				if tt.stderr != "" {
					f.stderr.write(tt.stderr)
				}
				select {
				case sig := <-f.signals:
					f.ends(proc.Exit{Code: -1, Signal: sig})
				case <-time.After(time.Minute):
					f.ends(proc.Exit{})
				}
			}
			bubble(t, execution.Options{}, script, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
				r := command("x")
				r.MaxStream = 5
				e := start(t, sup, r)
				<-e.Done()
				n := e.Snapshot()
				if n.Limit != tt.limit {
					t.Errorf("limit %q, want %q", n.Limit, tt.limit)
				}
				if got := text(e); got != tt.stdout+tt.stderr {
					t.Errorf("output %q", got)
				}
				if onStderr := len(tt.stderr) > 5; tt.limit != "" && onStderr != (n.Exceeded == output.Stderr) {
					t.Errorf("the stream that exceeded it is %v", n.Exceeded)
				}
				if tt.limit != "" && (n.Status != execution.Stopped || n.Signal != syscall.SIGTERM) {
					t.Errorf("snapshot %+v", n)
				}
			})
		})
	}
}

func TestAnOutputLimitHoldsForWhatEndsAtOnce(t *testing.T) {
	for _, tt := range []struct{ written, limit string }{{"12345", ""}, {"123456", "output_limit"}} {
		t.Run(tt.written, func(t *testing.T) {
			script := func(f *fake) {
				f.stdout.write(tt.written)
				f.ends(proc.Exit{})
			}
			bubble(t, execution.Options{}, script, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
				r := command("x")
				r.MaxStream = 5
				e := start(t, sup, r)
				<-e.Done()
				if n := e.Snapshot(); n.Limit != tt.limit || n.ExitCode != 0 || n.Signal != 0 {
					t.Errorf("limit %q, exit code %d, signal %v", n.Limit, n.ExitCode, n.Signal)
				}
			})
		})
	}
}

func TestAnExactEnvironmentIsLeftAlone(t *testing.T) {
	spec, err := resolve(t, execution.Options{Dir: t.TempDir(), Environ: []string{"PATH=/bin:/usr/bin", "A=b"}, EnvironExact: true}, execution.Request{Argv: []string{"true"}, Env: map[string]string{"C": "d"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(spec.Env); got != 3 {
		t.Errorf("the environment is %q, want PATH, A and C", spec.Env)
	}
}
