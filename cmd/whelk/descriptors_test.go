package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"whelk/internal/mcptest"
)

func TestBO44CommandsGetNoDescriptorsOfTheServer(t *testing.T) {
	t.Parallel()
	file, err := os.Open("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	s := startWith(t, mcptest.Options{Files: []*os.File{file, writer}})
	writer.Close()
	s.Background("sleep " + mcptest.Marker(t))
	// Our end is dropped: whoever else held the pipe would keep it open.
	if rest, err := io.ReadAll(reader); err != nil || len(rest) != 0 {
		t.Errorf("%q, %v", rest, err)
	}
	r := s.Execute("ls /proc/self/fd")
	wantRun(t, r, "completed", 0, "0\n1\n2\n3\n") // 3 is ls's own
}

func TestBO45DescriptorLimitIsNamedAndSurvived(t *testing.T) {
	t.Parallel()
	s := startWith(t, mcptest.Options{Wrap: []string{"bash", "-c", `ulimit -n 48; exec "$@"`, "bash"}})
	const runs = 30
	ran, refused := 0, 0
	for _, r := range many(s, runs, runs, "sleep 1; echo k") {
		switch {
		case r.Status() == "completed" && r.Stdout() == "k\n" && r.Int("exit_code") == 0:
			ran++
		case r.IsError && r.Status() == "failed_to_start" && strings.Contains(r.String("error"), "RLIMIT_NOFILE"):
			refused++
		default:
			t.Errorf("%#v", r)
		}
	}
	if ran == 0 || refused == 0 {
		t.Errorf("%d ran, %d were refused: the limit was not met", ran, refused)
	}
}

func TestBO46NothingGrowsWithTheNumberOfCommands(t *testing.T) {
	s := startServer(t, "--max-retained", "10")
	const warmUp, runs, width = 50, 250, 4 // the case has 2,000
	run := func(n int) {
		for _, r := range many(s, n, width, `head -c 200000 /dev/zero | tr "\0" x`) {
			if r.Status() != "completed" {
				t.Fatalf("%#v", r)
			}
		}
	}
	run(warmUp)
	before := mcptest.UsageOf(t, s.PID())
	run(runs)
	after := mcptest.UsageOf(t, s.PID())
	if after.Descriptors > before.Descriptors+2 {
		t.Errorf("descriptors: %d, then %d", before.Descriptors, after.Descriptors)
	}
	// Threads stay until Go retires them, so a few more are no leak; one for
	// each command would be.
	if after.Threads > before.Threads+10 {
		t.Errorf("threads: %d, then %d", before.Threads, after.Threads)
	}
	if !raceEnabled && after.RSS > before.RSS+20<<20 {
		t.Errorf("memory: %d KiB, then %d KiB", before.RSS>>10, after.RSS>>10)
	}
}
