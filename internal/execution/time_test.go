package execution_test

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"whelk/internal/execution"
	"whelk/internal/proc"
)

// after is a process that writes and then exits after d.
func after(d time.Duration, out string) func(*fake) {
	return func(f *fake) {
		if out != "" {
			f.stdout.write(out)
		}
		time.Sleep(d)
		f.ends(proc.Exit{})
	}
}

// obedient is a process that runs until it is signalled.
func obedient(f *fake) {
	sig := <-f.signals
	f.ends(proc.Exit{Code: -1, Signal: sig})
}

// stubborn is a process that only SIGKILL ends.
func stubborn(f *fake) {
	for sig := range f.signals {
		if sig == syscall.SIGKILL {
			f.ends(proc.Exit{Code: -1, Signal: sig})
			return
		}
	}
}

func TestAwaitReturnsAtTheEndNotAtTheYield(t *testing.T) {
	bubble(t, execution.Options{}, after(3*time.Second, "hi\n"), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		began := time.Now()
		e := start(t, sup, command("x"))
		if got := e.Await(t.Context(), 30*time.Second); got != execution.Ended {
			t.Errorf("outcome = %v", got)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("took %v; want 3 s (BO-62)", took)
		}
		n := e.Snapshot()
		if n.Status != execution.Completed || n.ExitCode != 0 || n.Duration != 3*time.Second || text(e) != "hi\n" {
			t.Errorf("snapshot %+v, output %q", n, text(e))
		}
	})
}

func TestYieldLeavesTheExecutionRunning(t *testing.T) {
	bubble(t, execution.Options{}, after(time.Hour, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		began := time.Now()
		e := start(t, sup, command("x"))
		if got := e.Await(t.Context(), 30*time.Second); got != execution.Deadline {
			t.Errorf("outcome = %v", got)
		}
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("yielded after %v", took)
		}
		if n := e.Snapshot(); n.Status != execution.Running || n.Ended {
			t.Errorf("snapshot %+v", n)
		}
		<-e.Done()
		if n := e.Snapshot(); n.Status != execution.Completed || n.Duration != time.Hour {
			t.Errorf("snapshot %+v", n)
		}
	})
}

func TestLimits(t *testing.T) {
	tests := []struct {
		name    string
		options execution.Options
		request func(*execution.Request)
		process func(*fake)
		status  execution.Status
		limit   string
		took    time.Duration
		sent    []syscall.Signal
	}{
		{
			"the runtime limit ends with SIGTERM",
			execution.Options{Timeout: time.Hour, Grace: 10 * time.Second},
			nil, obedient,
			execution.TimedOut, "timeout", time.Hour,
			[]syscall.Signal{syscall.SIGTERM},
		},
		{
			"and with SIGKILL after the grace (BO-63)",
			execution.Options{Grace: 10 * time.Second},
			func(r *execution.Request) { r.Timeout = 700 * time.Millisecond }, stubborn,
			execution.TimedOut, "timeout", 10*time.Second + 700*time.Millisecond,
			[]syscall.Signal{syscall.SIGTERM, syscall.SIGKILL},
		},
		{
			"a limit of one millisecond works (BO-65)",
			execution.Options{Grace: time.Second},
			func(r *execution.Request) { r.Timeout = time.Millisecond }, obedient,
			execution.TimedOut, "timeout", time.Millisecond,
			[]syscall.Signal{syscall.SIGTERM},
		},
		{
			"a negative limit is none",
			execution.Options{Timeout: time.Minute, Grace: time.Second},
			func(r *execution.Request) { r.Timeout = -1 }, after(48*time.Hour, ""),
			execution.Completed, "", 48 * time.Hour, nil,
		},
		{
			"the longest limit does not overflow (BO-65)",
			execution.Options{Grace: time.Second},
			func(r *execution.Request) { r.Timeout = 1<<63 - 1 }, after(time.Minute, ""),
			execution.Completed, "", time.Minute, nil,
		},
		{
			"the idle limit counts from the start without output",
			execution.Options{IdleTimeout: time.Minute, Grace: time.Second},
			nil, obedient,
			execution.TimedOut, "idle_timeout", time.Minute,
			[]syscall.Signal{syscall.SIGTERM},
		},
		{
			"and from the last output with some",
			execution.Options{IdleTimeout: time.Minute, Grace: time.Second},
			nil, func(f *fake) {
				for range 3 {
					time.Sleep(50 * time.Second)
					f.stderr.write(".")
				}
				obedient(f)
			},
			execution.TimedOut, "idle_timeout", 3*50*time.Second + time.Minute,
			[]syscall.Signal{syscall.SIGTERM},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, test.options, test.process, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
				r := command("x")
				if test.request != nil {
					test.request(&r)
				}
				e := start(t, sup, r)
				<-e.Done()
				n := e.Snapshot()
				if n.Status != test.status || n.Limit != test.limit || n.Duration != test.took {
					t.Errorf("status %v, limit %q after %v; want %v, %q, %v", n.Status, n.Limit, n.Duration, test.status, test.limit, test.took)
				}
				if sent := l.last().sentSignals(); !slices.Equal(sent, test.sent) {
					t.Errorf("sent %v; want %v", sent, test.sent)
				}
			})
		})
	}
}

