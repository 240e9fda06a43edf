package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/jsontext"
)

func TestLargePartsArriveAsTheToolReturnedThem(t *testing.T) {
	large := strings.Repeat("line \"one\"\n<&>\x1b[0m\u2028 é\n", 100)
	small := strings.Repeat("s", largeText-1)
	structured := `{"stdout":` + string(jsontext.AppendString(nil, large)) + `,"n":1}`
	tests := []struct {
		name   string
		result *mcp.CallToolResult
		want   string // of the result, without what the era adds
	}{
		{"text at the threshold", textResult(small + "s"), `{"content":[{"type":"text","text":"` + small + `s"}]}`},
		{"text below it", textResult(small), `{"content":[{"type":"text","text":"` + small + `"}]}`},
		{"large text", textResult(large), `{"content":[{"type":"text","text":` + quote(large) + `}]}`},
		{
			"error", &mcp.CallToolResult{IsError: true, Content: textResult(large).Content},
			`{"isError":true,"content":[{"type":"text","text":` + quote(large) + `}]}`,
		},
		{
			"annotated text",
			&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: large, Meta: mcp.Meta{"k": "v"}, Annotations: &mcp.Annotations{Priority: 1}}}},
			`{"content":[{"type":"text","text":` + quote(large) + `,"_meta":{"k":"v"},"annotations":{"priority":1}}]}`,
		},
		{
			"several parts",
			&mcp.CallToolResult{
				Meta:              mcp.Meta{"m": 1},
				Content:           []mcp.Content{&mcp.TextContent{Text: large}, &mcp.TextContent{Text: "short"}, &mcp.ImageContent{Data: []byte("x"), MIMEType: "image/png"}, &mcp.TextContent{Text: large + "2"}},
				StructuredContent: json.RawMessage(structured),
			},
			`{"_meta":{"m":1},"content":[{"type":"text","text":` + quote(large) + `},{"type":"text","text":"short"},{"type":"image","data":"eA==","mimeType":"image/png"},{"type":"text","text":` + quote(large+"2") + `}],"structuredContent":` + structured + `}`,
		},
		{
			"structured content over several lines",
			&mcp.CallToolResult{StructuredContent: json.RawMessage("{\n  \"a\": \"\\n\",\r\n  \"b\": []\n}\n")},
			`{"content":[],"structuredContent":{"a":"\n","b":[]}}`,
		},
		{"small structured content", &mcp.CallToolResult{StructuredContent: json.RawMessage(`5`)}, `{"content":[],"structuredContent":5}`},
		{"structured content of a Go type", &mcp.CallToolResult{StructuredContent: map[string]int{"a": 1}}, `{"content":[],"structuredContent":{"a":1}}`},
		{"empty structured content", &mcp.CallToolResult{StructuredContent: json.RawMessage(nil)}, `{"content":[]}`},
		{"no content", &mcp.CallToolResult{}, `{"content":[]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				give := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return test.result, nil }
				w := dial(t, Options{Tools: tools(map[string]tool{"give": give})})
				w.initialize()
				w.send(callLine("1", "give", "{}"))
				w.want(`{"jsonrpc":"2.0","id":1,"result":` + test.want + `}`)

				w.send(statelessLine("2", "tools/call", `"name":"give"`))
				got, want := decoded(t, w.next()).(map[string]any)["result"].(map[string]any), decoded(t, test.want).(map[string]any)
				if got["resultType"] != "complete" || got["_meta"].(map[string]any)["io.modelcontextprotocol/serverInfo"] == nil {
					t.Errorf("the fields of the era are missing: %v", got)
				}
				if diff := cmp.Diff(want["content"], got["content"]); diff != "" {
					t.Errorf("content (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(want["structuredContent"], got["structuredContent"]); diff != "" {
					t.Errorf("structured content (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func quote(text string) string { return string(jsontext.AppendString(nil, text)) }

func TestResultWithoutJSONFormIsAnInternalError(t *testing.T) {
	tests := []struct {
		name   string
		result *mcp.CallToolResult
	}{
		{"no result", nil},
		{"nil content", &mcp.CallToolResult{Content: []mcp.Content{nil}}},
		{"invalid raw JSON", &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"a":`)}},
		{"two raw values", &mcp.CallToolResult{StructuredContent: json.RawMessage("{}\n{}")}},
		{"Go value", &mcp.CallToolResult{StructuredContent: math.NaN()}},
		{"meta", &mcp.CallToolResult{Meta: mcp.Meta{"x": math.Inf(1)}}},
		{"meta of a text", &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", largeText), Meta: mcp.Meta{"x": make(chan int)}}}}},
		{"meta of an image", &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Meta: mcp.Meta{"x": make(chan int)}}}}},
		{"typed nil content", &mcp.CallToolResult{Content: []mcp.Content{(*mcp.TextContent)(nil)}}},
		{"meta of a short text", &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Meta: mcp.Meta{"x": make(chan int)}}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				give := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return test.result, nil }
				w := dial(t, Options{Tools: tools(map[string]tool{"give": give})})
				w.initialize()
				w.send(callLine("1", "give", "{}"))
				w.wantError("1", -32603)
				w.send(statelessLine("1", "tools/call", `"name":"give"`))
				w.wantError("1", -32603)
				w.wantAlive()
			})
		})
	}
}

