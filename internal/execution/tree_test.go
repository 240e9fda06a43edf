package execution_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"whelk/internal/execution"
	"whelk/internal/proc"
)

var daemon = proc.Member{PID: 77, Name: "daemon"}

// leavesDaemon ends its group at the first signal and leaves a daemon that only
// SIGKILL ends.
func leavesDaemon(f *fake) {
	f.leaves(daemon)
	f.ends(proc.Exit{Code: -1, Signal: <-f.signals})
	for sig := range f.signals {
		if sig == syscall.SIGKILL {
			f.leaves()
			return
		}
	}
}

func TestStopEndsTheWholeTree(t *testing.T) {
	bubble(t, execution.Options{}, leavesDaemon, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		e := start(t, sup, command("x"))
		stopped := make(chan execution.Receipt)
		go func() {
			r, err := e.Stop(t.Context(), execution.StopOptions{Force: 3 * time.Second})
			if err != nil {
				t.Error(err)
			}
			stopped <- r
		}()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := e.Snapshot(); n.Status != execution.Running {
			t.Errorf("status %v while the daemon lives", n.Status)
		}
		r := <-stopped
		if !r.Forced || r.Ended != 2 || len(r.Survivors) != 0 || r.Snapshot.Status != execution.Stopped {
			t.Errorf("receipt %+v", r)
		}
	})
}

func TestLimitsEndTheWholeTree(t *testing.T) {
	bubble(t, execution.Options{Timeout: time.Second, Grace: time.Second}, leavesDaemon, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		e := start(t, sup, command("x"))
		<-e.Done()
		if n := e.Snapshot(); n.Status != execution.TimedOut || n.Duration < 2*time.Second || len(l.last().Tree()) != 0 {
			t.Errorf("snapshot %+v, tree %v", n, l.last().Tree())
		}
	})
}

func TestSurvivorsAreAnError(t *testing.T) {
	bubble(t, execution.Options{}, func(f *fake) {
		f.leaves(daemon)
		f.ends(proc.Exit{Code: -1, Signal: <-f.signals})
	}, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		e := start(t, sup, command("x"))
		r, err := e.Stop(t.Context(), execution.StopOptions{Force: time.Second})
		if execution.CodeOf(err) != execution.LimitExceeded || !strings.Contains(err.Error(), "77 (daemon)") {
			t.Errorf("error %v", err)
		}
		if !slices.Equal(r.Survivors, []proc.Member{daemon}) {
			t.Errorf("receipt %+v", r)
		}
		l.last().leaves()
	})
}

// left is a command that ends and leaves a daemon on purpose.
func left(f *fake) {
	f.leaves(daemon)
	f.ends(proc.Exit{})
	<-f.signals
	f.leaves()
}

func TestDetached(t *testing.T) {
	t.Run("lives on and is listed", func(t *testing.T) {
		bubble(t, execution.Options{}, left, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			e := start(t, sup, command("x"))
			if e.Detached() != nil {
				t.Error("a running execution has detached processes")
			}
			<-e.Done()
			if n := e.Snapshot(); n.Status != execution.Completed || !slices.Equal(e.Detached(), []proc.Member{daemon}) {
				t.Errorf("snapshot %+v, detached %v", n, e.Detached())
			}
			if sent := l.last().sentSignals(); sent != nil {
				t.Errorf("sent %v", sent)
			}
		})
	})
	t.Run("is ended by a stop, which changes no result", func(t *testing.T) {
		bubble(t, execution.Options{}, left, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			e := start(t, sup, command("x"))
			<-e.Done()
			r, err := e.Stop(t.Context(), execution.StopOptions{Force: time.Second})
			if err != nil || r.Ended != 1 || r.Forced || r.Snapshot.Status != execution.Completed {
				t.Errorf("receipt %+v, %v", r, err)
			}
			if _, err := e.Stop(t.Context(), execution.StopOptions{}); execution.CodeOf(err) != execution.NotRunning {
				t.Errorf("a second stop: %v", err)
			}
		})
	})
	t.Run("keeps its record", func(t *testing.T) {
		bubble(t, execution.Options{MaxRetained: 1, Retention: time.Second}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			ends := func(name string, members ...proc.Member) {
				e := start(t, sup, named(name))
				l.last().leaves(members...)
				l.last().ends(proc.Exit{})
				<-e.Done()
				time.Sleep(time.Minute)
			}
			ends("daemon", daemon)
			ends("a")
			ends("b")
			if got := ids(stdio(sup).List()); got != "b daemon" {
				t.Errorf("listed %q", got)
			}
			if n := stdio(sup).Cleanup(0, 0); n != 1 {
				t.Errorf("cleanup removed %d", n)
			}
			l.fakes[0].leaves()
			ends("c")
			if got := ids(stdio(sup).List()); got != "c" {
				t.Errorf("listed %q after the daemon's end", got)
			}
		})
	})
	for _, keep := range []bool{false, true} {
		name := "is ended with the server"
		if keep {
			name = "is left alone by the server's end if so configured"
		}
		t.Run(name, func(t *testing.T) {
			bubble(t, execution.Options{KeepDetached: keep, Grace: time.Second}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
				e := start(t, sup, command("x"))
				f := l.last()
				f.leaves(daemon)
				f.ends(proc.Exit{})
				<-e.Done()
				go func() {
					if _, ok := <-f.signals; ok {
						f.leaves()
					}
				}()
				sup.Close()
				if lives := len(f.Tree()) > 0; lives != keep {
					t.Errorf("lives: %v", lives)
				}
				close(f.signals)
				f.leaves()
			})
		})
	}
}

