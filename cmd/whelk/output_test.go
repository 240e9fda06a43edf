package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// growthLimit is how much memory a command may cost that writes without end.
const growthLimit = 40 << 20 // bytes

// wantFlat checks the peak of the server's memory against what it held before.
func wantFlat(t testing.TB, s *mcptest.Server, before mcptest.Usage) {
	t.Helper()
	if raceEnabled {
		return // the detector's own memory is several times the program's
	}
	if grown := mcptest.UsageOf(t, s.PID()).PeakRSS - before.RSS; grown > growthLimit {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

func TestBO19HugeOutputCostsLittleMemory(t *testing.T) {
	s := startServer(t)
	before := mcptest.UsageOf(t, s.PID())
	const written = 300_000_000
	began := time.Now()
	r := s.Execute("yes | head -c 300000000", Args{"timeout_ms": 30_000 * slack})
	atMost(t, "the command", began, 6*time.Second)
	wantFlat(t, s, before)
	if r.Status() != "completed" || r.Int("exit_code") != 0 || !r.Bool("capped") || !r.Bool("evicted") {
		t.Errorf("%#v", r)
	}
	if n := len(r.Stdout()); n == 0 || n > 20_000 {
		t.Errorf("%d bytes in the answer", n)
	}
	if n := listed(t, s, r.String("execution_id"))["stdout_bytes"]; n != float64(written) {
		t.Errorf("stdout_bytes is %v", n)
	}
}

func TestBO20EndlessOutputEndsAtItsLimit(t *testing.T) {
	s := startServer(t)
	before := mcptest.UsageOf(t, s.PID())
	began := time.Now()
	r := s.Execute("yes", Args{"timeout_ms": 2000})
	atMost(t, "the answer", began, 3500*time.Millisecond)
	wantFlat(t, s, before)
	if r.Status() != "timed_out" || r.String("limit_exceeded") != "timeout" || !r.Bool("evicted") {
		t.Errorf("%#v", r)
	}
	if !regexp.MustCompile(`\d{6,} bytes`).MatchString(r.String("hint")) {
		t.Errorf("the hint does not say how many bytes are lost: %q", r.String("hint"))
	}
}

func TestBO21FloodOfOneStreamHidesNotTheOther(t *testing.T) {
	s := startServer(t)
	began := time.Now()
	r := s.Execute(`head -c 2000000 /dev/zero | tr "\0" e >&2; echo out`)
	atMost(t, "the command", began, 2*time.Second)
	if r.Status() != "completed" || r.Int("exit_code") != 0 {
		t.Errorf("%#v", r)
	}
	id := r.String("execution_id")
	if n := listed(t, s, id)["stderr_bytes"]; n != float64(2_000_000) {
		t.Errorf("stderr_bytes is %v", n)
	}
	if out := s.Call("read", Args{"execution_id": id, "streams": "stdout"}).Stdout(); out != "out\n" {
		t.Errorf("stdout alone is %q", out)
	}
	if out, err := readAll(t, s, id); out != "out\n" || strings.Trim(err, "e") != "" || err == "" {
		t.Errorf("all pages: stdout %q, %d bytes of stderr", out, len(err))
	}
}

func TestBO22TailOfOneLongLineIsItsEnd(t *testing.T) {
	s := startServer(t)
	r := s.Execute(`head -c 100000 /dev/zero | tr "\0" x; echo`)
	r = s.Call("read", Args{"execution_id": r.String("execution_id"), "tail_lines": 1, "max_output_bytes": 1000})
	if want := strings.Repeat("x", 999) + "\n"; r.Stdout() != want {
		t.Errorf("got %d bytes, %.20q…", len(r.Stdout()), r.Stdout())
	}
}

func TestBO23LongLineHidesNotWhatFollows(t *testing.T) {
	s := startServer(t)
	r := s.Execute(`head -c 70000 /dev/zero | tr "\0" x; echo; echo after`)
	if out, _ := readAll(t, s, r.String("execution_id")); out != strings.Repeat("x", 70_000)+"\nafter\n" {
		t.Errorf("%d bytes, the end is %q", len(out), out[max(0, len(out)-10):])
	}
}

// Not parallel, and with pauses five times the case's: an order that a busy
// machine lets nobody see cannot be kept.
func TestBO78StreamsKeepTheirOrder(t *testing.T) {
	s := startServer(t)
	r := s.Execute("for i in 1 2 3; do echo o$i; sleep .1; echo e$i >&2; sleep .1; done")
	id := r.String("execution_id")
	order := ""
	for next := int64(1); next < r.Int("latest_seq"); {
		// Pages of one line each: "o1\n" has three bytes.
		page := s.Call("read", Args{"execution_id": id, "since_seq": next, "max_output_bytes": 3})
		order += page.Stdout() + page.Stderr()
		next = page.Int("next_seq")
	}
	if order != "o1\ne1\no2\ne2\no3\ne3\n" {
		t.Errorf("by position: %q", order)
	}
	r = s.Execute("{ for i in 1 2 3; do echo o$i; echo e$i >&2; done; } 2>&1")
	wantRun(t, r, "completed", 0, "o1\ne1\no2\ne2\no3\ne3\n")
}
