package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// The tests of this package drive the whole program as an MCP client does.
// Those named by a number (BO-01) hold a case of public reports about other
// programs that run commands.

func TestMain(m *testing.M) {
	var links []string
	for _, f := range faces() {
		links = append(links, f.link)
	}
	mcptest.Main(m, run, links...)
}

// slack multiplies the upper bounds of times, which are for a quiet machine.
// Lower bounds hold everywhere.
const slack = 3

// Args are the arguments of a call.
type Args = mcptest.Args

// startServer starts the real program with structured results, which tests
// read, and a short grace. When the test is over it must still run commands.
func startServer(t testing.TB, flags ...string) *mcptest.Server {
	t.Helper()
	return startWith(t, mcptest.Options{}, flags...)
}

func startWith(t testing.TB, o mcptest.Options, flags ...string) *mcptest.Server {
	t.Helper()
	o.Args = append([]string{"--result", "structured", "--grace", "1s"}, flags...)
	s := mcptest.Start(t, o)
	t.Cleanup(func() { stillRuns(t, s) })
	return s
}

func stillRuns(t testing.TB, s *mcptest.Server) {
	select {
	case <-s.Exited(): // the test has ended it
		return
	default:
	}
	if r := s.Execute("echo alive"); r.Stdout() != "alive\n" {
		t.Errorf("the server is no longer well: %#v", r)
	}
}

// atMost fails the test if more time has passed since began than bound allows.
func atMost(t testing.TB, what string, began time.Time, bound time.Duration) {
	t.Helper()
	if took := time.Since(began); took > slack*bound {
		t.Errorf("%s: took %v, at most %v were allowed", what, took, slack*bound)
	}
}

// wantRun checks status, exit code and standard output of a command.
func wantRun(t testing.TB, r *mcptest.Result, status string, code int64, stdout string) {
	t.Helper()
	if r.Status() != status || !r.Has("exit_code") || r.Int("exit_code") != code || r.Stdout() != stdout {
		t.Errorf("want %s, exit code %d, stdout %.200q; got %#v", status, code, stdout, r)
	}
}

// many runs a command n times, width at once.
func many(s *mcptest.Server, n, width int, command string, more ...Args) []*mcptest.Result {
	var begun []*mcptest.Pending
	var results []*mcptest.Result
	for len(results) < n {
		for len(begun) < n && len(begun)-len(results) < width {
			begun = append(begun, s.BeginExecute(command, more...))
		}
		results = append(results, begun[len(results)].Result())
	}
	return results
}

// listed returns an execution as ps shows it.
func listed(t testing.TB, s *mcptest.Server, id string) map[string]any {
	t.Helper()
	for _, e := range executions(t, s) {
		if e["execution_id"] == id {
			return e
		}
	}
	t.Fatalf("ps does not list %s", id)
	return nil
}

func executions(t testing.TB, s *mcptest.Server) []map[string]any {
	t.Helper()
	r := s.Call("ps", Args{"limit": 1000})
	list, ok := r.Fields["executions"].([]any)
	if !ok {
		t.Fatalf("ps: %#v", r)
	}
	all := make([]map[string]any, len(list))
	for i := range list {
		all[i] = list[i].(map[string]any)
	}
	return all
}

// readAll returns the retained output of an execution, page by page.
func readAll(t testing.TB, s *mcptest.Server, id string) (stdout, stderr string) {
	t.Helper()
	for next := int64(1); ; {
		r := s.Call("read", Args{"execution_id": id, "since_seq": next})
		stdout += r.Stdout()
		stderr += r.Stderr()
		if r.Int("next_seq") == r.Int("latest_seq") {
			return stdout, stderr
		}
		if r.Int("next_seq") <= next {
			t.Fatalf("reading makes no progress at %d: %#v", next, r)
		}
		next = r.Int("next_seq")
	}
}

// eventually polls for what a case bounds for a quiet machine.
func eventually(t testing.TB, bound time.Duration, what string, ok func() bool) {
	t.Helper()
	mcptest.Eventually(t, slack*bound, what, ok)
}

// dead tells whether no process with the marker lives.
func dead(marker string) func() bool {
	return func() bool { return len(mcptest.Alive(marker)) == 0 }
}

// born waits until n processes with the marker live.
func born(t testing.TB, marker string, n int) {
	t.Helper()
	mcptest.Eventually(t, mcptest.Patience, "the command starts", func() bool { return len(mcptest.Alive(marker)) >= n })
}

// begun waits until a command has made the file of that name: a trace that
// stays, also of a command that a limit ends soon.
func begun(t testing.TB, s *mcptest.Server) {
	t.Helper()
	mcptest.Eventually(t, mcptest.Patience, "the command starts", func() bool {
		_, err := os.Stat(filepath.Join(s.Dir, "begun"))
		return err == nil
	})
}

func TestCommandRuns(t *testing.T) {
	s := startServer(t)
	r := s.Execute("echo hi; echo err >&2; exit 3")
	wantRun(t, r, "completed", 3, "hi\n")
	if r.Stderr() != "err\n" {
		t.Errorf("%#v", r)
	}
}

func unmarshal(t testing.TB, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// wantTimes checks the median and the maximum of times against the bounds for
// a quiet machine.
func wantTimes(t testing.TB, took []time.Duration, median, most time.Duration) {
	t.Helper()
	slices.Sort(took)
	if m := took[len(took)/2]; m > slack*median {
		t.Errorf("median %v, at most %v were allowed", m, slack*median)
	}
	if m := took[len(took)-1]; m > slack*most {
		t.Errorf("maximum %v, at most %v were allowed", m, slack*most)
	}
}
