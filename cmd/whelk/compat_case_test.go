package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The recordings, testdata/compat/SERVER.jsonl, say what the published
// packages answer. A line is a group or a case; a group is one server process,
// and its cases run one after the other:
//
//	{"group":"deny","env":{"YIELDSHELL_DENY_COMMAND_REGEX":"rm"},"cli":[],"cwd":"","files":{}}
//	{"case":"deny.word","call":"execute","with":{"command":"rm x","side_effects":["NONE"]},"want":{…}}
//
// env: variables, null for none; cli: arguments; cwd: the server's directory
// below {W}, the group's own; files: what is in {W}: a text, {"link":"target"},
// {"run":"script"}, or null for a directory.
//
// A case does one thing:
//
//	call, with               a tool call; until {"path":value} repeats it, times [n] runs n at once
//	start                    a process of its own, started with the params of initialize, and whether it starts
//	tools                    the list of tools, reduced to what a caller must know
//	rpc, params              any other request
//	file                     the content of a file in {W}
//	alive                    whether a process lives that has ${marker} in its arguments
//	end                      the end of the server: eof, or a signal
//
// and may have
//
//	why                      what it shows, if the name does not say it
//	pause_ms                 a pause before it
//	cancel_ms                the call is cancelled after this time
//	token                    the call has a progress token; its notifications are part of the answer
//	env, cli                 added to the group's, for start
//	keep                     {"name":"path"}: a value of the answer that later cases use as ${name}
//	says                     the data that the message must have, if not those that were found
//	ranges                   {"path":[low,high]}: for times, instead of wide ones
//	want                     what the package answers, written by scripts/compat.sh --record
//	varies                   true if the package's own answer depends on luck, which is no use to compare with
//	row, instead             a known difference: its row in docs/compat, and what must hold at which paths
//
// In all texts {W} is the directory, ${marker} a number of seconds for sleep
// that no other process has, and {"$repeat":["x",9]} a long text.

// seed is one of the servers that whelk replaces.
type seed struct {
	name, version string // the published package
	json          *layout
}

func seedServers() []*seed {
	return []*seed{
		{"mcp-yieldshell", "1.1.0", &layout{item: ",", colon: ": ", indent: "  "}},
		{"tab-shell-mcp", "0.1.1", &layout{item: ", ", colon: ": ", ascii: true}},
		{"mcp-shell-server", "1.1.14", nil}, // speaks plain text
	}
}

// group is one server process and what is asked of it.
type group struct {
	line  *object
	cases []*step
}

func (g *group) name() string { return g.line.text("group") }

// step is one case.
type step struct{ line *object }

func (s *step) id() string { return s.line.text("case") }

// recordingFile is where the recording of a server is.
func recordingFile(s *seed) string { return filepath.Join("testdata", "compat", s.name+".jsonl") }

func readRecording(t testing.TB, s *seed) []*group {
	t.Helper()
	text, err := os.ReadFile(recordingFile(s))
	if err != nil {
		t.Fatal(err)
	}
	groups, err := parseRecording(text)
	if err != nil {
		t.Fatalf("%s: %v", recordingFile(s), err)
	}
	return groups
}

func parseRecording(text []byte) ([]*group, error) {
	var groups []*group
	seen := make(map[string]bool)
	for i, raw := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		fault := func(format string, args ...any) error {
			return fmt.Errorf("line %d: "+format, append([]any{i + 1}, args...)...)
		}
		v, err := parseJSON(raw)
		line, ok := v.(*object)
		if err != nil || !ok {
			return nil, fault("no JSON object: %v", err)
		}
		kind, id := line.members[0].name, line.text(line.members[0].name)
		if id == "" || seen[kind+id] {
			return nil, fault("%s %q is no name, or is there twice", kind, id)
		}
		seen[kind+id] = true
		if unknown := unknownKeys(line, kind); len(unknown) > 0 {
			return nil, fault("%s has no %v", kind, unknown)
		}
		switch {
		case kind == "group":
			groups = append(groups, &group{line: line})
		case len(groups) == 0:
			return nil, fault("a case before the first group")
		default:
			last := groups[len(groups)-1]
			last.cases = append(last.cases, &step{line})
		}
	}
	return groups, nil
}

func unknownKeys(line *object, kind string) []string {
	known := map[string][]string{
		"group": {"group", "env", "cli", "cwd", "files", "why"},
		"case": {
			"case", "call", "with", "until", "times", "start", "tools", "rpc", "params", "file", "alive", "end",
			"why", "pause_ms", "cancel_ms", "token", "env", "cli", "keep", "says", "ranges", "want", "varies", "row", "instead",
		},
	}[kind]
	return slices.DeleteFunc(line.keys(), func(k string) bool { return slices.Contains(known, k) })
}

// writeRecording writes a recording back, with what was recorded.
func writeRecording(s *seed, groups []*group) error {
	var b strings.Builder
	for _, g := range groups {
		b.WriteString(compactJSON(g.line) + "\n")
		for _, c := range g.cases {
			b.WriteString(compactJSON(c.line) + "\n")
		}
	}
	return os.WriteFile(recordingFile(s), []byte(b.String()), 0o644)
}

// furnish makes the files of a group in a directory.
func furnish(dir string, files *object) error {
	if files == nil {
		return nil
	}
	for _, m := range files.members {
		path := filepath.Join(dir, m.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		var err error
		switch content := m.value.(type) {
		case nil:
			err = os.MkdirAll(path, 0o755)
		case string:
			err = os.WriteFile(path, []byte(content), 0o644)
		case *object:
			if target := content.text("link"); target != "" {
				err = os.Symlink(target, path)
			} else {
				err = os.WriteFile(path, []byte(content.text("run")), 0o755)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expand replaces what stands for something else in the texts of a value.
func expand(v any, names map[string]string) any {
	switch v := v.(type) {
	case string:
		for name, value := range names {
			v = strings.ReplaceAll(v, name, value)
		}
		return v
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = expand(v[i], names)
		}
		return list
	case *object:
		if kind, argument, ok := matcher(v); ok && kind == "$repeat" {
			return strings.Repeat(argument.([]any)[0].(string), wholeNumber(argument.([]any)[1]))
		}
		o := &object{anyOrder: v.anyOrder}
		for _, m := range v.members {
			o.members = append(o.members, member{m.name, expand(m.value, names)})
		}
		return o
	}
	return v
}
