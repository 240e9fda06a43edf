package bench

import "time"

// floodRuns are the floods of a round.
const floodRuns = 3

// floodPipe, in bytes, is the size to which the server lets the pipe of a
// command with much output grow, and thus the limit's.
const floodPipe = 256 << 10

// flood measures how fast large output is taken, against a reader that throws
// it away, and against a shell that does so.
func flood(l load) metrics {
	server := l.whelk(l)
	limit := func() []time.Duration {
		return column(l.numbers(l, l.path("limit-pipe"), "read", itoa(floodRuns), itoa(floodPipe), itoa(l.n), itoa(writerChunk)), 0)
	}
	shell := func() []time.Duration {
		took, _ := l.spawn(l, floodRuns, l.writer(l.n)+" | cat >/dev/null")
		return took
	}
	medians := contest(l.next, p10, limit, shell, repeat(floodRuns, pauseBetween, func() time.Duration { return drown(l, server, l.n) }))
	rate := func(i int) float64 { return megabytes(l.n) / medians[i].Seconds() }
	return metrics{
		"MB/s": rate(2), "limit-MB/s": rate(0), "cat-MB/s": rate(1),
		"limit-ratio": ratio(rate(2), rate(0)), "cat-ratio": ratio(rate(2), rate(1)),
	}
}

// drown runs a command with so many bytes of output and checks that the server
// has counted them all.
func drown(l load, c *client, bytes int) time.Duration {
	l.Helper()
	text, took := c.execute(l.writer(bytes))
	if got := field(l, text, "latest_seq"); got != itoa(bytes+1) {
		l.Fatalf("latest_seq is %s after %d bytes", got, bytes)
	}
	return took
}
