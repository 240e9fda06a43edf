package main

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"whelk/internal/mcptest"
)

func TestBO36DeathBySignalIsNamed(t *testing.T) {
	s := startServer(t)
	for name, want := range map[string]struct {
		signal string
		code   int64
	}{"kill -9 $$": {"SIGKILL", -9}, "kill -TERM $$": {"SIGTERM", -15}, "kill -SEGV $$": {"SIGSEGV", -11}} {
		r := s.Execute(name)
		wantRun(t, r, "completed", want.code, "")
		if r.String("signal") != want.signal {
			t.Errorf("%s: signal %q", name, r.String("signal"))
		}
	}
}

func TestBO37ExitCodesAreTheShells(t *testing.T) {
	s := startServer(t)
	for command, code := range map[string]int64{
		`sh -c "kill -9 \$\$"; exit $?`: 137,
		"exit 300":                      44,
		"exit 255":                      255,
		"no-such-program-at-all":        127,
		"/":                             126,
	} {
		r := s.Execute(command)
		wantRun(t, r, "completed", code, "")
		if r.Fields["signal"] != nil {
			t.Errorf("%s: signal %v", command, r.Fields["signal"])
		}
	}
}

// keepBusy occupies processors until the returned function is called.
func keepBusy(burners int) (stop func()) {
	var done atomic.Bool
	var all sync.WaitGroup
	for range burners {
		all.Go(func() {
			for !done.Load() {
			}
		})
	}
	return func() {
		done.Store(true)
		all.Wait()
	}
}

func TestBO38FastFailureKeepsItsWords(t *testing.T) {
	s := startServer(t)
	defer keepBusy(2)()
	const runs, width = 100, 4 // the case has 200
	for i, r := range many(s, runs, width, "echo ERRMSG >&2; exit 1") {
		if r.Status() != "completed" || r.Int("exit_code") != 1 || r.Stderr() != "ERRMSG\n" {
			t.Fatalf("run %d: %#v", i, r)
		}
	}
}

func TestBO39TailOfOutputIsNeverCut(t *testing.T) {
	const command, bytes, last = "seq 1 20000", 108_894, "20000\n"
	check := func(t *testing.T, s *mcptest.Server, id string) {
		t.Helper()
		if n := listed(t, s, id)["stdout_bytes"]; n != float64(bytes) {
			t.Fatalf("stdout_bytes is %v", n)
		}
		if r := s.Call("read", Args{"execution_id": id, "tail_lines": 1}); r.Stdout() != last {
			t.Fatalf("the last line is %q", r.Stdout())
		}
	}
	t.Run("inline", func(t *testing.T) {
		s := startServer(t)
		defer keepBusy(2)()
		const runs, width = 40, 4 // the case has 300
		for _, r := range many(s, runs, width, command) {
			check(t, s, r.String("execution_id"))
		}
	})
	t.Run("in the background", func(t *testing.T) {
		s := startServer(t)
		const runs = 25
		for range runs {
			id := s.Execute(command, Args{"yield_ms": 1}).String("execution_id")
			if r := s.Call("wait", Args{"execution_id": id}); r.Status() != "completed" {
				t.Fatalf("%#v", r)
			}
			check(t, s, id)
		}
	})
}

func TestBO40EndedExecutionsStayReadable(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	id := s.Background("sleep 0.2; echo hi")
	if r := s.Call("wait", Args{"execution_id": id}); r.Status() != "completed" {
		t.Fatalf("%#v", r)
	}
	for range 2 {
		wantRun(t, s.Call("read", Args{"execution_id": id, "since_seq": 1}), "completed", 0, "hi\n")
	}
	if e := listed(t, s, id); e["status"] != "completed" || e["exit_code"] != float64(0) || e["stdout_bytes"] != float64(3) {
		t.Errorf("%v", e)
	}
}

func TestCursorReturnsEachByteOnce(t *testing.T) {
	s := startServer(t)
	r := s.Execute("seq 1 20000", Args{"max_output_bytes": 5000})
	id, all := r.String("execution_id"), r.Stdout()
	for r.Bool("capped") {
		r = s.Call("read", Args{"execution_id": id, "max_output_bytes": 7001})
		all += r.Stdout()
	}
	if want := 108_894; len(all) != want || strings.Count(all, "\n") != 20_000 || !strings.HasSuffix(all, "\n19999\n20000\n") {
		t.Errorf("%d bytes, want %d", len(all), want)
	}
}
