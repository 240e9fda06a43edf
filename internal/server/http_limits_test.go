package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestCapsAreRefusedWithATimeToTryAgain(t *testing.T) {
	c := newCommand()
	o := commandSite(c)
	o.MaxCalls, o.MaxSessions = 2, 2
	s := serve(t, o)
	session := s.initialize()

	running := []<-chan answer{
		s.inBackground(s.request(session, callLine("1", "run", "{}"), nil)),
		s.inBackground(s.aloneRequest("1", "run", "{}")),
	}
	for range running {
		<-c.began
	}
	a := s.post(session, callLine("2", "echo", "{}"))
	a.wantRefusal(t, 503, -32600, "")
	if got := a.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q", got)
	}
	// A cancel always has room, or else nothing could be ended.
	if a := s.post(session, cancelLine("1")); a.status != http.StatusAccepted {
		t.Errorf("cancel: %+v", a)
	}
	if err := <-c.ended; err == nil {
		t.Error("the call was not cancelled")
	}
	close(c.release)
	for _, call := range running {
		<-call
	}
	eventually(t, "the places of the calls are free", func() bool { return s.post(session, callLine("3", "echo", "{}")).status == 200 })

	second := s.initialize()
	a = s.post("", initializeLine("1", lastHandshake))
	a.wantRefusal(t, 503, -32600, "")
	if got := a.header.Get("Retry-After"); got != "30" {
		t.Errorf("Retry-After %q", got)
	}
	s.alone("1", "echo", "{}") // needs no session
	r := s.request(second, "", nil)
	r.Method = http.MethodDelete
	s.do(r)
	s.initialize()
}

// A client that is lost holds its place until its call is over.
func TestLostCallsCount(t *testing.T) {
	c := newCommand()
	o := commandSite(c)
	o.MaxCalls = 1
	s := serve(t, o)
	session := s.initialize()
	for _, request := range []*http.Request{s.request(session, callLine("1", "run", "{}"), nil), s.aloneRequest("1", "run", "{}")} {
		connection, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), PathMCP))
		if err != nil {
			t.Fatal(err)
		}
		if err := request.Write(connection); err != nil {
			t.Fatal(err)
		}
		<-c.began
		connection.Close()
		time.Sleep(50 * time.Millisecond) // for the server to notice
		s.alone("2", "echo", "{}").wantRefusal(t, 503, -32600, "")
		c.release <- struct{}{}
		eventually(t, "the place of the lost call is free", func() bool { return s.alone("2", "echo", "{}").status == 200 })
	}
}

