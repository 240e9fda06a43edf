package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A command is a tool whose calls a test can watch and end. It plays an
// execution: its call answers when it is released, or when its context ends.
type command struct {
	began   chan struct{} // gets one for each call
	ended   chan error    // why each call ended, nil if it was released
	release chan struct{}
}

func newCommand() *command {
	return &command{began: make(chan struct{}, 100), ended: make(chan error, 100), release: make(chan struct{})}
}

func (c *command) run(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c.began <- struct{}{}
	select {
	case <-ctx.Done():
		c.ended <- context.Cause(ctx)
		return nil, context.Cause(ctx)
	case <-c.release:
		c.ended <- nil
		return textResult("released"), nil
	}
}

func commandSite(c *command) HTTPOptions {
	return HTTPOptions{Options: Options{Tools: tools(map[string]tool{"run": c.run, "echo": echo, "sleep": sleep})}}
}

// inBackground sends a request; the channel gets its answer.
func (s *site) inBackground(r *http.Request) <-chan answer {
	answers := make(chan answer, 1)
	go func() { answers <- s.do(r) }()
	return answers
}

func TestProgressOverHTTP(t *testing.T) {
	o := echoSite()
	o.ProgressInterval = 100 * time.Millisecond
	s := serve(t, o)
	modern := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":1000},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"t"}}}`
	tests := []struct {
		name    string
		request *http.Request
		token   any
	}{
		{"in a session", s.request(s.initialize(), progressLine("1", "7", "1000"), nil), 7.0},
		{"alone", s.request("", modern, map[string]string{
			"Mcp-Protocol-Version": firstStateless, "Mcp-Method": "tools/call", "Mcp-Name": "sleep",
		}), "t"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			response, err := s.client.Do(test.request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			var first time.Time
			last, reports := 0.0, 0
			for message := range events(response.Body) {
				var got struct {
					Method string
					Params struct {
						ProgressToken any
						Progress      float64
					}
					Result json.RawMessage
				}
				if err := json.Unmarshal([]byte(message), &got); err != nil {
					t.Fatal(err)
				}
				if got.Result != nil {
					if !strings.Contains(message, "slept") || reports < 2 {
						t.Errorf("after %d reports: %s", reports, message)
					}
					if ahead := time.Since(first); ahead < 300*time.Millisecond {
						t.Errorf("the reports were held back until %v before the result", ahead)
					}
					reports = -1000 // no report may follow
					continue
				}
				reports++
				if got.Method != "notifications/progress" || got.Params.ProgressToken != test.token || got.Params.Progress <= last {
					t.Errorf("report after %v: %s", last, message)
				}
				if reports == 1 {
					first = time.Now()
				}
				last = got.Params.Progress
			}
			if reports != -1000 {
				t.Errorf("%d reports were not followed by the result alone", reports)
			}
		})
	}
}

func TestLostClientDoesNotEndItsCall(t *testing.T) {
	c := newCommand()
	s := serve(t, commandSite(c))
	session := s.initialize()
	for _, request := range []*http.Request{
		s.request(session, callLine("1", "run", "{}"), nil),
		s.aloneRequest("1", "run", "{}"),
	} {
		ctx, lose := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			response, err := s.client.Do(request.WithContext(ctx))
			if err == nil {
				_, err = io.ReadAll(response.Body)
				response.Body.Close()
			}
			failed <- err
		}()
		<-c.began
		lose()
		if err := <-failed; err == nil {
			t.Fatal("the client was not lost")
		}
		// Time for the server to notice, and to do the wrong thing.
		select {
		case err := <-c.ended:
			t.Fatalf("the call ended with its client: %v", err)
		case <-time.After(100 * time.Millisecond):
		}
		c.release <- struct{}{}
		if err := <-c.ended; err != nil {
			t.Errorf("the call ended with %v", err)
		}
	}
	s.post(session, callLine("1", "echo", "{}")).want(t, textAnswer("1", "{}"))
}

