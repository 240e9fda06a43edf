package mcptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"
)

// Raw writes bytes to the program's input as they are.
func (s *Server) Raw(text string) {
	s.t.Helper()
	if err := s.Send(text); err != nil {
		s.t.Fatalf("write to the program: %v; stderr: %s", err, s.Stderr())
	}
}

// Send is Raw for a program that may have ended.
func (s *Server) Send(text string) error {
	_, err := s.stdin.Write([]byte(text))
	return err
}

// Expect says that an answer to the id (as in JSON: 7 or "x") will be waited
// for; without it the answer is a stray.
func (s *Server) Expect(id string) *Pending {
	answer := make(chan *Message, 1)
	s.mu.Lock()
	s.answers[id] = answer
	s.mu.Unlock()
	return &Pending{server: s, id: id, answer: answer}
}

// Pending is a request whose answer has not been taken yet.
type Pending struct {
	server *Server
	id     string
	answer chan *Message
}

// ID is the request's id as in JSON.
func (p *Pending) ID() string { return p.id }

// Arrived has the answer once it is there.
func (p *Pending) Arrived() <-chan *Message { return p.answer }

// Wait returns the answer.
func (p *Pending) Wait() *Message {
	p.server.t.Helper()
	return p.Within(Patience)
}

// Within returns the answer, which must come within d.
func (p *Pending) Within(d time.Duration) *Message {
	p.server.t.Helper()
	select {
	case m := <-p.answer:
		return m
	case <-time.After(d):
		p.server.t.Fatalf("no answer to %s within %v; stderr: %s", p.id, d, p.server.Stderr())
		return nil
	}
}

// Result returns the result of a tool call.
func (p *Pending) Result() *Result {
	p.server.t.Helper()
	return parseResult(p.server, p.Wait())
}

// Begin sends a request with a new id. params is encoded as JSON.
func (s *Server) Begin(method string, params any) *Pending {
	s.t.Helper()
	s.mu.Lock()
	s.nextID++
	id := strconv.Itoa(s.nextID)
	s.mu.Unlock()
	p := s.Expect(id)
	s.Raw(s.message(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params}))
	return p
}

// Notify sends a notification.
func (s *Server) Notify(method string, params any) {
	s.t.Helper()
	s.Raw(s.message(map[string]any{"jsonrpc": "2.0", "method": method, "params": params}))
}

func (s *Server) message(m map[string]any) string {
	s.t.Helper()
	if m["params"] == nil {
		delete(m, "params")
	}
	b, err := json.Marshal(m)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b) + "\n"
}

// Initialize shakes hands and returns the answer.
func (s *Server) Initialize(version string) *Message {
	s.t.Helper()
	m := s.Begin("initialize", map[string]any{
		"protocolVersion": version, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "mcptest", "version": "1"},
	}).Wait()
	s.Notify("notifications/initialized", nil)
	return m
}

// Cancel sends the notification that cancels a request.
func (s *Server) Cancel(p *Pending) {
	s.t.Helper()
	s.Notify("notifications/cancelled", map[string]any{"requestId": json.RawMessage(p.id), "reason": "test"})
}

// BeginCall starts a tool call.
func (s *Server) BeginCall(tool string, arguments any) *Pending {
	s.t.Helper()
	return s.Begin("tools/call", map[string]any{"name": tool, "arguments": arguments})
}

// Call calls a tool and returns its result.
func (s *Server) Call(tool string, arguments any) *Result {
	s.t.Helper()
	return s.BeginCall(tool, arguments).Result()
}

// Args are the arguments of a call.
type Args = map[string]any

// Execute runs a command with more arguments and returns the result.
func (s *Server) Execute(command string, more ...Args) *Result {
	s.t.Helper()
	return s.Call("execute", executeArgs(command, more))
}

// BeginExecute starts Execute.
func (s *Server) BeginExecute(command string, more ...Args) *Pending {
	s.t.Helper()
	return s.BeginCall("execute", executeArgs(command, more))
}

// Background starts a command that goes to the background at once and returns
// its handle.
func (s *Server) Background(command string, more ...Args) string {
	s.t.Helper()
	r := s.Execute(command, append(more, Args{"yield_ms": 0})...)
	if r.Status() != "backgrounded" {
		s.t.Fatalf("%s: %s", command, r.Text)
	}
	return r.String("execution_id")
}

func executeArgs(command string, more []Args) Args {
	all := Args{"command": command}
	for _, m := range more {
		maps.Copy(all, m)
	}
	return all
}

// Result is the result of a tool call. Its fields come from the structured
// form, so the server must be started with --result structured or both.
type Result struct {
	server  *Server
	IsError bool
	Text    string // all text items
	Fields  map[string]any
	Raw     string
}

func parseResult(s *Server, m *Message) *Result {
	s.t.Helper()
	if m.Error != nil {
		s.t.Fatalf("protocol error %d: %s", m.Error.Code, m.Error.Message)
	}
	var wire struct {
		Content []struct {
			Type, Text string
		}
		StructuredContent map[string]any
		IsError           bool
	}
	if err := json.Unmarshal(m.Result, &wire); err != nil {
		s.t.Fatalf("result %s: %v", m.Result, err)
	}
	r := &Result{server: s, IsError: wire.IsError, Fields: wire.StructuredContent, Raw: string(m.Result)}
	for _, c := range wire.Content {
		r.Text += c.Text
	}
	return r
}

// Has tells whether the result has a field.
func (r *Result) Has(name string) bool {
	_, ok := r.Fields[name]
	return ok
}

// String returns a field that is a string, "" if it is null or absent.
func (r *Result) String(name string) string {
	if v, ok := r.Fields[name].(string); ok {
		return v
	}
	return ""
}

// Int returns a field that is a whole number.
func (r *Result) Int(name string) int64 {
	r.server.t.Helper()
	v, ok := r.Fields[name].(float64)
	if !ok || v != float64(int64(v)) {
		r.server.t.Fatalf("%s is no whole number: %v in %s", name, r.Fields[name], r.Raw)
	}
	return int64(v)
}

// Bool returns a field that is a boolean, false if it is absent.
func (r *Result) Bool(name string) bool {
	v, _ := r.Fields[name].(bool)
	return v
}

// Status returns the field status.
func (r *Result) Status() string { return r.String("status") }

// Stdout and Stderr return the output in the result.
func (r *Result) Stdout() string { return r.String("stdout") }
func (r *Result) Stderr() string { return r.String("stderr") }

// GoString shows the result in failures.
func (r *Result) GoString() string { return fmt.Sprintf("%.2000s", r.Raw) }
