package bench

import (
	"fmt"
	"os"
	"testing"

	"whelk/internal/proc"
)

// roleVariable makes the test binary play another program.
const roleVariable = "WHELK_BENCH_ROLE"

// roles are the programs that the test binary can play, by name.
func roles() map[string]func(args []string) error {
	return map[string]func(args []string) error{
		"limit-spawn": limitSpawn,
		"limit-pipe":  limitPipe,
		"stamp":       stamp,
		"wake":        wake,
	}
}

// shared is what all measures use; made once, because building takes a second.
var shared *programs

func TestMain(m *testing.M) {
	if name := os.Getenv(roleVariable); name != "" {
		os.Exit(play(name))
	}
	// Servers must start as from a usual client: one that inherits a blocked
	// signal starts twice.
	if err := proc.ResetInherited(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	dir, err := os.MkdirTemp("", "whelk-bench")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared = newPrograms(dir)
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func play(name string) int {
	_ = os.Unsetenv(roleVariable) // not for the commands it runs
	program := roles()[name]
	if program == nil {
		fmt.Fprintf(os.Stderr, "there is no role %q\n", name)
		return 2
	}
	if err := program(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}
