package bench

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// usage of the limit programs: see the sources in testdata.

// spawn runs a command under limit-spawn: what each run took, and how old the
// time was that the command wrote, if it wrote one.
func (p *programs) spawn(tb testing.TB, runs int, command string) (took, age []time.Duration) {
	tb.Helper()
	for _, row := range p.numbers(tb, p.path("limit-spawn"), itoa(runs), itoa(int(pauseBetween.Microseconds())), "0", command) {
		took, age = append(took, row[0]), append(age, row[1])
	}
	return took, age
}

// numbers runs a program that prints a table of times in ns.
func (p *programs) numbers(tb testing.TB, name string, args ...string) (rows [][]time.Duration) {
	tb.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	for line := range strings.Lines(string(out)) {
		var row []time.Duration
		for word := range strings.FieldsSeq(line) {
			ns, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				tb.Fatalf("%s printed %q", name, line)
			}
			row = append(row, time.Duration(ns))
		}
		rows = append(rows, row)
	}
	return rows
}

// column is one column of a table.
func column(rows [][]time.Duration, n int) []time.Duration {
	var c []time.Duration
	for _, row := range rows {
		c = append(c, row[n])
	}
	return c
}

// writer is the command that writes so many bytes of text, in pieces that are
// large enough for the writer not to be what is measured.
func (p *programs) writer(bytes int) string {
	return fmt.Sprintf("'%s' write %d %d", p.path("limit-pipe"), bytes, writerChunk)
}

// writerChunk, in bytes, is what large writers use: more does not make them
// faster.
const writerChunk = 128 << 10

// stamper is the command that writes the time of its exit after a delay.
func (p *programs) stamper(delay time.Duration) string {
	return fmt.Sprintf("'%s' write 1 %d", p.path("stamp"), delay.Microseconds())
}

func itoa(n int) string { return strconv.Itoa(n) }

// quote is a JSON string: commands here have no control characters.
func quote(s string) string { return strconv.Quote(s) }
