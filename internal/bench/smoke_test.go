package bench

import (
	"math"
	"os"
	"runtime"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// once lets one round be made.
func once() func() bool {
	left := 1
	return func() bool {
		left--
		return left >= 0
	}
}

func TestEachMeasureWorks(t *testing.T) {
	for _, m := range append(times(), footprints()...) {
		t.Run(m.name, func(t *testing.T) {
			found := m.run(load{t, built(t), once(), m.tiny})
			if len(found) == 0 {
				t.Error("there are no metrics")
			}
			for unit, value := range found {
				if math.IsNaN(value) || math.IsInf(value, 0) {
					t.Errorf("%s is %v", unit, value)
				}
			}
		})
	}
}

func TestLimitProgramsWorkWithoutACompiler(t *testing.T) {
	built(t)
	fallback := newPrograms(t.TempDir())
	if err := fallback.play(append(cPrograms(), "wake")...); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"whelk", "handloop"} { // have no other form
		if err := os.Symlink(shared.path(name), fallback.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	// Together they use every form of every limit program.
	for _, m := range []measure{
		{name: "flood", tiny: 1e6, run: flood},
		{name: "exit-answered", tiny: 3, run: exitAnswered},
		{name: "output-readable", tiny: 3, run: outputReadable},
	} {
		t.Run(m.name, func(t *testing.T) {
			for unit, value := range m.run(load{t, fallback, once(), m.tiny}) {
				if value <= 0 {
					t.Errorf("%s is %v", unit, value)
				}
			}
		})
	}
}

func TestLiveExecutionsShareThreads(t *testing.T) {
	const live = 200
	most := 18 + runtime.GOMAXPROCS(0) // the server keeps a thread for each processor in reserve
	c := built(t).whelk(t, "--max-executions="+itoa(live))
	startSleepers(t, c, live)
	if got := mcptest.UsageOf(t, c.pid()).Threads; got > most {
		t.Errorf("%d threads with %d live executions, at most %d are expected", got, live, most)
	}
}

func TestEndedExecutionsHoldNoDescriptors(t *testing.T) {
	const executions = 300
	c := built(t).whelk(t)
	c.execute("true") // opens what is opened once
	settle(t, c)
	before := mcptest.UsageOf(t, c.pid()).Descriptors
	execute(c, executions)
	settle(t, c)
	if after := mcptest.UsageOf(t, c.pid()).Descriptors; after != before {
		t.Errorf("%d descriptors, %d after %d executions", before, after, executions)
	}
}

func TestOutputOf50MBStaysOutOfMemory(t *testing.T) {
	const bytes, most = 50e6, 40e6
	l := load{t, built(t), once(), bytes}
	c := l.whelk(t)
	before := mcptest.UsageOf(t, c.pid()).RSS
	if grown := peakDuring(l, c, bytes) - before; grown > most {
		t.Errorf("memory grew by %d bytes while %d were written, at most %d are expected", grown, int(bytes), int(most))
	}
}

func TestQuantilesAreMeasuredValues(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		q    float64
		want int
	}{
		{"one", 1, p10, 1},
		{"two, low", 2, p10, 1},
		{"least of eleven but one", 11, p10, 2},
		{"middle", 7, p50, 4},
		{"lower middle", 8, p50, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d []time.Duration
			for i := range tt.n {
				d = append(d, time.Duration(tt.n-i)) // in falling order
			}
			if got := quantileOf(d, tt.q); got != time.Duration(tt.want) {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
