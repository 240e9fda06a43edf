// Command report reads the output of the benchmarks of package bench on its
// standard input and writes one table: what was measured, the limit, their
// ratio, the aim, and whether it is met. scripts/bench.sh is its one caller.
//
// Its exit code is 1 if a measure of the table is missing from the input. An
// aim that is not met is no failure: times depend on the machine, and whoever
// reads the table judges them.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

func main() {
	if err := report(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func report(in io.Reader, out io.Writer) error {
	r, err := read(bufio.NewScanner(in))
	if err != nil {
		return err
	}
	for _, line := range r.about {
		fmt.Fprintln(out, line)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\t\tours\tlimit\tratio\taim\t")
	missing := 0
	for _, row := range rows() {
		cells, ok := row.cells(r.measures)
		if !ok {
			missing++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.aim, row.what, cells.ours, cells.limit, cells.ratio, row.bound, cells.verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if missing > 0 {
		return fmt.Errorf("%d rows were not measured: see the output of the benchmarks", missing)
	}
	return nil
}
