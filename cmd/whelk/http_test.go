package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/mcptest"
)

// site is a program that serves over HTTP.
type site struct {
	*mcptest.Server
	t     testing.TB
	state string // its state directory
	url   string
}

var servesAt = regexp.MustCompile(`serves MCP at (\S+)`)

// startHTTP starts the program on a free port of the loopback and waits until it
// serves.
func startHTTP(t testing.TB, flags ...string) *site {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	args := append([]string{"--transport", "http", "--listen", "127.0.0.1:0", "--state-dir", state, "--result", "structured", "--grace", "1s"}, flags...)
	return siteOf(t, mcptest.Launch(t, mcptest.Options{Args: args}), state)
}

// siteOf waits until a program serves.
func siteOf(t testing.TB, server *mcptest.Server, state string) *site {
	t.Helper()
	s := &site{Server: server, t: t, state: state}
	mcptest.Eventually(t, mcptest.Patience, "the server says where it serves", func() bool {
		m := servesAt.FindStringSubmatch(s.Stderr())
		if m != nil {
			s.url = m[1]
		}
		return m != nil
	})
	t.Cleanup(func() { // the end of its input does not end it
		select {
		case <-s.Exited():
		default:
			s.Signal(syscall.SIGTERM)
		}
	})
	return s
}

// token makes a token and returns it.
func (s *site) token(args ...string) string {
	s.t.Helper()
	return strings.TrimSpace(runProgram(s.t, append([]string{"token", "add", "--state-dir", s.state}, args...)...))
}

// runProgram runs a verb and returns what it prints.
func runProgram(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.Command(mcptest.Program(t), args...).Output()
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return string(out)
}

// defaultToken returns the token that the first start made.
func (s *site) defaultToken() string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.state, "token"))
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// bearer sends a token with every request.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// connect opens a session; over may be nil for the usual connections.
func (s *site) connect(token string, over http.RoundTripper) *mcp.ClientSession {
	s.t.Helper()
	session, err := s.tryConnect(token, over)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() })
	return session
}

