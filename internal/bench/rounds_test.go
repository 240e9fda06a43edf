package bench

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// pauseBetween two operations that start processes lets the machine come to
// rest, as between the calls of an agent: without it the second finds
// everything still awake.
const pauseBetween = 200 * time.Microsecond

// p10 is the quantile of a round for what something costs: it held within 5 %
// under a load that made means swing threefold. p50 is for the usual case.
const (
	p10 = 0.1
	p50 = 0.5
)

// contestant makes the operations of one round and returns what each took.
type contestant func() []time.Duration

// contest lets all make their rounds in turn, while next holds, and returns
// for each the median over the rounds of the round's quantile.
func contest(next func() bool, quantile float64, all ...contestant) []time.Duration {
	rounds := make([][]time.Duration, len(all))
	for next() {
		for i, c := range all {
			rounds[i] = append(rounds[i], quantileOf(c(), quantile))
		}
	}
	medians := make([]time.Duration, len(all))
	for i := range all {
		medians[i] = quantileOf(rounds[i], p50)
	}
	return medians
}

// quantileOf returns the value below which the share q of all lies, without
// interpolation: one that was measured.
func quantileOf(d []time.Duration, q float64) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[int(q*float64(len(d)-1))]
}

// repeat makes a contestant of an operation that returns what it took, with a
// pause before each.
func repeat(n int, before time.Duration, operation func() time.Duration) contestant {
	return func() []time.Duration {
		took := make([]time.Duration, n)
		for i := range took {
			if before > 0 {
				pause(before)
			}
			took[i] = operation()
		}
		return took
	}
}

// pause sleeps in the kernel: Go's own timers are later than a millisecond
// when nothing else runs.
func pause(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // cut short by a signal at worst
}

// monotonic is the clock of the stamp program.
func monotonic() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every Linux has it
	return time.Duration(t.Nano())
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// ratio of two times or rates.
func ratio[N ~int64 | ~float64](a, b N) float64 { return float64(a) / float64(b) }
