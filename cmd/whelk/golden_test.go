package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Golden files are another record of what the packages answer: one JSON object
// a line, as their answers were, not as what is wanted of others:
//
//	{"case":"read.max1","server":"mcp-yieldshell 1.1.0","env":{},"cli":[],
//	 "request":{"name":"read","arguments":{…}},"response":{"result":{…}}}
//
// A text item that holds JSON is stored as text_json, a long text as
// {"$elided":…,"$bytes":…,"$sha256":…,"$head":…,"$tail":…}; {W} is the folder of
// the server, {ALL} all programs that the cases run. A line without a request
// is a fact. Lines may have been left out, so that a handle can be unknown.
//
// WHELK_GOLDEN names the directory with *-cases.jsonl; without it a few lines
// are read that show the format.

// verdicts of a golden case.
const (
	goldenHolds        = "hold"
	goldenBugShown     = "show a listed bug"
	goldenNeedsCase    = "need a case that is left out"
	goldenNeedsMachine = "need what this machine has not"
	goldenHTTP         = "are about http"
	goldenFact         = "are facts that are not replayed"
	goldenFails        = "do not hold"
)

func TestGolden(t *testing.T) {
	dir := os.Getenv("WHELK_GOLDEN")
	if dir == "" {
		dir = filepath.Join("testdata", "golden")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*-cases.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no *-cases.jsonl in %s: %v", dir, err)
	}
	for _, s := range seedServers() {
		var cases []*goldenCase
		for _, file := range files {
			cases = append(cases, readGolden(t, file, s)...)
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			tally := &goldenTally{}
			sessions := goldenSessions(cases)
			allPrograms := programsOf(cases)
			t.Run("sessions", func(t *testing.T) {
				for _, session := range sessions {
					t.Run("", func(t *testing.T) {
						t.Parallel()
						playGolden(t, s, session, allPrograms, tally)
					})
				}
			})
			tally.report(t, s)
		})
	}
}

// goldenCase is one line.
type goldenCase struct {
	id   string
	line *object
}

func readGolden(t *testing.T, file string, s *seed) []*goldenCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []*goldenCase
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		line := parsed(t, lines.Bytes())
		name, version, _ := strings.Cut(line.text("server"), " ")
		version, _, _ = strings.Cut(version, " ")
		if name == s.name && version == s.version {
			cases = append(cases, &goldenCase{line.text("case"), line})
		}
	}
	return cases
}

// goldenTally counts verdicts.
type goldenTally struct {
	mu     sync.Mutex // guards the fields below
	counts map[string]int
	failed []string
}

func (g *goldenTally) add(verdict, detail string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.counts == nil {
		g.counts = make(map[string]int)
	}
	g.counts[verdict]++
	if verdict != goldenHolds && verdict != goldenFact && verdict != goldenHTTP {
		g.failed = append(g.failed, verdict+": "+detail)
	}
}

func (g *goldenTally) report(t *testing.T, s *seed) {
	t.Helper()
	slices.Sort(g.failed)
	for _, f := range g.failed {
		if strings.HasPrefix(f, goldenFails) {
			t.Error(f)
		} else {
			t.Log(f)
		}
	}
	var parts []string
	for _, verdict := range []string{goldenHolds, goldenBugShown, goldenNeedsCase, goldenNeedsMachine, goldenHTTP, goldenFact, goldenFails} {
		parts = append(parts, fmt.Sprintf("%d %s", g.counts[verdict], verdict))
	}
	t.Logf("%s %s: %s", s.name, s.version, strings.Join(parts, ", "))
}

// goldenSessions splits cases into those that one process answers, one after
// the other: settings or files change, or the end of a server was recorded.
func goldenSessions(cases []*goldenCase) [][]*goldenCase {
	var sessions [][]*goldenCase
	key := ""
	for _, c := range cases {
		setting := goldenSettingOf(c)
		next := compactJSON(c.line.get("env")) + compactJSON(c.line.get("cli")) + setting.cwd + setting.config
		if next != key || strings.HasPrefix(c.id, "eof.prep") || strings.HasSuffix(c.id, ".prep") && setting.apart {
			sessions = append(sessions, nil)
		}
		key = next
		last := len(sessions) - 1
		sessions[last] = append(sessions[last], c)
	}
	return sessions
}

// programsOf are the programs that the cases run which allow {ALL}.
func programsOf(cases []*goldenCase) string {
	var names []string
	for _, c := range cases {
		words, ok := at(c.line, splitPath("request.arguments.command")).([]any)
		if !ok {
			continue
		}
		answer := compactJSON(c.line.get("response"))
		first := true
		for _, w := range words {
			word, _ := w.(string)
			if first && word != "" && !slices.Contains(names, word) && !strings.ContainsAny(word, ", ;|<>/") && !strings.Contains(answer, "not allowed: "+word) {
				names = append(names, word)
			}
			first = word == "|"
		}
	}
	return strings.Join(names, ",")
}