func (s *site) tryConnect(token string, over http.RoundTripper) (*mcp.ClientSession, error) {
	if over == nil {
		over = http.DefaultTransport
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(context.WithoutCancel(s.t.Context()), &mcp.StreamableClientTransport{
		Endpoint: s.url, HTTPClient: &http.Client{Transport: bearer{token, over}}, MaxRetries: -1,
	}, nil)
}

// callTool calls a tool whose result is structured.
func callTool(t testing.TB, session *mcp.ClientSession, name string, arguments Args) (fields map[string]any, isError bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	fields, ok := r.StructuredContent.(map[string]any)
	if !ok {
		t.Fatalf("%s: %+v", name, r)
	}
	return fields, r.IsError
}

// overSocket makes connections to a Unix socket, whatever the URL names.
func overSocket(path string) http.RoundTripper {
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
}

func TestHTTPAnExecutionOutlivesItsSession(t *testing.T) {
	t.Parallel()
	s := startHTTP(t)
	token := s.defaultToken()
	first := s.connect(token, nil)
	began, _ := callTool(t, first, "execute", Args{"command": "echo first; read line; echo $line", "close_stdin": false, "yield_ms": 0})
	id := began["execution_id"]
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := s.connect(token, nil)
	if r, isError := callTool(t, second, "write", Args{"execution_id": id, "input": "second", "newline": true}); isError {
		t.Fatalf("write: %v", r)
	}
	callTool(t, second, "wait", Args{"execution_id": id})
	r, _ := callTool(t, second, "read", Args{"execution_id": id, "since_seq": 1})
	if r["status"] != "completed" || r["stdout"] != "first\nsecond\n" {
		t.Errorf("after the reconnect: %v", r)
	}
}

// A client that is lost in the middle of a call loses no command, in either era.
func TestHTTPALostClientLosesNothing(t *testing.T) {
	t.Parallel()
	s := startHTTP(t)
	token := s.defaultToken()
	other := s.connect(token, nil)
	opened := s.post(t.Context(), token, nil, "initialize", Args{"protocolVersion": "2025-11-25", "capabilities": Args{}, "clientInfo": Args{"name": "t", "version": "1"}})
	meta := Args{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": Args{}}
	for name, headers := range map[string]map[string]string{
		"sessions":  {"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": opened.Get("Mcp-Session-Id")},
		"stateless": {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "execute"},
	} {
		marker := mcptest.Marker(t)
		params := Args{"name": "execute", "arguments": Args{"command": "sleep " + marker + "; echo unseen"}, "_meta": meta}
		if name == "sessions" {
			delete(params, "_meta")
		}
		ctx, leave := context.WithCancel(t.Context())
		go s.post(ctx, token, headers, "tools/call", params)
		born(t, marker, 1)
		leave()
		time.Sleep(300 * time.Millisecond) // for what a lost connection might end
		list, _ := callTool(t, other, "ps", Args{"include_completed": false})
		running := list["executions"].([]any)
		if len(running) != 1 || len(mcptest.Alive(marker)) == 0 {
			t.Fatalf("%s: running are %v", name, running)
		}
		callTool(t, other, "stop", Args{"execution_id": running[0].(map[string]any)["execution_id"], "signal": "SIGKILL"})
	}
}

// post makes a request, reads its answer until ctx ends, and returns the answer's
// head, nil if there was none.
func (s *site) post(ctx context.Context, token string, headers map[string]string, method string, params Args) http.Header {
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer.Header
}

func TestHTTPPrincipalsSeeNothingOfEachOther(t *testing.T) {
	t.Parallel()
	s := startHTTP(t)
	ann, bob := s.connect(s.token("ann"), nil), s.connect(s.token("bob", "--max-executions", "1"), nil)
	r, _ := callTool(t, ann, "execute", Args{"command": "echo secret; sleep 60", "yield_ms": 0})
	id := r["execution_id"]
	for _, tool := range []string{"read", "wait", "stop"} {
		other, isError := callTool(t, bob, tool, Args{"execution_id": id})
		never, _ := callTool(t, bob, tool, Args{"execution_id": strings.Repeat("0", 12)})
		if !isError || other["code"] != "unknown_execution" || other["code"] != never["code"] {
			t.Errorf("%s of another's execution: %v", tool, other)
		}
	}
	if list, _ := callTool(t, bob, "ps", Args{}); len(list["executions"].([]any)) != 0 {
		t.Errorf("ps of bob: %v", list)
	}
	callTool(t, bob, "execute", Args{"command": "sleep 60", "yield_ms": 0})
	if r, isError := callTool(t, bob, "execute", Args{"command": "true"}); !isError || r["code"] != "limit_exceeded" {
		t.Errorf("past bob's limit: %v", r)
	}
	if r, isError := callTool(t, ann, "execute", Args{"command": "true"}); isError {
		t.Errorf("ann is held to bob's limit: %v", r)
	}
}

func TestHTTPATokenRestricts(t *testing.T) {
	t.Parallel()
	s := startHTTP(t, "--tools", "native,tabshell", "--allow", "echo", "--allow", "ls")
	narrow := filepath.Join(t.TempDir(), "narrow.yaml")
	if err := os.WriteFile(narrow, []byte("deny: [ls]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	token := s.token("narrow", "--policy", narrow, "--tools", "native")
	session := s.connect(token, nil)
	for command, denied := range map[string]bool{"echo a": false, "ls": true, "id": true} {
		if r, isError := callTool(t, session, "execute", Args{"command": command}); isError != denied {
			t.Errorf("%s: %v", command, r)
		}
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if strings.Contains(tool.Name, "task") || strings.Contains(tool.Name, "shell") {
			t.Errorf("the list has %s of another set", tool.Name)
		}
	}
	if r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute_shell_command", Arguments: Args{"command": "echo a"}}); err == nil {
		t.Errorf("a tool of another set answers %+v", r)
	}
	runProgram(t, "token", "revoke", "narrow", "--state-dir", s.state)
	if _, err := s.tryConnect(token, nil); err == nil {
		t.Error("a revoked token connects")
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: Args{"command": "echo a"}}); err == nil {
		t.Error("a revoked token calls")
	}
}

func TestHTTPOverAUnixSocket(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	s := startHTTP(t, "--listen", "unix:"+socket)
	info, err := os.Stat(socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	s.url = "http://localhost/mcp"
	session := s.connect(s.defaultToken(), overSocket(socket))
	if r, _ := callTool(t, session, "execute", Args{"command": "echo hi"}); r["stdout"] != "hi\n" {
		t.Errorf("%v", r)
	}
}

func TestHTTPEndsInOrder(t *testing.T) {
	t.Parallel()
	s := startHTTP(t)
	session := s.connect(s.defaultToken(), nil)
	marker := mcptest.Marker(t)
	answer := make(chan *mcp.CallToolResult, 1)
	go func() {
		r, _ := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: Args{"command": "echo begun; sleep " + marker}})
		answer <- r
	}()
	born(t, marker, 1)
	began := time.Now()
	s.Signal(syscall.SIGTERM)
	if code := s.ExitCode(mcptest.Patience); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Stderr())
	}
	atMost(t, "the end", began, 2*time.Second)
	eventually(t, 3*time.Second, "nothing is left", dead(marker))
	r := <-answer
	if r == nil {
		t.Fatal("the call in flight has no answer")
	}
	if fields := r.StructuredContent.(map[string]any); fields["stdout"] != "begun\n" {
		t.Errorf("the call in flight: %v", fields)
	}
}

func TestHTTPWhatMustNotBeServedIsNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, says string
		flags      []string
		code       int
	}{
		{"beyond loopback without TLS", "TLS", []string{"--listen", "0.0.0.0:0"}, 2},
		{"beyond loopback without authentication", "authentication", []string{"--listen", "0.0.0.0:0", "--auth", "none", "--behind-proxy"}, 2},
		{"a certificate without its key", "tls-key", []string{"--tls-cert", file}, 2},
		{"no certificate", "certificate", []string{"--tls-cert", file, "--tls-key", file}, 2},
		{"JWT without an issuer", "jwt-issuer", []string{"--auth", "jwt"}, 2},
		{"JWT without keys", "key set", []string{"--auth", "jwt", "--jwt-issuer", "https://id.example.org", "--jwt-audience", "whelk", "--jwt-keys", file}, 2},
		{"no socket", "file", []string{"--listen", "unix:" + file}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"--transport", "http", "--state-dir", t.TempDir()}, test.flags...)
			p := mcptest.Launch(t, mcptest.Options{Args: args})
			if code := p.ExitCode(mcptest.Patience); code != test.code || !strings.Contains(p.Stderr(), test.says) {
				t.Errorf("exit code %d, want %d and %q: %s", code, test.code, test.says, p.Stderr())
			}
		})
	}
	t.Run("none is loud", func(t *testing.T) {
		t.Parallel()
		s := startHTTP(t, "--auth", "none")
		if !strings.Contains(s.Stderr(), "WARNING") {
			t.Errorf("it says %s", s.Stderr())
		}
		if r, _ := callTool(t, s.connect("", nil), "execute", Args{"command": "echo hi"}); r["stdout"] != "hi\n" {
			t.Errorf("%v", r)
		}
	})
}

// TestHTTPManyClients has a hundred clients of ten principals at once. Each asks
// for something of its own and must get that; WHELK_SOAK=1 makes it last.
func TestHTTPManyClients(t *testing.T) {
	const principals, clientsEach = 10, 10
	calls := 5
	if os.Getenv("WHELK_SOAK") != "" {
		calls = 50
	}
	s := startHTTP(t, "--max-executions", "200")
	tokens := make([]string, principals)
	for i := range tokens {
		tokens[i] = s.token(fmt.Sprintf("p%d", i))
	}
	faults := make(chan error, principals*clientsEach)
	for i := range principals * clientsEach {
		go func() { faults <- s.soak(tokens[i%principals], fmt.Sprintf("client-%d", i), calls) }()
	}
	for range principals * clientsEach {
		if err := <-faults; err != nil {
			t.Error(err)
		}
	}
	for i, token := range tokens {
		list, _ := callTool(t, s.connect(token, nil), "ps", Args{"limit": 1000})
		for _, e := range list["executions"].([]any) {
			var client int
			text := e.(map[string]any)["command"].(string)
			if _, err := fmt.Sscanf(text, "echo client-%d", &client); err != nil || client%principals != i {
				t.Errorf("ps of principal %d lists %q", i, text)
			}
		}
	}
}

// soak is the life of one client.
func (s *site) soak(token, name string, calls int) error {
	session, err := s.tryConnect(token, &http.Transport{})
	if err != nil {
		return fmt.Errorf("%s: connect: %w", name, err)
	}
	defer session.Close()
	for n := range calls {
		want := fmt.Sprintf("%s %d\n", name, n)
		r, err := session.CallTool(s.t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: Args{"argv": []string{"echo", name, fmt.Sprint(n)}}})
		if err != nil {
			return fmt.Errorf("%s: call %d: %w", name, n, err)
		}
		if fields, ok := r.StructuredContent.(map[string]any); !ok || fields["stdout"] != want {
			return fmt.Errorf("%s: call %d answers %v, want %q", name, n, r.StructuredContent, want)
		}
	}
	return nil
}