func TestErrorOfAToolHasACode(t *testing.T) {
	tests := []struct {
		name string
		err  error
		code int
	}{
		{"plain", errors.New("out of cheese"), -32603},
		{"coded", &jsonrpc.Error{Code: -32602, Message: "out of cheese"}, -32602},
		{"wrapped", fmt.Errorf("x: %w", &jsonrpc.Error{Code: -32602, Message: "out of cheese"}), -32602},
		{"bad data", &jsonrpc.Error{Code: -32602, Message: "out of cheese", Data: json.RawMessage("{")}, -32602},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fail := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, test.err }
				w := dial(t, Options{Tools: tools(map[string]tool{"fail": fail})})
				w.initialize()
				w.send(callLine("1", "fail", "{}"))
				if message := w.wantError("1", test.code); !strings.Contains(message, "out of cheese") {
					t.Errorf("message %q", message)
				}
			})
		})
	}
}

func TestPartsSharedByResultsAreNotWrittenTo(t *testing.T) {
	meta := mcp.Meta{"k": "v"}
	content := []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", 1000)}}
	give := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Meta: meta, Content: content}, nil
	}
	synctest.Test(t, func(t *testing.T) { // under the race detector, too
		w := dial(t, Options{Tools: tools(map[string]tool{"give": give})})
		for id := range 50 {
			w.send(statelessLine(fmt.Sprint(id), "tools/call", `"name":"give"`))
		}
		for range 50 {
			if line := w.next(); !strings.Contains(line, strings.Repeat("x", 1000)) {
				t.Fatalf("got %s", line)
			}
		}
	})
	if len(meta) != 1 || len(content[0].(*mcp.TextContent).Text) != 1000 {
		t.Errorf("changed: %v %v", meta, content)
	}
}

func TestMarkInATextOfAToolIsNotReplaced(t *testing.T) {
	m := newMarks()
	// Even a tool that knew the secret could place a mark only before the
	// part that the mark stands for, and one for another answer not at all.
	c := new(call)
	result, err := m.detach(c, &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: `say "` + m.mark(0) + `"`},
		&mcp.TextContent{Text: m.mark(1)},
		&mcp.TextContent{Text: strings.Repeat("x", 600)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"content":[{"type":"text","text":"say \"` + m.mark(0) + `\""},{"type":"text","text":"` + m.mark(1) + `"},{"type":"text","text":"` + strings.Repeat("x", 600) + `"}]}`
	if got := string(m.splice(nil, encoded, c.payloads)); got != want {
		t.Errorf("got %s", got)
	}
	if got := m.splice(nil, encoded, nil); !bytes.Equal(got, encoded) {
		t.Errorf("an answer without payloads was changed: %s", got)
	}
}

func TestNothingIsKeptOfCallsThatAreDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		big := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return textResult(strings.Repeat("x", 10_000)), nil
		}
		s := newStream(Options{In: strings.NewReader(""), Out: new(bytes.Buffer)}.withDefaults())
		server := newServer(Options{Name: "x", Tools: tools(map[string]tool{"big": big, "panic": panicking, "sleep": sleep})}.withDefaults(), &s.traffic)
		for _, session := range []*session{s.handshake, s.stateless} {
			if _, err := server.Connect(t.Context(), session, nil); err != nil {
				t.Fatal(err)
			}
		}
		close(s.readDone)
		for _, line := range []string{
			initializeLine("0", "2025-11-25"), callLine("1", "big", "{}"), callLine("2", "panic", "{}"), callLine("3", "nosuch", "{}"),
			callLine("4", "sleep", `{"ms":1000}`), cancelLine("4"), callLine("4", "big", "{}"), callLine("4", "big", "{}"),
			statelessLine("5", "tools/call", `"name":"big"`), `{"jsonrpc":"2.0","id":6,"method":"nosuch"}`,
		} {
			s.receive([]byte(line))
		}
		<-s.calls.idle()
		synctest.Wait()
		if len(s.calls.byKey)+len(s.calls.byExtra)+s.calls.open != 0 {
			t.Errorf("kept: %+v", s.calls)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
}

func TestEachMessageIsOneWrite(t *testing.T) {
	out := new(writes)
	big := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return textResult(strings.Repeat("x\n", 100_000)), nil
	}
	err := ServeStdio(t.Context(), Options{
		In:  strings.NewReader("bad\n" + initializeLine("1", "2025-11-25") + "\n" + callLine("2", "big", "{}")),
		Out: out, Name: "x", Tools: tools(map[string]tool{"big": big}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.all) != 3 {
		t.Errorf("%d writes for 3 messages", len(out.all))
	}
	for _, line := range out.all {
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
			t.Errorf("not one line: %.80q", line)
		}
	}
}

type writes struct {
	mu  sync.Mutex // guards the field below
	all []string
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, string(p))
	return len(p), nil
}