func TestExitWinsOverATimerOfTheSameMoment(t *testing.T) {
	// The process has exited, but only a look finds it: what a server sees that
	// was suspended while both happened (BO-64).
	bubble(t, execution.Options{Timeout: 3 * time.Second, Grace: time.Second}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		e := start(t, sup, command("x"))
		f := l.last()
		f.mu.Lock()
		f.onPoll = func() { f.ends(proc.Exit{}) }
		f.mu.Unlock()
		<-e.Done()
		if n := e.Snapshot(); n.Status != execution.Completed || n.ExitCode != 0 || n.Limit != "" {
			t.Errorf("snapshot %+v", n)
		}
		if sent := l.last().sentSignals(); sent != nil {
			t.Errorf("sent %v", sent)
		}
	})
	t.Run("also over a yield", func(t *testing.T) {
		bubble(t, execution.Options{}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			e := start(t, sup, command("x"))
			f := l.last()
			f.mu.Lock()
			f.onPoll = func() { f.ends(proc.Exit{Code: 4}) }
			f.mu.Unlock()
			if got := e.Await(t.Context(), time.Second); got != execution.Ended {
				t.Errorf("outcome %v", got)
			}
		})
	})
}

func TestEndedStatusIsNeverShownWhileTheGroupLives(t *testing.T) {
	bubble(t, execution.Options{Timeout: time.Second, Grace: 10 * time.Second}, func(f *fake) {
		f.leaderExits(proc.Exit{Code: 3})
		for sig := range f.signals {
			if sig == syscall.SIGKILL {
				f.stdout.Close()
				f.stderr.Close()
				close(f.gone)
				return
			}
		}
	}, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		e := start(t, sup, command("x"))
		for range 100 {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			n := e.Snapshot()
			select {
			case <-l.last().gone:
			default:
				if n.Status != execution.Running {
					t.Fatalf("status %v while the group lives", n.Status)
				}
				if !n.ShellExited || n.ExitCode != 3 {
					t.Fatalf("the shell's exit is not shown: %+v", n)
				}
			}
		}
		<-e.Done()
		if n := e.Snapshot(); n.Status != execution.TimedOut || n.ExitCode != 3 {
			t.Errorf("snapshot %+v", n)
		}
	})
}

func TestDrain(t *testing.T) {
	// The group is gone, and somebody outside of it holds the output.
	tests := []struct {
		name   string
		holder func(*fake)
		took   time.Duration
		out    string
	}{
		{"a silent holder costs half a second", func(*fake) {}, 500 * time.Millisecond, "started\n"},
		{"a talking one is listened to for three", func(f *fake) {
			for range 100 {
				time.Sleep(300 * time.Millisecond)
				f.stdout.write(".")
			}
		}, 3 * time.Second, "started\n" + "........."},
		{"the end of output ends it at once", func(f *fake) {
			time.Sleep(20 * time.Millisecond)
			f.stdout.write("last\n")
			f.stdout.Close()
		}, 20 * time.Millisecond, "started\nlast\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, execution.Options{}, func(f *fake) {
				f.stdout.write("started\n")
				f.stderr.Close()
				f.leaderExits(proc.Exit{})
				close(f.gone)
				test.holder(f)
			}, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
				e := start(t, sup, command("x"))
				<-e.Done()
				n := e.Snapshot()
				if n.Status != execution.Completed || n.Duration != test.took {
					t.Errorf("%v after %v; want completed after %v", n.Status, n.Duration, test.took)
				}
				if got := text(e); got[:min(len(got), len(test.out))] != test.out {
					t.Errorf("output %q; want %q", got, test.out)
				}
			})
		})
	}
}

func TestOutputOfADetachedHolderIsStillReadAfterTheEnd(t *testing.T) {
	bubble(t, execution.Options{}, func(f *fake) {
		f.stderr.Close()
		f.leaderExits(proc.Exit{})
		close(f.gone)
		time.Sleep(time.Minute)
		f.stdout.write("from the daemon\n")
	}, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		e := start(t, sup, command("x"))
		<-e.Done()
		time.Sleep(2 * time.Minute)
		if got := text(e); got != "from the daemon\n" {
			t.Errorf("output %q", got)
		}
	})
}