func TestCancelOverHTTPEndsTheCallWithoutAnAnswer(t *testing.T) {
	c := newCommand()
	s := serve(t, commandSite(c))
	session, other := s.initialize(), s.initialize()
	theirs := s.inBackground(s.request(other, callLine("5", "run", "{}"), nil))
	mine := s.inBackground(s.request(session, callLine("5", "run", "{}"), nil))
	alone := s.inBackground(s.aloneRequest("5", "run", "{}"))
	for range 3 {
		<-c.began
	}
	start := time.Now()
	if a := s.post(session, cancelLine("5")); a.status != http.StatusAccepted {
		t.Fatalf("cancel: %+v", a)
	}
	err := <-c.ended
	if took := time.Since(start); took > time.Second { // a millisecond, on a quiet machine
		t.Errorf("cancelled after %v", took)
	}
	if err == nil || !strings.Contains(err.Error(), "changed my mind") {
		t.Errorf("cause %v does not carry the client's reason", err)
	}
	if a := <-mine; a.status != http.StatusOK || len(a.messages) != 0 {
		t.Errorf("the cancelled call was answered: %+v", a)
	}
	// The same id elsewhere is another call.
	if a := s.post(other, cancelLine("6")); a.status != http.StatusAccepted {
		t.Errorf("cancel of nothing: %+v", a)
	}
	close(c.release)
	(<-theirs).want(t, textAnswer("5", "released"))
	if a := <-alone; len(a.messages) != 1 || !strings.Contains(a.messages[0], "released") {
		t.Errorf("a call without a session: %+v", a)
	}
	// The id can be used again once the call has gone.
	s.post(session, callLine("5", "echo", "{}")).want(t, textAnswer("5", "{}"))
}

func TestDuplicateIDOverHTTP(t *testing.T) {
	c := newCommand()
	s := serve(t, commandSite(c))
	session := s.initialize()
	first := s.inBackground(s.request(session, callLine("1", "run", "{}"), nil))
	<-c.began
	s.post(session, callLine("1", "echo", "{}")).wantRefusal(t, 400, -32600, "1")
	s.post(session, callLine(`"1"`, "echo", "{}")).want(t, textAnswer(`"1"`, "{}"))
	close(c.release)
	(<-first).want(t, textAnswer("1", "released"))
}

func TestDeleteDuringACallDoesNotWaitForIt(t *testing.T) {
	c := newCommand()
	s := serve(t, commandSite(c))
	session := s.initialize()
	call := s.inBackground(s.request(session, callLine("1", "run", "{}"), nil))
	<-c.began
	r := s.request(session, "", nil)
	r.Method = http.MethodDelete
	if a := s.do(r); a.status != http.StatusNoContent {
		t.Fatalf("DELETE: %+v", a)
	}
	s.post(session, callLine("2", "echo", "{}")).wantRefusal(t, 404, -32600, "")
	select {
	case err := <-c.ended:
		t.Errorf("the call ended with its session: %v", err)
	default:
	}
	close(c.release)
	<-call
	if err := <-c.ended; err != nil {
		t.Errorf("the call ended with %v", err)
	}
}

// Results keep their bytes although large parts bypass the SDK, and errors are
// cut, in both eras.
func TestResultsAndErrorsOverHTTP(t *testing.T) {
	large := strings.Repeat("größe \"quoted\" \\ \x1b[1m <&> \u2028\n", 1000)
	give := func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		switch req.Params.Name {
		case "both":
			result := textResult(large)
			result.Content = append(result.Content, &mcp.TextContent{Text: "small"})
			result.StructuredContent = map[string]any{"text": large}
			return result, nil
		case "long":
			return nil, &jsonrpc.Error{Code: -32001, Message: strings.Repeat("long ", 100_000)}
		case "panic":
			panic("secret")
		}
		return nil, nil
	}
	s := serve(t, HTTPOptions{Options: Options{Tools: tools(map[string]tool{"both": give, "long": give, "panic": give, "none": give})}})
	session := s.initialize()
	calls := []func(tool string) answer{
		func(tool string) answer { return s.post(session, callLine("1", tool, "{}")) },
		func(tool string) answer { return s.alone("1", tool, "{}") },
	}
	for _, call := range calls {
		a := call("both")
		var got struct {
			Result struct {
				Content           []struct{ Text string }
				StructuredContent struct{ Text string }
			}
		}
		if len(a.messages) != 1 || json.Unmarshal([]byte(a.messages[0]), &got) != nil || len(got.Result.Content) != 2 {
			t.Fatalf("both: %d, %.300q", a.status, a.messages)
		}
		if got.Result.Content[0].Text != large || got.Result.StructuredContent.Text != large || got.Result.Content[1].Text != "small" {
			t.Errorf("both: texts differ: %.300q", a.messages)
		}
		errors := []struct {
			tool string
			code int
		}{{"long", -32001}, {"panic", -32603}, {"none", -32603}}
		for _, want := range errors {
			a := call(want.tool)
			if len(a.messages) != 1 || len(a.messages[0]) > 2*maxErrorText || strings.Contains(a.messages[0], "secret") ||
				!strings.Contains(a.messages[0], fmt.Sprintf(`"code":%d`, want.code)) || !strings.HasPrefix(a.messages[0], `{"jsonrpc":"2.0","id":1,`) {
				t.Errorf("%s: %d, %.3000q", want.tool, a.status, a.messages)
			}
		}
	}
}