func TestFailedRequestsGiveBackTheirPlaces(t *testing.T) {
	o := echoSite()
	o.MaxCalls, o.MaxSessions = 1, 1
	s := serve(t, o)
	bad := []*http.Request{}
	for range 3 {
		bad = append(bad,
			s.request("", "{", nil),
			s.request("", "[]", nil),
			s.request("", callLine("1", "echo", "{}"), nil),
			s.request("unknown", callLine("1", "echo", "{}"), nil),
			s.request("", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, nil),
			s.request("", initializeLine("1", lastHandshake), map[string]string{"Accept": "text/plain"}),
			s.request("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":5}`, nil),
			s.request("", statelessLine("1", "subscriptions/listen", `"x":1`), map[string]string{"Mcp-Protocol-Version": firstStateless}),
			s.request("", strings.Repeat("x", 5<<20), nil),
		)
	}
	for _, r := range bad {
		if a := s.do(r); a.status < 400 && !strings.Contains(strings.Join(a.messages, ""), `"error"`) {
			t.Errorf("not refused: %+v", a)
		}
	}
	session := s.initialize()
	s.post(session, callLine("1", "echo", "{}")).want(t, textAnswer("1", "{}"))
}

func TestAbandonedSessionsExpireWithoutAnythingLeft(t *testing.T) {
	const count = 1000
	o := echoSite()
	o.SessionIdle = 200 * time.Millisecond
	o.MaxSessions = 2 * count
	s := serve(t, o)
	abandon := func() {
		var last string
		for range count {
			a := s.post("", initializeLine("1", lastHandshake))
			if last = a.header.Get("Mcp-Session-Id"); last == "" {
				t.Fatalf("initialize: %+v", a)
			}
		}
		eventually(t, "the last session has expired", func() bool {
			time.Sleep(3 * o.SessionIdle) // asking for a session uses it
			return s.post(last, callLine("1", "echo", "{}")).status == 404
		})
	}
	used := func() (goroutines int, heap uint64) {
		runtime.GC()
		runtime.GC() // twice: what finalizers held
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	abandon()
	goroutines, heap := used()
	abandon()
	abandon()
	moreGoroutines, moreHeap := used()
	if moreGoroutines > goroutines+10 {
		t.Errorf("%d goroutines after %d sessions, %d after %d", goroutines, count, moreGoroutines, 3*count)
	}
	if moreHeap > heap+count*500 { // an SDK session takes more than 5 KB
		t.Errorf("%d bytes in use after %d sessions, %d after %d", heap, count, moreHeap, 3*count)
	}
}

func TestBusySessionsDoNotExpire(t *testing.T) {
	c := newCommand()
	o := commandSite(c)
	o.SessionIdle = 500 * time.Millisecond
	s := serve(t, o)
	calling, streaming, silent := s.initialize(), s.initialize(), s.initialize()
	call := s.inBackground(s.request(calling, callLine("1", "run", "{}"), nil))
	<-c.began
	stream := openStream(s, streaming)
	time.Sleep(3 * o.SessionIdle)
	close(c.release)
	(<-call).want(t, textAnswer("1", "released"))
	s.post(calling, callLine("2", "echo", "{}")).want(t, textAnswer("2", "{}"))
	s.post(streaming, callLine("2", "echo", "{}")).want(t, textAnswer("2", "{}"))
	s.post(silent, callLine("2", "echo", "{}")).wantRefusal(t, 404, -32600, "")
	stream.Close()
}

// openStream opens a session's stream for what the server sends on its own.
func openStream(s *site, session string) io.Closer {
	s.t.Helper()
	r := s.request(session, "", nil)
	r.Method = http.MethodGet
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("stream: %s", response.Status)
	}
	return response.Body
}

// A slow client is one that keeps the server waiting, on purpose or not.
func TestSlowClientsAreCutOff(t *testing.T) {
	o := echoSite()
	o.Verify = oneToken
	o.MaxCalls = 1
	o.times = httpTimes{header: 500 * time.Millisecond, body: 700 * time.Millisecond, write: time.Minute}
	s := serve(t, o)
	address := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), PathMCP)
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n"
	const authorized = "Authorization: Bearer secret-of-alice\r\n"
	tests := []struct {
		name, first string
		want        string // what the answer begins with
	}{
		{"nothing", "", ""},
		{"a head that comes in drops", "POST /mcp HTTP/1.1\r\nHost: loc", ""},
		{"a body that comes in drops", head + authorized + "\r\n{", "HTTP/1.1 408 "},
		{"a body that nobody wants", head + "\r\n{", "HTTP/1.1 401 "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			connection, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			start := time.Now()
			fmt.Fprint(connection, test.first)
			stop := make(chan struct{})
			defer close(stop)
			go func() { // drop by drop
				for {
					select {
					case <-stop:
						return
					case <-time.After(20 * time.Millisecond):
						fmt.Fprint(connection, " ")
					}
				}
			}()
			_ = connection.SetReadDeadline(start.Add(10 * time.Second))
			got, err := io.ReadAll(connection)
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				t.Fatalf("the connection is still open, after %q", got)
			}
			if !strings.HasPrefix(string(got), test.want) || test.want == "" && strings.HasPrefix(string(got), "HTTP/1.1 2") {
				t.Errorf("answered %.200q", got)
			}
		})
	}
	session := s.initializeWith(bearer("secret-of-alice"))
	a := s.do(s.request(session, callLine("1", "echo", "{}"), bearer("secret-of-alice")))
	a.want(t, textAnswer("1", "{}"))
}

// A call that takes longer than a body may is not cut off, nor a stream.
func TestSlowCallsAndStreamsAreNotCutOff(t *testing.T) {
	o := echoSite()
	o.times = httpTimes{header: 400 * time.Millisecond, body: 400 * time.Millisecond, write: 400 * time.Millisecond}
	s := serve(t, o)
	session := s.initialize()
	stream := openStream(s, session)
	defer stream.Close()
	s.post(session, callLine("1", "sleep", `{"ms":1000}`)).want(t, textAnswer("1", "slept"))
	ended := make(chan error)
	go func() {
		r := bufio.NewReader(stream.(io.Reader))
		for {
			if _, err := r.ReadString('\n'); err != nil {
				ended <- err
				return
			}
		}
	}()
	select {
	case err := <-ended:
		t.Errorf("the stream ended: %v", err)
	case <-time.After(time.Second):
		stream.Close()
		<-ended
	}
}

// A client that does not read its answer holds up nothing but its own call.
func TestClientThatStopsReadingIsGivenUp(t *testing.T) {
	// More than the buffers of both ends hold.
	text := strings.Repeat("x", 8<<20)
	began := make(chan struct{})
	flood := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(began)
		return textResult(text), nil
	}
	o := HTTPOptions{Options: Options{Tools: tools(map[string]tool{"flood": flood, "echo": echo})}, MaxCalls: 1}
	o.times = httpTimes{header: time.Second, body: 10 * time.Second, write: 200 * time.Millisecond}
	s := serve(t, o)
	session := s.initialize()
	address := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), PathMCP)
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if err := s.request(session, callLine("1", "flood", "{}"), nil).Write(connection); err != nil {
		t.Fatal(err)
	}
	<-began
	s.post(session, callLine("2", "echo", "{}")).wantRefusal(t, 503, -32600, "")
	eventually(t, "the place of the call is free", func() bool { return s.post(session, callLine("2", "echo", "{}")).status == 200 })
}

func TestConnectionsOverTheLimitAreClosed(t *testing.T) {
	o := echoSite()
	o.MaxSessions, o.MaxCalls = 1, 1
	s := serve(t, o)
	address := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), PathMCP)
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for range spareConnections + 2 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	last, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	_ = last.SetReadDeadline(time.Now().Add(5 * time.Second))
	if n, err := last.Read(make([]byte, 1)); err == nil || n > 0 {
		t.Fatal("answered")
	} else if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Fatal("the connection over the limit stays open")
	}
	open[0].Close()
	eventually(t, "there is room again", func() bool {
		response, err := s.client.Get(strings.TrimSuffix(s.url, PathMCP) + PathHealth)
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == 200
	})
}
