package execution_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"whelk/internal/execution"
	"whelk/internal/output"
	"whelk/internal/proc"
)

func ids(list []*execution.Execution) string {
	var names []string
	for _, e := range list {
		names = append(names, e.Snapshot().Name)
	}
	return strings.Join(names, " ")
}

func named(name string) execution.Request {
	r := command("x")
	r.Name = name
	return r
}

func TestMostLiveExecutions(t *testing.T) {
	bubble(t, execution.Options{MaxLive: 2, Grace: time.Second}, obedient, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		first := start(t, sup, named("a"))
		start(t, sup, named("b"))
		_, err := stdio(sup).Start(t.Context(), named("c"))
		if execution.CodeOf(err) != execution.LimitExceeded || !strings.Contains(err.Error(), "limit (2)") {
			t.Errorf("error %v; want the limit's number", err)
		}
		if len(l.fakes) != 2 {
			t.Errorf("%d launched", len(l.fakes))
		}
		if _, err := first.Stop(t.Context(), execution.StopOptions{Force: time.Second}); err != nil {
			t.Fatal(err)
		}
		start(t, sup, named("d"))
	})
}

func TestARefusedLaunchTakesNoPlace(t *testing.T) {
	bubble(t, execution.Options{MaxLive: 1}, after(0, ""), func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		l.refuse = &proc.StartError{Step: "start", Path: "/bin/sh", Err: syscall.EAGAIN}
		for range 3 {
			if _, err := stdio(sup).Start(t.Context(), named("a")); execution.CodeOf(err) != execution.FailedToStart {
				t.Errorf("error %v", err)
			}
		}
		l.refuse = nil
		<-start(t, sup, named("b")).Done()
		if got := ids(stdio(sup).List()); got != "b" {
			t.Errorf("listed %q", got)
		}
	})
}

func TestRetention(t *testing.T) {
	// ends runs commands that end one second apart.
	ends := func(t *testing.T, sup *execution.Supervisor, names ...string) {
		for _, name := range names {
			<-start(t, sup, named(name)).Done()
			time.Sleep(time.Second)
		}
	}
	t.Run("the oldest go first", func(t *testing.T) {
		bubble(t, execution.Options{MaxRetained: 2}, after(0, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			ends(t, sup, "a", "b", "c", "d")
			if got := ids(stdio(sup).List()); got != "d c" {
				t.Errorf("listed %q", got)
			}
		})
	})
	t.Run("by their end, not by their start", func(t *testing.T) {
		bubble(t, execution.Options{MaxRetained: 2}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			for _, name := range []string{"a", "b", "c"} {
				start(t, sup, named(name))
			}
			for _, i := range []int{2, 0, 1} {
				l.fakes[i].ends(proc.Exit{})
				time.Sleep(time.Second)
			}
			if got := ids(stdio(sup).List()); got != "b a" {
				t.Errorf("listed %q", got)
			}
		})
	})
	t.Run("the newest stays whatever the number, until the next start", func(t *testing.T) {
		bubble(t, execution.Options{MaxRetained: -1}, after(0, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			ends(t, sup, "a")
			if got := ids(stdio(sup).List()); got != "a" {
				t.Errorf("listed %q", got)
			}
			ends(t, sup, "b")
			if got := ids(stdio(sup).List()); got != "b" {
				t.Errorf("listed %q", got)
			}
		})
	})
	t.Run("the old go before a start", func(t *testing.T) {
		bubble(t, execution.Options{Retention: 10 * time.Second}, after(0, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			ends(t, sup, "a", "b")
			time.Sleep(9 * time.Second) // a: 11 s, b: 10 s
			if got := ids(stdio(sup).List()); got != "b a" {
				t.Errorf("before the start: %q", got)
			}
			ends(t, sup, "c")
			if got := ids(stdio(sup).List()); got != "c b" {
				t.Errorf("after the start: %q", got)
			}
		})
	})
	t.Run("running ones stay", func(t *testing.T) {
		bubble(t, execution.Options{MaxRetained: 1, Retention: time.Second}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			start(t, sup, named("runs"))
			for _, name := range []string{"a", "b"} {
				e := start(t, sup, named(name))
				l.last().ends(proc.Exit{})
				<-e.Done()
				time.Sleep(time.Hour)
			}
			if got := ids(stdio(sup).List()); got != "b runs" {
				t.Errorf("listed %q", got)
			}
			l.fakes[0].ends(proc.Exit{})
		})
	})
	t.Run("a removed one is unknown", func(t *testing.T) {
		bubble(t, execution.Options{MaxRetained: 1}, after(0, "out"), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			a := start(t, sup, named("a"))
			<-a.Done()
			ends(t, sup, "b")
			if _, err := stdio(sup).Get(a.ID()); execution.CodeOf(err) != execution.UnknownExecution || !strings.Contains(err.Error(), a.ID()) {
				t.Errorf("error %v", err)
			}
		})
	})
}

