package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A site is an HTTP server in the same process, on a port of its own, and a
// client of it that sends what it is told to.
type site struct {
	t      testing.TB
	url    string // of the endpoint
	client *http.Client
	cancel context.CancelFunc // as a signal would
	ended  chan error
}

// serve starts a server with one listener on the loopback.
func serve(t testing.TB, o HTTPOptions) *site {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, l, o)
}

func serveOn(t testing.TB, l net.Listener, o HTTPOptions) *site {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	s := &site{
		t: t, url: "http://" + l.Addr().String() + PathMCP,
		client: &http.Client{Transport: transport}, cancel: cancel, ended: make(chan error, 1),
	}
	o.Name, o.Version, o.Listeners = "test", "1", []net.Listener{l}
	go func() {
		s.ended <- ServeHTTP(ctx, o)
		close(s.ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-s.ended
		transport.CloseIdleConnections()
	})
	return s
}

func echoSite() HTTPOptions {
	return HTTPOptions{Options: Options{Tools: tools(map[string]tool{"echo": echo, "sleep": sleep})}}
}

// request returns a POST of a message as a client of the handshake era sends
// it; session may be "". Headers of the argument replace those.
func (s *site) request(session, body string, headers map[string]string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Session-Id": session, "Mcp-Protocol-Version": lastHandshake,
	}
	maps.Copy(all, headers)
	for name, value := range all {
		if name == "Host" {
			r.Host = value
		} else if value != "" {
			r.Header.Set(name, value)
		}
	}
	return r
}

// An answer is a whole HTTP answer: the messages of its events, or its body.
type answer struct {
	status   int
	header   http.Header
	messages []string
}

func (s *site) do(r *http.Request) answer {
	s.t.Helper()
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	a := answer{status: response.StatusCode, header: response.Header}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		for message := range events(response.Body) {
			a.messages = append(a.messages, message)
		}
		return a
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(body) > 0 {
		a.messages = []string{strings.TrimSuffix(string(body), "\n")}
	}
	return a
}

// events yields the data of each event of a stream.
func events(stream io.Reader) func(func(string) bool) {
	return func(yield func(string) bool) {
		r := bufio.NewReader(stream)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok && !yield(strings.TrimSuffix(data, "\n")) {
				return
			}
		}
	}
}

func (s *site) post(session, body string) answer {
	s.t.Helper()
	return s.do(s.request(session, body, nil))
}

// alone posts a call of a tool in the stateless era.
func (s *site) alone(id, tool, arguments string) answer {
	s.t.Helper()
	return s.do(s.aloneRequest(id, tool, arguments))
}

func (s *site) aloneRequest(id, tool, arguments string) *http.Request {
	s.t.Helper()
	body := statelessLine(id, "tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments))
	return s.request("", body, map[string]string{
		"Mcp-Protocol-Version": firstStateless, "Mcp-Method": "tools/call", "Mcp-Name": tool,
	})
}

// initialize opens a session and returns its id.
func (s *site) initialize() string { s.t.Helper(); return s.initializeWith(nil) }

func (s *site) initializeWith(headers map[string]string) string {
	s.t.Helper()
	a := s.do(s.request("", initializeLine(`"init"`, lastHandshake), headers))
	id := a.header.Get("Mcp-Session-Id")
	if a.status != http.StatusOK || id == "" || len(a.messages) != 1 || !strings.Contains(a.messages[0], `"protocolVersion":"2025-11-25"`) {
		s.t.Fatalf("initialize: %+v", a)
	}
	if a := s.do(s.request(id, initializedLine, headers)); a.status != http.StatusAccepted {
		s.t.Fatalf("initialized: %+v", a)
	}
	return id
}

// want fails the test unless the answer is these messages, with status 200.
func (a answer) want(t testing.TB, messages ...string) {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status %d, %s", a.status, a.messages)
	}
	var want, got []any
	for _, m := range messages {
		want = append(want, decoded(t, m))
	}
	for _, m := range a.messages {
		got = append(got, decoded(t, m))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("messages (-want +got):\n%s", diff)
	}
}

// wantRefusal fails the test unless the answer is an error with this status,
// code and id, "" for none. It returns the message.
func (a answer) wantRefusal(t testing.TB, status, code int, id string) string {
	t.Helper()
	var got struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if a.status != status || len(a.messages) != 1 || a.header.Get("Content-Type") != "application/json" {
		t.Fatalf("got status %d, type %q, messages %q; want one JSON error with status %d",
			a.status, a.header.Get("Content-Type"), a.messages, status)
	}
	if err := json.Unmarshal([]byte(a.messages[0]), &got); err != nil {
		t.Fatalf("bad message %q: %v", a.messages[0], err)
	}
	if got.Version != "2.0" || string(got.ID) != id || got.Error.Code != code || got.Error.Message == "" {
		t.Fatalf("got %s, want an error with code %d and id %q", a.messages[0], code, id)
	}
	return got.Error.Message
}

// eventually fails the test unless the condition holds within ten seconds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not so: %s", what)
		}
	}
}
