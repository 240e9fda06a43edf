package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// modes of TestCompat, by the variable WHELK_COMPAT; scripts/compat.sh sets it.
// The published packages are in the directory WHELK_COMPAT_SEEDS.
const (
	compatReplay = ""       // whelk answers as the recordings say
	compatVerify = "verify" // the packages answer as the recordings say
	compatRecord = "record" // the recordings become what the packages answer
	compatBeside = "beside" // whelk answers as the packages do, run now
)

// TestCompat replays the recordings of the servers that whelk replaces.
func TestCompat(t *testing.T) {
	mode, packages := os.Getenv("WHELK_COMPAT"), os.Getenv("WHELK_COMPAT_SEEDS")
	for _, s := range seedServers() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			groups := readRecording(t, s)
			published := filepath.Join(packages, s.name)
			switch mode {
			case compatReplay:
				replay(t, s, programNamed(t, s.name), groups, wantOfWhelk)
			case compatVerify:
				replay(t, s, published, groups, wantOfPackage)
			case compatRecord:
				record(t, s, published, groups)
				if err := writeRecording(s, groups); err != nil {
					t.Fatal(err)
				}
			case compatBeside:
				record(t, s, published, groups)
				replay(t, s, programNamed(t, s.name), groups, wantOfWhelk)
			default:
				t.Fatalf("WHELK_COMPAT=%q is none of verify, record, beside", mode)
			}
		})
	}
}

// programNamed is the program under the name of the server that it replaces.
func programNamed(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("there is no face of that name: %v", err)
	}
	return path
}

// wantOfPackage is what a published package is wanted to answer.
func wantOfPackage(_ *seed, c *step) (want any, ok bool) {
	return c.line.get("want"), c.line.get("varies") == nil
}

// wantOfWhelk is what whelk is wanted to answer: the same, but for what the
// known differences say instead.
func wantOfWhelk(s *seed, c *step) (want any, ok bool) {
	want = c.line.get("want")
	for _, d := range differences() {
		if d.covers(s, c) {
			want = override(want, d.overrides())
		}
	}
	instead, _ := c.line.get("instead").(*object)
	return override(want, instead), true
}

// replay runs all groups against a program and compares its answers.
func replay(t *testing.T, s *seed, program string, groups []*group, wanted func(*seed, *step) (any, bool)) {
	t.Helper()
	t.Run("groups", func(t *testing.T) {
		for _, g := range groups {
			t.Run(g.name(), func(t *testing.T) {
				t.Parallel()
				playGroup(t, s, program, g, func(c *step, _ *player, answer any) {
					want, ok := wanted(s, c)
					if !ok {
						return
					}
					checkAnswer(t, c.id(), want, answer)
					recorded := c.line.get("want")
					if c.line.get("row") != nil && os.Getenv("WHELK_COMPAT") == compatBeside {
						t.Logf("case %s differs, see row %s of docs/compat/%s.md:%s", c.id(), c.line.text("row"), s.name, lines(compare("answer", recorded, answer)))
					}
					if compactJSON(want) != compactJSON(recorded) && c.line.get("instead") != nil && len(compare("", recorded, answer)) == 0 {
						t.Errorf("case %s is answered as by the package: %s is no difference here, take it out", c.id(), c.line.text("row"))
					}
				})
			})
		}
	})
}

func checkAnswer(t testing.TB, id string, want, got any) {
	t.Helper()
	if differ := compare("answer", want, got); len(differ) > 0 {
		t.Errorf("case %s:%s", id, lines(differ))
	}
}

// lines shows differences, each on lines of its own.
func lines(differ []mismatch) string {
	var b strings.Builder
	for _, m := range differ {
		b.WriteString("\n    " + m.String())
	}
	return b.String()
}

// record lets a published package answer all cases.
func record(t *testing.T, s *seed, program string, groups []*group) {
	t.Helper()
	var mu sync.Mutex // guards the lines
	t.Run("record", func(t *testing.T) {
		for _, g := range groups {
			t.Run(g.name(), func(t *testing.T) {
				t.Parallel()
				playGroup(t, s, program, g, func(c *step, _ *player, answer any) {
					mu.Lock()
					defer mu.Unlock()
					c.line.set("want", newRecorder(g, c.line).want(answer))
				})
			})
		}
	})
}

// TestRecordingsAreWhole finds cases that nobody has recorded, and such as
// would say in whose words a message is.
func TestRecordingsAreWhole(t *testing.T) {
	for _, s := range seedServers() {
		cases := 0
		for _, g := range readRecording(t, s) {
			for _, c := range g.cases {
				cases++
				if _, ok := c.line.lookup("want"); !ok {
					t.Errorf("%s: case %s is not recorded: scripts/compat.sh --record", s.name, c.id())
				}
			}
		}
		if cases < 150 {
			t.Errorf("%s has %d cases", s.name, cases)
		}
	}
}
