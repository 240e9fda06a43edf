package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"whelk/internal/principal"
)

// oneToken knows a token for each of alice and bob.
func oneToken(_ context.Context, token string) (principal.Principal, error) {
	name, ok := strings.CutPrefix(token, "secret-of-")
	if !ok {
		return principal.Principal{}, errors.New("no such token")
	}
	return principal.Principal{ID: "id of " + name, Name: name}, nil
}

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

// whoami returns the principal of a call, and what the tool can see of the
// token.
func whoami(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return textResult(principal.From(ctx).Name + req.Extra.Header.Get("Authorization")), nil
}

func authSite() HTTPOptions {
	return HTTPOptions{
		Options: Options{Tools: tools(map[string]tool{"whoami": whoami})}, Verify: oneToken,
		Metadata: &oauthex.ProtectedResourceMetadata{
			Resource: "https://mcp.example/mcp", AuthorizationServers: []string{"https://login.example"},
		},
	}
}

func TestTokenIsAskedFor(t *testing.T) {
	s := serve(t, authSite())
	const resource = `Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"`
	tests := []struct {
		name, header string
		challenge    string
	}{
		{"no token", "", resource},
		{"another scheme", "Basic YTpi", resource},
		{"no token after the scheme", "Bearer ", resource},
		{"two words", "Bearer a b", resource},
		{"wrong token", "Bearer wrong", resource + `, error="invalid_token"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &site{t: t, url: s.url, client: s.client}
			for _, method := range []string{"POST", "GET", "DELETE"} {
				r := s.request("any", callLine("1", "whoami", "{}"), map[string]string{"Authorization": test.header})
				r.Method = method
				a := s.do(r)
				a.wantRefusal(t, 401, -32600, "")
				if got := a.header.Get("WWW-Authenticate"); got != test.challenge {
					t.Errorf("%s: challenge %q, want %q", method, got, test.challenge)
				}
			}
		})
	}
}

func TestMetadataIsServedWithoutAToken(t *testing.T) {
	s := serve(t, authSite())
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		r := s.request("", "", nil)
		r.Method, r.URL.Path = http.MethodGet, path
		if a := s.do(r); a.status != 200 || len(a.messages) != 1 || !strings.Contains(a.messages[0], "https://login.example") {
			t.Errorf("%s: %+v", path, a)
		}
	}
}

func TestMetadataOfNoResourceIsAFault(t *testing.T) {
	for _, resource := range []string{"", "mcp.example", "ftp://mcp.example/", "https://mcp.example/mcp?x=1"} {
		o := authSite()
		o.Metadata.Resource = resource
		shutdowns := 0
		o.Shutdown = func() { shutdowns++ }
		if err := ServeHTTP(t.Context(), o); err == nil || shutdowns != 1 {
			t.Errorf("%q: error %v, %d shutdowns", resource, err, shutdowns)
		}
	}
}

func TestPrincipalReachesTheToolAndTheTokenDoesNot(t *testing.T) {
	s := serve(t, authSite())
	session := s.initializeWith(bearer("secret-of-alice"))
	for _, name := range []string{"alice", "bob"} {
		r := s.aloneRequest("1", "whoami", "{}")
		r.Header.Set("Authorization", "bearer secret-of-"+name)
		if a := s.do(r); len(a.messages) != 1 || !strings.Contains(a.messages[0], `"text":"`+name+`"`) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	a := s.do(s.request(session, callLine("1", "whoami", "{}"), bearer("secret-of-alice")))
	a.want(t, textAnswer("1", "alice"))
}

// Names are for people, and two principals may have the same.
func TestPrincipalsAreToldApartByMoreThanTheirNames(t *testing.T) {
	o := authSite()
	o.Verify = func(_ context.Context, token string) (principal.Principal, error) {
		return principal.Principal{ID: token, Name: "everybody"}, nil
	}
	s := serve(t, o)
	session := s.initializeWith(bearer("one"))
	s.do(s.request(session, callLine("1", "whoami", "{}"), bearer("other"))).wantRefusal(t, 404, -32600, "")
	a := s.do(s.request(session, callLine("1", "whoami", "{}"), bearer("one")))
	a.want(t, textAnswer("1", "everybody"))
}

func TestSessionBelongsToItsPrincipal(t *testing.T) {
	s := serve(t, authSite())
	session := s.initializeWith(bearer("secret-of-alice"))
	for _, method := range []string{"POST", "GET", "DELETE"} {
		r := s.request(session, callLine("1", "whoami", "{}"), bearer("secret-of-bob"))
		r.Method = method
		s.do(r).wantRefusal(t, 404, -32600, "")
	}
	a := s.do(s.request(session, callLine("1", "whoami", "{}"), bearer("secret-of-alice")))
	a.want(t, textAnswer("1", "alice"))
}

// A token in a log outlives its use.
func TestNoTokenIsLogged(t *testing.T) {
	var log lockedBuffer
	o := authSite()
	o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := serve(t, o)
	for range 12 {
		s.do(s.request("", callLine("1", "whoami", "{}"), bearer("hunter2")))
	}
	s.do(s.request("", callLine("1", "whoami", "{}"), bearer("secret-of-alice")))
	if text := log.String(); strings.Contains(text, "hunter2") || strings.Contains(text, "secret-of") {
		t.Errorf("a token is in the log:\n%s", text)
	} else if !strings.Contains(text, "too many wrong tokens") {
		t.Errorf("the log does not say that somebody tries tokens:\n%s", text)
	}
}

// A lockedBuffer can be written and read at the same time.
type lockedBuffer struct {
	mu sync.Mutex // guards text
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func TestWrongTokensHaveToWaitButGoodOnesDoNot(t *testing.T) {
	s := serve(t, authSite())
	try := func(token string) answer {
		return s.do(s.request("", initializeLine("1", lastHandshake), bearer(token)))
	}
	if a := try("secret-of-alice"); a.status != 200 {
		t.Fatalf("right token: %+v", a)
	}
	for range 6 {
		try("wrong").wantRefusal(t, 401, -32600, "")
	}
	a := try("wrong")
	a.wantRefusal(t, 429, -32600, "")
	if got := a.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q", got)
	}
	// All clients of one machine are one peer: the one that works goes on.
	if a := try("secret-of-alice"); a.status != 200 {
		t.Errorf("right token while others have to wait: %+v", a)
	}
	try("secret-of-bob").wantRefusal(t, 429, -32600, "")
}