// The SDK asks clients of the handshake era in the stream of the call.
func TestQuestionOverHTTP(t *testing.T) {
	ask := func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if answer, ok := req.Params.InputResponses["q"].(*mcp.ElicitResult); ok {
			return textResult(answer.Action), nil
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{
			Message: "really?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
		}}, RequestState: "s"}, nil
	}
	s := serve(t, HTTPOptions{Options: Options{Tools: tools(map[string]tool{"ask": ask})}})
	for _, stateless := range []bool{false, true} {
		client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept"}, nil
			},
		})
		version := lastHandshake
		if stateless {
			version = firstStateless
		}
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url, HTTPClient: s.client},
			&mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask"})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if text, ok := result.Content[0].(*mcp.TextContent); !ok || text.Text != "accept" {
			t.Errorf("%s: %+v", version, result.Content)
		}
		if err := session.Close(); err != nil {
			t.Errorf("%s: close: %v", version, err)
		}
	}
}

func TestQuestionToALostClientIsGivenUp(t *testing.T) {
	ask := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{
			Message: "really?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
		}}, RequestState: "s"}, nil
	}
	s := serve(t, HTTPOptions{Options: Options{Tools: tools(map[string]tool{"ask": ask, "echo": echo})}, MaxCalls: 1})
	a := s.post("", strings.Replace(initializeLine("0", lastHandshake), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	session := a.header.Get("Mcp-Session-Id")
	s.post(session, initializedLine)
	response, err := s.client.Do(s.request(session, callLine("1", "ask", "{}"), nil))
	if err != nil {
		t.Fatal(err)
	}
	for message := range events(response.Body) {
		if !strings.Contains(message, "elicitation/create") {
			t.Fatalf("no question: %s", message)
		}
		break
	}
	s.post(session, callLine("2", "echo", "{}")).wantRefusal(t, 503, -32600, "")
	response.Body.Close()
	eventually(t, "the place of the call is free", func() bool { return s.post(session, callLine("2", "echo", "{}")).status == 200 })
}

func TestManyClientsGetTheirOwnAnswers(t *testing.T) {
	const clients, each = 100, 50
	s := serve(t, echoSite())
	var group sync.WaitGroup
	for n := range clients {
		group.Go(func() {
			session := ""
			if n%2 == 0 {
				session = s.initialize()
			}
			for i := range each {
				arguments := fmt.Sprintf(`{"client":%d,"call":%d,"pad":%q}`, n, i, strings.Repeat("x", i*20))
				id := fmt.Sprint(i)
				var a answer
				if session != "" {
					a = s.post(session, callLine(id, "echo", arguments))
				} else {
					a = s.alone(id, "echo", arguments)
				}
				var got struct {
					ID     int
					Result struct{ Content []struct{ Text string } }
				}
				if len(a.messages) != 1 || json.Unmarshal([]byte(a.messages[0]), &got) != nil ||
					got.ID != i || len(got.Result.Content) != 1 || got.Result.Content[0].Text != arguments {
					t.Errorf("client %d, call %d: %+v", n, i, a)
					return
				}
			}
		})
	}
	group.Wait()
}
