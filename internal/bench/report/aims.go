package main

import "slices"

// rows is the table: every aim that is measured, and the figures around it. A
// ratio is ours by the limit's, so that less is better for times and more is
// better for rates.
func rows() []row {
	return slices.Concat(callRows(), httpRows(), outputRows(), footprintRows())
}

func callRows() []row {
	return []row{
		timed("T1", "run `true`, p10; limit: vfork, 2 pipes, wait", "execute", "p10").ratioAtMost(1.40),
		// At most a tenth over T1.
		timed("T2", "the same with 200 executions alive", "execute-200-live", "p10").ratioAtMost(1.54),
		timed("T3", "empty call, p10; limit: JSON loop by hand", "empty", "p10").atMost(60),
		timed("T3", "the same, by the limit", "empty", "p10").ratioAtMost(6),
		timed("", "the same, after 200 µs of rest", "empty-rested", "p10"),
		timed("", "read a page of 20 kB, p10; limit: JSON loop", "page-20kB", "p10"),
		counted("T4", "the same, over an empty call", "Times/page-20kB", "p10-over-empty-µs", "µs").atMost(120),
		timed("", "read a page of 80 KiB, p10; limit: JSON loop", "page-largest", "p10"),
		counted("T4", "the same, as a rate", "Times/page-largest", "MB/s", "MB/s").atLeast(100),
		timed("T9", "exit → waiter runs, p50; limit: waitpid", "exit-seen", "p50").atMost(250),
		counted("", "exit → group known to be gone, p50", "Times/exit-seen", "p50-gone-µs", "µs"),
		timed("", "exit → answer read, p50; limit: waitpid", "exit-answered", "p50"),
		timed("T9", "end of an orphan → answer, p50; limit: end of file", "orphan-answered", "p50").atMost(1000),
		timed("T10", "byte written → readable, p50; limit: read(2)", "output-readable", "p50").atMost(60),
		timed("T11", "start → initialize answered, p50; limit: JSON loop", "start", "p50").atMost(8000),
		timed("T11", "the same, by the limit", "start", "p50").ratioAtMost(2.5),
	}
}

// httpRows have no aims: the limit is the same call over standard input and output.
func httpRows() []row {
	var all []row
	for _, call := range []struct{ what, bench string }{{"empty call", "http-empty"}, {"run `true`", "http-execute"}} {
		all = append(all,
			timed("", call.what+" over HTTP, p50; limit: over stdio", call.bench, "p50"),
			row{what: "the same, p99", bench: "Times/" + call.bench, ours: "p99-µs", limit: "p99-limit-µs", unit: "µs"},
			row{what: "the same, 16 in flight", bench: "Times/" + call.bench, ours: "calls/s", limit: "limit-calls/s", unit: "calls/s"},
		)
	}
	return all
}

func outputRows() []row {
	const flood = "Times/flood"
	return []row{
		row{aim: "T5b", what: "100 MB of output; limit: C reader, discard", bench: flood, ours: "MB/s", limit: "limit-MB/s", ratio: "limit-ratio", unit: "MB/s"}.ratioAtLeast(0.80),
		row{aim: "T5", what: "the same; limit: cmd | cat >/dev/null", bench: flood, ours: "MB/s", limit: "cat-MB/s", ratio: "cat-ratio", unit: "MB/s"}.ratioAtLeast(1),
		counted("T6", "peak RSS during 100 MB", "Footprint/flood-memory", "peak-RSS-MB", "MB").atMost(25),
		// 2 MB is the scatter of the garbage collector.
		counted("T6", "RSS added by 1 GB after it", "Footprint/flood-memory", "grown-again-MB", "MB").atMost(2),
	}
}

func footprintRows() []row {
	const (
		executions = "Footprint/executions"
		live200    = "Footprint/live-200"
		live1000   = "Footprint/live-1000"
	)
	return []row{
		counted("T8", "threads with 200 executions alive", live200, "threads", "").atMost(20),
		counted("T8", "threads with 1,000 executions alive", live1000, "threads", "").atMost(20),
		counted("", "descriptors for each of them", live1000, "fds-each", ""),
		counted("T8", "RSS for each of them", live1000, "RSS-kB-each", "kB").atMost(15),
		counted("T8", "processor used over 5 s of idleness, 200 alive", live200, "idle-CPU-%", "%").atMost(0.1),
		counted("T8", "the same, 1,000 alive", live1000, "idle-CPU-%", "%").atMost(0.1),
		counted("", "end of the server with 1,000 alive", live1000, "end-ms", "ms"),
		counted("", "the same, until all of them are gone", live1000, "gone-ms", "ms"),
		counted("", "RSS, idle", executions, "idle-RSS-MB", "MB"),
		counted("", "PSS, idle", executions, "idle-PSS-MB", "MB"),
		counted("", "RSS after 100 executions", executions, "few-RSS-MB", "MB"),
		counted("", "RSS after 10,000 more", executions, "many-RSS-MB", "MB"),
		// 3 MB is the scatter of the garbage collector.
		counted("flat", "RSS added by 10,000 executions", executions, "grown-RSS-MB", "MB").atMost(3),
		counted("flat", "descriptors added by 10,000 executions", executions, "grown-fds", "").atMost(0),
		// Go keeps a thread once a burst has made it.
		counted("flat", "threads added by 10,000 executions", executions, "grown-threads", "").atMost(2),
		counted("T11", "RSS after tools/list", "Times/start", "RSS-MB", "MB").atMost(12),
		counted("T11", "size of the program", "Footprint/binary", "MB", "MB").atMost(12),
	}
}
