package bench

import "testing"

// metrics are the figures of a measure, by unit.
type metrics map[string]float64

// load is with what a measure works.
type load struct {
	testing.TB
	*programs
	next func() bool // whether to make another round
	n    int         // the operations of a round, or the size of what is measured
}

// measure is one thing measured.
type measure struct {
	name string
	full int // load.n of a benchmark
	tiny int // load.n of a trial
	run  func(load) metrics
}

// times are the measures that are made in rounds.
func times() []measure {
	return []measure{
		{"execute", 200, 3, executeTrue(0)},
		{"execute-200-live", 200, 3, executeTrue(200)},
		{"empty", 500, 3, emptyCall(0)}, // one after the other, as the aims of calls are about
		{"empty-rested", 500, 3, emptyCall(pauseBetween)},
		{"page-20kB", 200, 3, readPage(20_000)},
		{"page-largest", 200, 3, readPage(largestPage)},
		{"flood", 100e6, 1e6, flood},
		{"exit-seen", 100, 3, exitSeen},
		{"exit-answered", 100, 3, exitAnswered},
		{"orphan-answered", 50, 3, orphanAnswered},
		{"output-readable", 200, 3, outputReadable},
		{"start", 10, 1, startUp},
		{"http-empty", 300, 3, overHTTP("ps", `{"include_completed":false}`)},
		{"http-execute", 200, 3, overHTTP("execute", `{"command":"true"}`)},
	}
}

// footprints are the measures that are made once.
func footprints() []measure {
	return []measure{
		{"binary", 0, 0, binarySize},
		{"executions", 10_000, 20, manyExecutions},
		{"flood-memory", 100e6, 1e6, floodMemory},
		{"live-200", 200, 4, liveExecutions},
		{"live-1000", 1000, 4, liveExecutions},
	}
}

// BenchmarkTimes makes one round in each iteration: -benchtime=7x is what the
// aims are about.
func BenchmarkTimes(b *testing.B) { runAll(b, times()) }

// BenchmarkFootprint is for -benchtime=1x.
func BenchmarkFootprint(b *testing.B) { runAll(b, footprints()) }

func runAll(b *testing.B, all []measure) {
	for _, m := range all {
		b.Run(m.name, func(b *testing.B) {
			for unit, value := range m.run(load{b, built(b), b.Loop, m.full}) {
				b.ReportMetric(value, unit)
			}
			b.ReportMetric(0, "ns/op") // of whole rounds: says nothing
		})
	}
}