func TestStop(t *testing.T) {
	t.Run("ends by the signal", func(t *testing.T) {
		bubble(t, execution.Options{}, obedient, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			e := start(t, sup, command("x"))
			receipt, err := e.Stop(t.Context(), execution.StopOptions{Signal: syscall.SIGINT, Force: time.Second})
			if err != nil || receipt.Forced {
				t.Fatalf("receipt %+v, %v", receipt, err)
			}
			if n := receipt.Snapshot; n.Status != execution.Stopped || n.ExitCode != -2 || n.Signal != syscall.SIGINT {
				t.Errorf("snapshot %+v", n)
			}
		})
	})
	t.Run("forces after its time", func(t *testing.T) {
		bubble(t, execution.Options{}, stubborn, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			e := start(t, sup, command("x"))
			receipt, err := e.Stop(t.Context(), execution.StopOptions{Force: 4 * time.Second})
			if err != nil || !receipt.Forced || receipt.Snapshot.Duration != 4*time.Second {
				t.Errorf("receipt %+v, %v", receipt, err)
			}
		})
	})
	t.Run("a second, more urgent stop shortens the wait, and both see the end (BO-68)", func(t *testing.T) {
		bubble(t, execution.Options{}, stubborn, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			e := start(t, sup, command("x"))
			first := make(chan error)
			go func() {
				_, err := e.Stop(t.Context(), execution.StopOptions{Force: time.Hour})
				first <- err
			}()
			time.Sleep(time.Second)
			if _, err := e.Stop(t.Context(), execution.StopOptions{Force: time.Second}); err != nil {
				t.Error(err)
			}
			if err := <-first; err != nil {
				t.Error(err)
			}
			if d := e.Snapshot().Duration; d != 2*time.Second {
				t.Errorf("ended after %v", d)
			}
		})
	})
	t.Run("after the end signals nothing (BO-68)", func(t *testing.T) {
		bubble(t, execution.Options{}, after(0, ""), func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			e := start(t, sup, command("x"))
			<-e.Done()
			_, err := e.Stop(t.Context(), execution.StopOptions{})
			if execution.CodeOf(err) != execution.NotRunning {
				t.Errorf("error %v", err)
			}
			if sent := l.last().sentSignals(); sent != nil {
				t.Errorf("sent %v", sent)
			}
		})
	})
	t.Run("of what cannot be killed says so", func(t *testing.T) {
		bubble(t, execution.Options{}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			e := start(t, sup, command("x"))
			began := time.Now()
			_, err := e.Stop(t.Context(), execution.StopOptions{Force: time.Second})
			if execution.CodeOf(err) != execution.LimitExceeded || time.Since(began) > 55*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			l.last().ends(proc.Exit{Code: -1, Signal: syscall.SIGKILL})
		})
	})
	t.Run("goes on when its caller leaves", func(t *testing.T) {
		bubble(t, execution.Options{}, stubborn, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			e := start(t, sup, command("x"))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := e.Stop(ctx, execution.StopOptions{Force: 5 * time.Second}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			<-e.Done()
			if n := e.Snapshot(); n.Status != execution.Stopped || n.Duration != 5*time.Second {
				t.Errorf("snapshot %+v", n)
			}
		})
	})
}

func TestCancelEndsTheExecution(t *testing.T) {
	bubble(t, execution.Options{Grace: 10 * time.Second}, stubborn, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		e := start(t, sup, command("x"))
		e.Cancel()
		<-e.Done()
		if n := e.Snapshot(); n.Status != execution.Stopped || n.Duration != 10*time.Second {
			t.Errorf("snapshot %+v", n)
		}
	})
}

func TestCloseEndsAllTogether(t *testing.T) {
	bubble(t, execution.Options{Grace: 10 * time.Second}, stubborn, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		var all []*execution.Execution
		for range 20 {
			all = append(all, start(t, sup, command("x")))
		}
		woken := make(chan time.Duration, 1)
		began := time.Now()
		go func() {
			if got := all[0].Await(t.Context(), time.Hour); got != execution.ShuttingDown {
				t.Errorf("outcome %v", got)
			}
			woken <- time.Since(began)
		}()
		synctest.Wait()
		sup.Close()
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("took %v; want the grace", took)
		}
		if d := <-woken; d != time.Second {
			t.Errorf("a waiting call was answered after %v; want a second", d)
		}
		for _, e := range all {
			if e.Snapshot().Status != execution.Stopped {
				t.Errorf("status %v", e.Snapshot().Status)
			}
		}
		if _, err := stdio(sup).Start(t.Context(), command("x")); err == nil {
			t.Error("a start after Close worked")
		}
	})
}
