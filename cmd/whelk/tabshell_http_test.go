package main

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/mcptest"
)

// T2: the progress of a long call reaches a client over HTTP. It takes no token
// there, as the seed, and tells so; foreign pages and names are refused.
func TestTabShellOverHTTP(t *testing.T) {
	t.Parallel()
	program := mcptest.Launch(t, mcptest.Options{
		Path: "tab-shell-mcp", Args: append([]string{"--transport", "streamable-http", "--port", "0"}, configured(t, "keepalive_interval: 0.2\n")...),
	})
	s := siteOf(t, program, "")
	if !strings.Contains(s.Stderr(), "WARNING") {
		t.Errorf("it does not warn: %s", s.Stderr())
	}
	seen := make(chan struct{}, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, _ *mcp.ProgressNotificationClientRequest) { seen <- struct{}{} },
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	params := &mcp.CallToolParams{Name: "execute_shell_command", Arguments: Args{"command": "sleep 1; echo hi"}}
	params.SetProgressToken("p")
	r, err := session.CallTool(t.Context(), params)
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, `"stdout": "hi\n"`) {
		t.Errorf("%+v, %v", r, err)
	}
	if len(seen) < 2 {
		t.Errorf("%d notifications of progress in a second, one each 0.2 s", len(seen))
	}
	for header, value := range map[string]string{"Origin": "null", "Host": "example.org"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set(header, value)
		if header == "Host" {
			request.Host = value
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s: %s", header, value, answer.Status)
		}
	}
}

func TestTabShellOverHTTPBeyondTheLoopbackTakesMore(t *testing.T) {
	t.Parallel()
	p := mcptest.Launch(t, mcptest.Options{Path: "tab-shell-mcp", Args: []string{"--transport", "streamable-http", "--host", "0.0.0.0", "--port", "0"}})
	if code := p.ExitCode(mcptest.Patience); code != 2 || !strings.Contains(p.Stderr(), "authentication") {
		t.Errorf("exit code %d: %s", code, p.Stderr())
	}
}
