package bench

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// exitSeen measures, inside one process, how long after the exit of a command
// its waiter runs, and how long until its group is known to be gone, against
// waitpid.
func exitSeen(l load) metrics {
	wake := func(what string) contestant {
		return func() []time.Duration {
			return column(l.numbers(l, l.path("wake"), what, itoa(l.n), l.path("stamp")), 0)
		}
	}
	medians := contest(l.next, p50,
		func() []time.Duration { _, age := l.spawn(l, l.n, "exec "+l.stamper(0)); return age },
		wake("exited"),
		wake("gone"),
	)
	m := against("p50", medians[0], medians[1])
	m["p50-gone-µs"] = micros(medians[2])
	return m
}

// exitAnswered measures how long after the exit of a command the call that
// runs it is answered.
func exitAnswered(l load) metrics { return answered(l, "exec "+l.stamper(0)) }

// orphanDelay lets the shell exit long before its child.
const orphanDelay = 10 * time.Millisecond

// orphanAnswered is the same for the last process of a group whose leader has
// exited. The limit sees the end of its output instead.
func orphanAnswered(l load) metrics { return answered(l, l.stamper(orphanDelay)+" &") }

func answered(l load, command string) metrics {
	server := l.whelk(l)
	medians := contest(l.next, p50,
		func() []time.Duration { _, age := l.spawn(l, l.n, command); return age },
		repeat(l.n, pauseBetween, func() time.Duration {
			answer, _ := server.call("execute", `{"command":`+quote(command)+`}`)
			now := monotonic()
			return now - stampIn(l, resultText(l, answer))
		}),
	)
	return against("p50", medians[0], medians[1])
}

// stampIn is the time that a command wrote, from the text of its result.
func stampIn(tb testing.TB, text string) time.Duration {
	tb.Helper()
	ns, err := strconv.ParseInt(strings.TrimSpace(below(text)), 10, 64)
	if err != nil || !strings.HasPrefix(text, "completed ") {
		tb.Fatalf("no time in %.500s", text)
	}
	return time.Duration(ns)
}

// outputReadable measures, inside one process, how long after a command has
// written a byte a reader that waits for it has it, against read(2).
func outputReadable(l load) metrics {
	pause := itoa(int(pauseBetween.Microseconds()))
	pair := fmt.Sprintf("'%[1]s' write %[2]d %[3]s | '%[1]s' read", l.path("stamp"), l.n, pause)
	medians := contest(l.next, p50,
		func() []time.Duration { return column(l.numbers(l, "/bin/sh", "-c", pair), 0) },
		func() []time.Duration {
			return column(l.numbers(l, l.path("wake"), "output", itoa(l.n), l.path("stamp"), pause), 0)
		},
	)
	return against("p50", medians[0], medians[1])
}
