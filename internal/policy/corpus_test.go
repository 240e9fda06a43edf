package policy

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whelk/internal/command"
)

// corpusEntry is one line of testdata/corpus.jsonl: a command, a policy, and
// what must become of it. "deny-or-ask" means that it must not run unasked.
type corpusEntry struct {
	ID, Class string
	Config    struct {
		Allow, Deny, Roots []string
		ReadOnly           bool
	}
	Must      string
	Command   string
	Generated *struct {
		Prefix, Repeat, Tail string
		Count                int
	} `json:"command_gen"`
	Argv  []string
	Shell string
	Env   map[string]string
	PTY   bool
	Why   string
}

func (e *corpusEntry) text() string {
	if g := e.Generated; g != nil {
		return g.Prefix + strings.Repeat(g.Repeat, g.Count) + g.Tail
	}
	return e.Command
}

func corpus(t testing.TB) []corpusEntry {
	t.Helper()
	file, err := os.Open("testdata/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var entries []corpusEntry
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e corpusEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return entries
}

// judge decides on an entry in a directory that looks like a small project.
func (e *corpusEntry) judge(t testing.TB, dir string) Verdict {
	t.Helper()
	o := Options{Allow: e.Config.Allow, Deny: e.Config.Deny, Home: "/home/somebody"}
	for _, root := range e.Config.Roots {
		o.Roots = append(o.Roots, filepath.Join(dir, root))
	}
	p, _, err := New(o)
	if err != nil {
		t.Fatalf("%s: %v", e.ID, err)
	}
	in := command.Input{Argv: e.Argv, Operators: true, Shell: "bash", Dir: dir, Env: e.Env, TTY: e.PTY}
	if e.Shell != "" {
		in.Shell = e.Shell
	}
	if e.Argv == nil {
		in.Text, in.HasText, in.Argv = e.text(), true, nil
	}
	return p.Decide(Request{Input: in, ShellNamed: e.Shell != ""})
}

func TestCorpusIsRefusedWhereItMustBeAndNowhereElse(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	type tally struct{ all, wrong int }
	classes := map[string]*tally{}
	var passed, refused []string
	benign := 0
	for _, e := range corpus(t) {
		if e.Config.ReadOnly {
			continue // there is no such mode
		}
		v := e.judge(t, dir)
		class := classes[e.Class]
		if class == nil {
			class = new(tally)
			classes[e.Class] = class
		}
		class.all++
		if e.Must == "allow" {
			benign++
		}
		switch {
		case e.Must == "allow" && v.Decision != Allow:
			class.wrong++
			refused = append(refused, e.ID+": "+shown(e.text())+": "+v.Denial().Error())
		case e.Must == "deny" && v.Decision != Deny, e.Must == "deny-or-ask" && v.Decision == Allow:
			class.wrong++
			passed = append(passed, e.ID+": "+shown(e.text())+" ("+e.Why+") is "+v.Decision.String())
		}
	}
	var names []string
	for name, c := range classes {
		if c.wrong > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		t.Logf("%s: %d of %d are wrong", name, classes[name].wrong, classes[name].all)
	}
	for _, line := range passed {
		t.Errorf("runs and must not: %s", line)
	}
	for _, line := range refused {
		t.Logf("refused and harmless: %s", line)
	}
	if len(refused)*100 > benign {
		t.Errorf("%d of %d harmless commands are refused, more than 1 %%", len(refused), benign)
	}
}

// BenchmarkDecideCorpus judges the corpus' texts under 4 KiB, again and again, and
// reports how long the slowest hundredth takes: a policy may cost a command
// 5 ms at most (issue 5).
func BenchmarkDecideCorpus(b *testing.B) {
	const long = 4096 // bytes
	dir := b.TempDir()
	entries := slices.DeleteFunc(corpus(b), func(e corpusEntry) bool { return len(e.text()) >= long })
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		entries[i%len(entries)].judge(b, dir)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
}