func TestCloseHandsOverTheRestOfTheGrace(t *testing.T) {
	var rest time.Duration
	o := execution.Options{Grace: 10 * time.Second, HandOver: func(r time.Duration) bool { rest = r; return true }}
	bubble(t, o, stubborn, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		start(t, sup, command("x"))
		began := time.Now()
		sup.Close()
		if took := time.Since(began); took != time.Second || rest != 9*time.Second {
			t.Errorf("closed after %v with %v left; want 1 s and 9 s", took, rest)
		}
		l.last().signals <- syscall.SIGKILL // as the guardian would
	})
	t.Run("only if something is left", func(t *testing.T) {
		o := execution.Options{Grace: 10 * time.Second, HandOver: func(time.Duration) bool { t.Error("handed over"); return true }}
		bubble(t, o, obedient, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			start(t, sup, command("x"))
			sup.Close()
		})
	})
	t.Run("not if nobody takes it", func(t *testing.T) {
		o := execution.Options{Grace: 10 * time.Second, HandOver: func(time.Duration) bool { return false }}
		bubble(t, o, stubborn, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			start(t, sup, command("x"))
			sup.Close()
			if len(l.last().Tree()) != 0 {
				t.Error("the tree lives")
			}
		})
	})
}

// server exits and leaves the rest of its group running in the background.
func server(f *fake) {
	f.stdout.write("started")
	f.leaderExits(proc.Exit{})
	time.Sleep(time.Second)
	f.stdout.Close()
	f.stderr.Close()
	<-f.signals
	close(f.gone)
}

func TestExecutionsThatEndWithTheirOutput(t *testing.T) {
	bubble(t, execution.Options{EndWithOutput: true, Timeout: 5 * time.Second}, server, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		e := start(t, sup, command("x"))
		<-e.Done()
		if n := e.Snapshot(); n.Status != execution.Completed || n.Duration != time.Second || text(e) != "started" {
			t.Errorf("snapshot %+v, output %q", n, text(e))
		}
		time.Sleep(time.Minute)
		if len(e.Detached()) != 1 || l.last().sentSignals() != nil {
			t.Errorf("left are %v, sent was %v", e.Detached(), l.last().sentSignals())
		}
		sup.Close()
		if len(e.Detached()) != 0 {
			t.Errorf("left after the end of the server: %v", e.Detached())
		}
	})
	t.Run("but not while a stop goes on", func(t *testing.T) {
		bubble(t, execution.Options{EndWithOutput: true, Grace: time.Hour}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			e := start(t, sup, command("x"))
			e.Cancel()
			<-l.last().signals
			l.last().leaderExits(proc.Exit{})
			l.last().stdout.Close()
			l.last().stderr.Close()
			synctest.Wait()
			if n := e.Snapshot(); n.Ended {
				t.Errorf("ended with a living group: %+v", n)
			}
			close(l.last().gone)
			<-e.Done()
			if n := e.Snapshot(); n.Status != execution.Stopped {
				t.Errorf("snapshot %+v", n)
			}
		})
	})
}
