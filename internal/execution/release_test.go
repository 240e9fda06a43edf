package execution_test

import (
	"testing"
	"time"

	"whelk/internal/execution"
	"whelk/internal/proc"
)

func TestReleasedExecutions(t *testing.T) {
	listed := func(t *testing.T, sup *execution.Supervisor, want string) {
		t.Helper()
		if got := ids(stdio(sup).List()); got != want {
			t.Errorf("listed %q, want %q", got, want)
		}
	}
	t.Run("an ended one is gone at once, and nothing else is", func(t *testing.T) {
		bubble(t, execution.Options{}, after(0, "out"), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			kept, e := start(t, sup, named("kept")), start(t, sup, named("released"))
			<-kept.Done()
			<-e.Done()
			e.Release()
			listed(t, sup, "kept")
			if text(e) != "" || text(kept) != "out" {
				t.Errorf("output %q and %q", text(e), text(kept))
			}
		})
	})
	t.Run("a running one runs on and is gone with its end", func(t *testing.T) {
		bubble(t, execution.Options{}, after(time.Second, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			e := start(t, sup, named("a"))
			e.Release()
			listed(t, sup, "a")
			<-e.Done()
			if n := e.Snapshot(); n.Status != execution.Completed || n.Duration != time.Second {
				t.Errorf("snapshot %+v", n)
			}
			listed(t, sup, "")
		})
	})
	t.Run("one that left a daemon stays until that is gone", func(t *testing.T) {
		bubble(t, execution.Options{}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			e := start(t, sup, named("daemon"))
			l.last().leaves(daemon)
			l.last().ends(proc.Exit{})
			<-e.Done()
			e.Release()
			listed(t, sup, "daemon")
			l.last().leaves()
			start(t, sup, named("next"))
			listed(t, sup, "next")
		})
	})
}