func TestCleanup(t *testing.T) {
	bubble(t, execution.Options{Grace: time.Second}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		start(t, sup, named("runs"))
		start(t, sup, named("completed"))
		l.last().ends(proc.Exit{})
		start(t, sup, named("stopped"))
		stopped := l.last()
		go func() { stopped.ends(proc.Exit{Code: -1, Signal: <-stopped.signals}) }()
		stdio(sup).List()[0].Cancel()
		time.Sleep(time.Minute)
		if n := stdio(sup).Cleanup(time.Hour, time.Hour); n != 0 {
			t.Errorf("removed %d young ones", n)
		}
		if n := stdio(sup).Cleanup(time.Hour, 0); n != 1 || ids(stdio(sup).List()) != "completed runs" {
			t.Errorf("removed %d, left %q", n, ids(stdio(sup).List()))
		}
		if n := stdio(sup).Cleanup(0, time.Hour); n != 1 || ids(stdio(sup).List()) != "runs" {
			t.Errorf("removed %d, left %q", n, ids(stdio(sup).List()))
		}
		l.fakes[0].ends(proc.Exit{})
	})
}

func TestManyAtOnceAreAllKnown(t *testing.T) {
	bubble(t, execution.Options{MaxLive: 200, MaxRetained: 200}, after(time.Second, "x"), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				e, err := stdio(sup).Start(context.Background(), named(fmt.Sprint(i)))
				if err != nil {
					t.Error(err)
					return
				}
				if e.Await(context.Background(), time.Minute) != execution.Ended || text(e) != "x" {
					t.Errorf("%d did not end whole", i)
				}
				if got, err := stdio(sup).Get(e.ID()); err != nil || got != e {
					t.Errorf("%d is not known by its handle: %v", i, err)
				}
			})
		}
		wg.Wait()
		if n := len(stdio(sup).List()); n != 200 {
			t.Errorf("%d listed", n)
		}
	})
}

func TestStdin(t *testing.T) {
	ctx := context.Background()
	t.Run("is empty by default", func(t *testing.T) {
		bubble(t, execution.Options{}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			e := start(t, sup, command("x"))
			if l.specs[0].Stdin {
				t.Error("a pipe was asked for")
			}
			if _, err := e.Write(ctx, []byte("x"), false); execution.CodeOf(err) != execution.StdinClosed {
				t.Errorf("write: %v", err)
			}
			l.last().ends(proc.Exit{})
			<-e.Done()
			if _, err := e.Write(ctx, []byte("x"), false); execution.CodeOf(err) != execution.NotRunning || !strings.Contains(err.Error(), "completed") {
				t.Errorf("write after the end: %v", err)
			}
		})
	})
	t.Run("the initial input comes first, then writes in order", func(t *testing.T) {
		bubble(t, execution.Options{}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			r := command("x")
			r.Input, r.KeepInput = "first ", true
			e := start(t, sup, r)
			for _, s := range []string{"second ", "third"} {
				if n, err := e.Write(ctx, []byte(s), s == "third"); n != len(s) || err != nil {
					t.Errorf("write: %d, %v", n, err)
				}
			}
			if got := l.last().stdin.received(); got != "first second third" {
				t.Errorf("received %q", got)
			}
			if _, err := e.Write(ctx, nil, true); execution.CodeOf(err) != execution.StdinClosed {
				t.Errorf("write after close: %v", err)
			}
			l.last().ends(proc.Exit{})
		})
	})
	t.Run("a write that is not read ends with its context and says how much was taken", func(t *testing.T) {
		bubble(t, execution.Options{}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			r := command("x")
			r.KeepInput = true
			e := start(t, sup, r)
			in := l.last().stdin
			in.mu.Lock()
			in.room = 3
			in.mu.Unlock()
			limited, cancel := context.WithTimeout(ctx, 55*time.Second)
			defer cancel()
			n, err := e.Write(limited, []byte("12345"), false)
			if n != 3 || execution.CodeOf(err) != execution.LimitExceeded || !strings.Contains(err.Error(), "3 of 5") {
				t.Errorf("write: %d, %v", n, err)
			}
			in.mu.Lock()
			in.room = -1
			in.mu.Unlock()
			if n, err := e.Write(ctx, []byte("45"), false); n != 2 || err != nil {
				t.Errorf("the next write: %d, %v", n, err)
			}
			l.last().ends(proc.Exit{})
		})
	})
	t.Run("input that was not read is told in the result", func(t *testing.T) {
		bubble(t, execution.Options{}, func(f *fake) {
			f.stdin.mu.Lock()
			f.stdin.room = 4
			f.stdin.mu.Unlock()
			time.Sleep(time.Second)
			f.ends(proc.Exit{})
		}, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
			r := command("x")
			r.Input = "123456"
			synctest.Wait()
			e := start(t, sup, r)
			<-e.Done()
			if got := e.Snapshot().StdinError; got != "" && !strings.Contains(got, " of 6 bytes") {
				t.Errorf("stdin error %q", got)
			}
		})
	})
}

func TestReadAdvancesOneCursor(t *testing.T) {
	bubble(t, execution.Options{}, after(0, "abcdef"), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		e := start(t, sup, command("x"))
		<-e.Done()
		var got string
		for range 4 {
			got += string(e.Read(output.ReadOptions{Max: 2}).Stdout) + "|"
		}
		if got != "ab|cd|ef||" {
			t.Errorf("read %q", got)
		}
	})
}
