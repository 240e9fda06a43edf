package native_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/mcptest"
)

// recording is what mcp-yieldshell 1.1.0 answers, or promises in its document,
// one case a line. Cases of one group share a server and run in order.
//
// Every failure is marked as one (Y13: the seed marks none), carries a code,
// and is in words of our own with the seed's data in them. What else differs
// from the seed stands in the case's differs.
const recording = "testdata/yieldshell.jsonl"

// recorded is one case of the recording.
type recorded struct {
	Group string   `json:"group"`
	Name  string   `json:"name"`
	Flags []string `json:"flags"` // of the server, the same in the whole group
	// Await, if set, is what ps must show before the call.
	Await *struct {
		Execution string `json:"execution"`
		LatestSeq int64  `json:"latest_seq"`
	} `json:"await"`
	Tool string `json:"tool"`
	// Arguments and Expect may hold <dir>, the server's directory, the handles
	// of earlier cases by the name that As gave them, and <N x>: N times x.
	Arguments json.RawMessage `json:"arguments"`
	As        string          `json:"as"`
	Fails     bool            `json:"fails"` // the result is marked as an error
	// Expect has every field of the answer, in order; see match.
	Expect  json.RawMessage `json:"expect"`
	Differs string          `json:"differs"` // from the seed: in what, or by which of its bugs
}

// parallelGroups is how many groups run at once unless -parallel says
// otherwise. They wait for clocks and processes; they need no processor each.
const parallelGroups = "8"

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", parallelGroups) // it exists: testing declares it
	}
	os.Exit(m.Run())
}

func TestRecordedCases(t *testing.T) {
	program := build(t)
	t.Run("tools", func(t *testing.T) {
		t.Parallel()
		checkToolsList(t, startReplay(t, program, nil))
	})
	for _, group := range groups(t) {
		t.Run(group[0].Group, func(t *testing.T) {
			t.Parallel()
			r := startReplay(t, program, group[0].Flags)
			for _, c := range group {
				t.Run(c.Name, func(t *testing.T) { r.replay(t, c) })
			}
		})
	}
}

// checkToolsList checks what every session pays for before its first call, and
// that the most important tool comes first, as in the seed.
func checkToolsList(t *testing.T, r *replay) {
	t.Helper()
	const most = 12_000 // bytes
	m := r.Begin("tools/list", struct{}{}).Wait()
	if len(m.Result) > most {
		t.Errorf("tools/list has %d bytes, most is %d", len(m.Result), most)
	}
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(m.Result, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"execute", "read", "write", "wait", "stop", "ps", "cleanup", "explain"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// build makes the program from the tree as it is.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whelk")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", path, "whelk/cmd/whelk").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// groups reads the recording.
func groups(t *testing.T) [][]recorded {
	t.Helper()
	file, err := os.Open(recording)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all [][]recorded
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		var c recorded
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&c); err != nil {
			t.Fatalf("%s:%d: %v", recording, n, err)
		}
		if last := len(all) - 1; last >= 0 && all[last][0].Group == c.Group {
			if !slices.Equal(all[last][0].Flags, c.Flags) {
				t.Fatalf("%s:%d: other flags than the group", recording, n)
			}
			all[last] = append(all[last], c)
			continue
		}
		all = append(all, []recorded{c})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// replay is one server and the handles that it has given out.
type replay struct {
	*mcptest.Server
	names map[string]string // what stands for <name>
}

func startReplay(t *testing.T, program string, flags []string) *replay {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir()) // as commands see it
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"sub", "root/in"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := &replay{names: map[string]string{"dir": dir}}
	args := []string{"--result", "structured"}
	for _, flag := range flags {
		args = append(args, r.fill(flag))
	}
	r.Server = mcptest.Start(t, mcptest.Options{Path: program, Args: args, Dir: dir})
	return r
}

var placeholder = regexp.MustCompile(`<(\d+ .|\w+)>`)

// fill puts in what the placeholders of text stand for. Those of names that
// nobody has given stay.
func (r *replay) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(whole string) string {
		name := strings.Trim(whole, "<>")
		if count, letter, ok := strings.Cut(name, " "); ok {
			n, _ := strconv.Atoi(count) // digits, by the pattern
			return strings.Repeat(letter, n)
		}
		if value, ok := r.names[name]; ok {
			return value
		}
		return whole
	})
}

func (r *replay) replay(t *testing.T, c recorded) {
	if c.Await != nil {
		mcptest.Eventually(t, mcptest.Patience, "what "+c.Name+" awaits", func() bool {
			return r.latest(t, r.fill(c.Await.Execution)) >= c.Await.LatestSeq
		})
	}
	fields, isError := r.call(t, c.Tool, r.fill(string(c.Arguments)))
	if c.As != "" {
		var named struct {
			ID string `json:"execution_id"`
		}
		if err := json.Unmarshal(fields, &named); err != nil || named.ID == "" {
			t.Fatalf("no handle in %s", fields)
		}
		r.names[c.As] = named.ID
	}
	for _, fault := range match("", json.RawMessage(r.fill(string(c.Expect))), fields) {
		t.Error(fault)
	}
	if isError != c.Fails {
		t.Errorf("marked as an error: %v, want %v", isError, c.Fails)
	}
	if t.Failed() {
		t.Logf("the answer: %.3000s\ndiffers from the seed: %q", fields, c.Differs)
	}
}

// call calls a tool and returns the structured result as it is on the wire.
func (r *replay) call(t *testing.T, tool, arguments string) (fields json.RawMessage, isError bool) {
	t.Helper()
	m := r.BeginCall(tool, json.RawMessage(arguments)).Wait()
	if m.Error != nil {
		t.Fatalf("protocol error %d: %s", m.Error.Code, m.Error.Message)
	}
	var result struct {
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(m.Result, &result); err != nil {
		t.Fatal(err)
	}
	return result.StructuredContent, result.IsError
}

// latest is how far the output of an execution is. ps moves no cursor.
func (r *replay) latest(t *testing.T, id string) int64 {
	t.Helper()
	fields, _ := r.call(t, "ps", `{"limit":1000}`)
	var list struct {
		Executions []struct {
			ID     string `json:"execution_id"`
			Latest int64  `json:"latest_seq"`
		}
	}
	if err := json.Unmarshal(fields, &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Executions {
		if e.ID == id {
			return e.Latest
		}
	}
	t.Fatalf("ps does not list %s", id)
	return 0
}
