package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A wire is the client's end of a server in the same process: raw lines in,
// raw lines out.
type wire struct {
	t      testing.TB
	in     *io.PipeWriter
	out    *io.PipeReader
	lines  chan string // what the server wrote; closed when it closed its output
	cancel context.CancelFunc
	ended  chan error
	err    error // what ServeStdio returned, once ended is drained
}

// dial starts a server on pipes. The test must run in a synctest bubble or
// use bounded waits of its own.
func dial(t testing.TB, o Options) *wire {
	t.Helper()
	w := dialSilent(t, o)
	go w.readLines()
	return w
}

// dialSilent is dial for a client that does not read.
func dialSilent(t testing.TB, o Options) *wire {
	t.Helper()
	serverIn, clientOut := io.Pipe()
	clientIn, serverOut := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	w := &wire{
		t: t, in: clientOut, out: clientIn, cancel: cancel,
		lines: make(chan string, 1<<16), ended: make(chan error, 1),
	}
	o.Name, o.Version, o.In, o.Out = "test", "1", serverIn, serverOut
	go func() {
		w.ended <- ServeStdio(ctx, o)
		close(w.ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-w.ended
	})
	return w
}

func (w *wire) readLines() {
	defer close(w.lines)
	r := bufio.NewReader(w.out)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		w.lines <- strings.TrimSuffix(line, "\n")
	}
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, strings.Join(lines, "\n")+"\n"); err != nil {
		w.t.Fatalf("write to server: %v", err)
	}
}

// next returns the next line the server writes.
func (w *wire) next() string {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			w.t.Fatal("the server closed its output")
		}
		return line
	case <-time.After(time.Hour): // of a bubble; elsewhere the test binary ends first
		w.t.Fatal("no line from the server")
	}
	return ""
}

// want fails the test unless the next line is this JSON value.
func (w *wire) want(line string) {
	w.t.Helper()
	if diff := cmp.Diff(decoded(w.t, line), decoded(w.t, w.next())); diff != "" {
		w.t.Fatalf("answer (-want +got):\n%s", diff)
	}
}

// wantError fails the test unless the next line is an error with this id (as
// JSON) and code. It returns the message.
func (w *wire) wantError(id string, code int) string {
	w.t.Helper()
	line := w.next()
	var got struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		w.t.Fatalf("bad line %q: %v", line, err)
	}
	if string(got.ID) != id || got.Error.Code != code || got.Version != "2.0" || got.Error.Message == "" {
		w.t.Fatalf("got %s, want an error with id %s and code %d", line, id, code)
	}
	return got.Error.Message
}

// wantQuiet fails the test if the server writes anything before all of it is
// waiting for something. It needs a synctest bubble.
func (w *wire) wantQuiet() {
	w.t.Helper()
	synctest.Wait()
	select {
	case line, ok := <-w.lines:
		if ok {
			w.t.Fatalf("unexpected line: %s", line)
		}
	default:
	}
}

// wantAlive fails the test unless the next line answers a ping sent now.
func (w *wire) wantAlive() {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":"alive?","method":"ping"}`)
	w.want(`{"jsonrpc":"2.0","id":"alive?","result":{}}`)
}

func (w *wire) initialize() {
	w.t.Helper()
	w.send(initializeLine(`"init"`, "2025-11-25"), initializedLine)
	if got := w.next(); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) {
		w.t.Fatalf("initialize: %s", got)
	}
}

// end closes the server's input and returns what ServeStdio returns.
func (w *wire) end() error {
	w.t.Helper()
	_ = w.in.Close()
	return w.wait()
}

func (w *wire) wait() error {
	if err, ok := <-w.ended; ok {
		w.err = err
	}
	return w.err
}

const initializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func initializeLine(id, version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, id, version)
}

func callLine(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func cancelLine(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"changed my mind"}}`, id)
}

// textAnswer is the answer to a call of a tool that returns one text.
func textAnswer(id, text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, id, quoted)
}

func decoded(t testing.TB, line string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("bad line %q: %v", line, err)
	}
	return v
}

// A tool is registered under a name and returns a result.
type tool func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error)

// tools returns the registration of raw tools.
func tools(set map[string]tool) []func(*mcp.Server) {
	return []func(*mcp.Server){func(server *mcp.Server) {
		for name, run := range set {
			server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, mcp.ToolHandler(run))
		}
	}}
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// echo returns its arguments as text.
func echo(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return textResult(string(req.Params.Arguments)), nil
}

// sleep returns "slept" after as many milliseconds as its argument ms says,
// and fails if its context ends first.
func sleep(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var arguments struct{ MS int }
	if err := json.Unmarshal(req.Params.Arguments, &arguments); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(time.Duration(arguments.MS) * time.Millisecond):
		return textResult("slept"), nil
	}
}
