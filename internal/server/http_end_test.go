package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// endBudget is what a signalled server has; on a quiet machine it takes a
// third of it.
const endBudget = 2 * time.Second

func (s *site) get(path string) answer {
	s.t.Helper()
	r := s.request("", "", nil)
	r.Method, r.URL.Path = http.MethodGet, path
	return s.do(r)
}

// Until Shutdown returns nothing new is accepted; what it ended is answered;
// then all is closed.
func TestDrainOverHTTP(t *testing.T) {
	c := newCommand()
	o := commandSite(c)
	shutting, finish := make(chan struct{}), make(chan struct{})
	shutdowns := 0
	o.Shutdown = func() {
		shutdowns++
		close(shutting)
		<-finish
		close(c.release) // ends the executions
	}
	s := serve(t, o)
	if a := s.get(PathReady); a.status != 200 || a.messages[0] != `{"status":"ready"}` {
		t.Errorf("ready: %+v", a)
	}
	session := s.initialize()
	stream := openStream(s, session)
	defer stream.Close()
	listening := s.inBackground(s.request("", statelessLine("1", "subscriptions/listen", `"notifications":{}`), map[string]string{
		"Mcp-Protocol-Version": firstStateless, "Mcp-Method": "subscriptions/listen",
	}))
	running := s.inBackground(s.request(session, callLine("1", "run", "{}"), nil))
	alone := s.inBackground(s.aloneRequest("1", "run", "{}"))
	<-c.began
	<-c.began

	s.cancel()
	<-shutting
	if a := s.get(PathReady); a.status != 503 || a.messages[0] != `{"status":"draining"}` {
		t.Errorf("ready while draining: %+v", a)
	}
	if a := s.get(PathHealth); a.status != 200 || a.messages[0] != `{"status":"ok"}` {
		t.Errorf("health while draining: %+v", a)
	}
	for _, a := range []answer{s.post(session, callLine("2", "echo", "{}")), s.alone("2", "echo", "{}"), s.post("", initializeLine("3", lastHandshake))} {
		a.wantRefusal(t, 503, codeShuttingDown, "")
		if got := a.header.Get("Retry-After"); got != "5" {
			t.Errorf("Retry-After %q", got)
		}
	}
	start := time.Now()
	close(finish)
	(<-running).want(t, textAnswer("1", "released"))
	if a := <-alone; len(a.messages) != 1 || !strings.Contains(a.messages[0], "released") {
		t.Errorf("a call without a session: %+v", a)
	}
	<-listening
	if err := <-s.ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(start); took > endBudget {
		t.Errorf("ended %v after Shutdown", took)
	}
	if shutdowns != 1 {
		t.Errorf("%d shutdowns", shutdowns)
	}
	if _, err := s.client.Get(s.url); err == nil {
		t.Error("still listening")
	}
}

func TestStubbornCallDoesNotHoldUpTheEndOfHTTP(t *testing.T) {
	began, cancelled, gone := make(chan struct{}), make(chan error, 1), make(chan struct{})
	stubborn := func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(began)
		<-ctx.Done()
		cancelled <- context.Cause(ctx)
		<-gone
		return textResult("too late"), nil
	}
	s := serve(t, HTTPOptions{Options: Options{Tools: tools(map[string]tool{"stubborn": stubborn})}})
	session := s.initialize()
	request := s.request(session, callLine("1", "stubborn", "{}"), nil)
	failed := make(chan struct{})
	go func() {
		defer close(failed)
		if response, err := s.client.Do(request); err == nil {
			response.Body.Close()
		}
	}()
	<-began
	start := time.Now()
	s.cancel()
	if err := <-s.ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(start); took > endBudget {
		t.Errorf("ended after %v", took)
	}
	if cause := <-cancelled; !errors.Is(cause, errEnding) {
		t.Errorf("the call was cancelled with %v", cause)
	}
	close(gone)
	<-failed
}

func TestListenerThatFailsEndsTheServer(t *testing.T) {
	l, err := Listen(t.Context(), "127.0.0.1:0", HTTPOptions{})
	if err != nil {
		t.Fatal(err)
	}
	shutdowns := 0
	o := echoSite()
	o.Shutdown = func() { shutdowns++ }
	s := serveOn(t, l, o)
	s.initialize()
	l.Close()
	if err := <-s.ended; !errors.Is(err, net.ErrClosed) || shutdowns != 1 {
		t.Errorf("ended with %v, %d shutdowns", err, shutdowns)
	}
}
