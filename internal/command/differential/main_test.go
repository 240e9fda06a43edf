package differential

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"
)

// What scripts/differential.sh sets. They are read, never written.
var (
	longFor   = flag.Duration("for", 0, "run random programs for this long")
	firstSeed = flag.Uint64("seed", 1, "the seed of the first program")
	onlyOne   = flag.Bool("one", false, "run and print the program of -seed alone")
)

// rootVariable makes the test binary the first process of the sandbox, on the
// folder that it names.
const rootVariable = "WHELK_DIFFERENTIAL_ROOT"

// maxRunTime is how long a program may run, all that it leaves behind
// included. Most end within 30 ms; a loop without an end is cut short, and what
// it ran until then counts.
const maxRunTime = time.Second

func TestMain(m *testing.M) {
	if root := os.Getenv(rootVariable); root != "" {
		if err := serveSandbox(root); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
