package bench

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whelk/internal/mcptest"
)

// manyExecutions measures what the server holds when idle, after the hundred
// executions that it keeps by default, and after many more.
func manyExecutions(l load) metrics {
	const kept = 100
	c := l.whelk(l)
	m := metrics{}
	holding(l, c, m, "idle")
	execute(c, min(kept, l.n))
	few := holding(l, c, m, "few")
	execute(c, l.n)
	many := holding(l, c, m, "many")
	m["grown-fds"] = float64(many.Descriptors - few.Descriptors)
	m["grown-threads"] = float64(many.Threads - few.Threads)
	m["grown-RSS-MB"] = megabytes(int(many.RSS - few.RSS))
	return m
}

func execute(c *client, n int) {
	for range n {
		c.execute("true")
	}
}

// holding adds to m what a server holds now.
func holding(l load, c *client, m metrics, when string) mcptest.Usage {
	settle(l, c)
	u := mcptest.UsageOf(l, c.pid())
	m[when+"-RSS-MB"] = megabytes(int(u.RSS))
	m[when+"-PSS-MB"] = megabytes(proportionalBytes(l, c.pid()))
	m[when+"-fds"] = float64(u.Descriptors)
	m[when+"-threads"] = float64(u.Threads)
	return u
}

// settle waits until an execution that has just been answered has let go of
// its descriptors.
func settle(tb testing.TB, c *client) {
	last := -1
	mcptest.Eventually(tb, 10*time.Second, "a steady number of descriptors", func() bool {
		now := mcptest.UsageOf(tb, c.pid()).Descriptors
		steady := now == last
		last = now
		return steady
	})
}

// proportionalBytes is the memory of a process, shared pages counted by share.
func proportionalBytes(tb testing.TB, pid int) int {
	tb.Helper()
	b, err := os.ReadFile("/proc/" + itoa(pid) + "/smaps_rollup")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				tb.Fatal(err)
			}
			return kib << 10
		}
	}
	tb.Fatalf("no Pss in %s", b)
	return 0
}

// floodMemory measures the most memory that the server had while it took the
// output of commands: so much, and ten times as much.
func floodMemory(l load) metrics {
	c := l.whelk(l)
	c.execute("true")
	before := mcptest.UsageOf(l, c.pid()).RSS
	once := peakDuring(l, c, l.n)
	tenfold := peakDuring(l, c, 10*l.n)
	return metrics{
		"before-RSS-MB":  megabytes(int(before)),
		"peak-RSS-MB":    megabytes(int(once)),
		"peak-10x-MB":    megabytes(int(tenfold)),
		"grown-RSS-MB":   megabytes(int(once - before)),
		"grown-again-MB": megabytes(int(tenfold - once)),
	}
}

// peakDuring is the peak of the server's memory, in bytes, during a flood.
func peakDuring(l load, c *client, bytes int) int64 {
	l.Helper()
	const resetPeak = "5" // proc(5), clear_refs
	if err := os.WriteFile("/proc/"+itoa(c.pid())+"/clear_refs", []byte(resetPeak), 0); err != nil {
		l.Fatal(err)
	}
	drown(l, c, bytes)
	return mcptest.UsageOf(l, c.pid()).PeakRSS
}

// idlePerExecution makes the time that the server is watched for idleness five
// seconds at 200 executions, and short in a trial.
const (
	idlePerExecution = 25 * time.Millisecond
	idleLongest      = 5 * time.Second
)

// liveExecutions measures what executions cost that live and do nothing.
func liveExecutions(l load) metrics {
	c := l.whelk(l, "--max-executions="+itoa(l.n+1))
	c.execute("true")
	before := mcptest.UsageOf(l, c.pid())
	pids := startSleepers(l, c, l.n)
	live := mcptest.UsageOf(l, c.pid())

	idle := min(time.Duration(l.n)*idlePerExecution, idleLongest)
	used, began := processorTime(l, c.pid()), time.Now()
	time.Sleep(idle) // what is measured
	used = processorTime(l, c.pid()) - used
	share := ratio(used, time.Since(began))

	began = time.Now()
	ending := c.end()
	// The server may leave the rest to its guardian.
	mcptest.Eventually(l, patience, "the end of all executions", func() bool { return living(l, pids) == 0 })
	gone := time.Since(began)
	return metrics{
		"threads":     float64(live.Threads),
		"fds-each":    float64(live.Descriptors-before.Descriptors) / float64(l.n),
		"RSS-kB-each": float64(live.RSS-before.RSS) / 1e3 / float64(l.n),
		"idle-CPU-%":  100 * share,
		"end-ms":      micros(ending) / 1e3,
		"gone-ms":     micros(gone) / 1e3,
	}
}

// living counts the processes that have not ended. A zombie has, however slow
// PID 1 is to reap it.
func living(tb testing.TB, pids []string) (n int) {
	tb.Helper()
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			tb.Fatal(err)
		}
		if state := mcptest.State(pid); state != 0 && state != 'Z' {
			n++
		}
	}
	return n
}

// processorTime is what a process has used so far: clock_getcpuclockid(3)
// makes the clock's number like this. It counts ns, /proc only ticks.
func processorTime(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	const wholeProcess = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|wholeProcess), &t); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(t.Nano())
}
