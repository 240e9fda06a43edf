package bench

import (
	"strings"
	"testing"
	"time"
)

// executeTrue measures a call that runs `true`, with so many other executions
// alive, against the same shell under limit-spawn.
func executeTrue(live int) func(load) metrics {
	return func(l load) metrics {
		server := l.whelk(l, "--max-executions="+itoa(live+1))
		startSleepers(l, server, live)
		medians := contest(l.next, p10,
			func() []time.Duration { took, _ := l.spawn(l, l.n, "true"); return took },
			repeat(l.n, pauseBetween, func() time.Duration { _, took := server.execute("true"); return took }),
		)
		return against("p10", medians[0], medians[1])
	}
}

// against are the metrics of a time and of its limit's.
func against(quantile string, limit, ours time.Duration) metrics {
	return metrics{
		quantile + "-µs":       micros(ours),
		quantile + "-limit-µs": micros(limit),
		quantile + "-ratio":    ratio(ours, limit),
	}
}

// emptyCall measures a call that does nothing against the hand loop, with a
// pause before each.
func emptyCall(before time.Duration) func(load) metrics {
	return func(l load) metrics {
		server, loop := l.whelk(l), connect(l, l.path("handloop"))
		medians := contest(l.next, p10, repeat(l.n, before, listNothing(loop)), repeat(l.n, before, listNothing(server)))
		return against("p10", medians[0], medians[1])
	}
}

// listNothing makes a call with an empty answer, also from a server that has
// run something.
func listNothing(c *client) func() time.Duration {
	return func() time.Duration { _, took := c.call("ps", `{"include_completed":false}`); return took }
}

// largestPage, in bytes, is the most that --max-output may be.
const largestPage = 80 << 10

// readPage measures a read of so many bytes against the hand loop, which
// answers with as many, and against an empty call of the same server.
func readPage(bytes int) func(load) metrics {
	return func(l load) metrics {
		server := l.whelk(l, "--max-output="+itoa(bytes))
		loop := connect(l, l.path("handloop"), itoa(bytes))
		text, _ := server.execute(l.writer(bytes))
		read := func(c *client) func() time.Duration {
			arguments := `{"since_seq":1,"execution_id":` + quote(field(l, text, "execution_id")) + `}`
			if answer, _ := c.call("read", arguments); len(answer) < bytes {
				l.Fatalf("a page of %d bytes was answered by %d", bytes, len(answer))
			}
			return func() time.Duration { _, took := c.call("read", arguments); return took }
		}
		medians := contest(l.next, p10,
			repeat(l.n, 0, read(loop)),
			repeat(l.n, 0, listNothing(server)),
			repeat(l.n, 0, read(server)),
		)
		m := against("p10", medians[0], medians[2])
		m["p10-over-empty-µs"] = micros(medians[2] - medians[1])
		m["MB/s"] = megabytes(bytes) / medians[2].Seconds()
		return m
	}
}

// startSleepers starts executions that only sleep, and returns their pids.
func startSleepers(tb testing.TB, c *client, n int) (pids []string) {
	tb.Helper()
	for range n {
		text := c.background("exec sleep 1000")
		if !strings.HasPrefix(text, "backgrounded ") {
			tb.Fatalf("a sleeper did not start: %s", text)
		}
		pids = append(pids, field(tb, text, "process_id"))
	}
	return pids
}

func megabytes(bytes int) float64 { return float64(bytes) / 1e6 }
