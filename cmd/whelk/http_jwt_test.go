package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// issuer signs tokens as an identity provider does.
type issuer struct {
	t    *testing.T
	key  ed25519.PrivateKey
	keys string // the file with its key set
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	set := `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","use":"sig","alg":"EdDSA","x":"` + base64.RawURLEncoding.EncodeToString(public) + `"}]}`
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, []byte(set), 0o600); err != nil {
		t.Fatal(err)
	}
	return &issuer{t: t, key: private, keys: file}
}

const (
	testIssuer   = "https://id.example.org"
	testAudience = "https://whelk.example.org/mcp"
)

// token signs claims over a valid token's.
func (i *issuer) token(claims Args) string {
	i.t.Helper()
	all := Args{"iss": testIssuer, "aud": testAudience, "sub": "ann", "scope": "run", "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(all, claims)
	payload, err := json.Marshal(all)
	if err != nil {
		i.t.Fatal(err)
	}
	part := base64.RawURLEncoding.EncodeToString
	signed := part([]byte(`{"alg":"EdDSA","kid":"k","typ":"JWT"}`)) + "." + part(payload)
	return signed + "." + part(ed25519.Sign(i.key, []byte(signed)))
}

func TestHTTPWithTokensOfAnIdentityProvider(t *testing.T) {
	t.Parallel()
	provider := newIssuer(t)
	s := startHTTP(t, "--auth", "jwt", "--jwt-issuer", testIssuer, "--jwt-audience", testAudience, "--jwt-keys", provider.keys, "--jwt-scope", "run")
	ann, bob := s.connect(provider.token(nil), nil), s.connect(provider.token(Args{"sub": "bob"}), nil)
	r, _ := callTool(t, ann, "execute", Args{"command": "echo hi"})
	if r["stdout"] != "hi\n" {
		t.Errorf("%v", r)
	}
	if _, isError := callTool(t, bob, "read", Args{"execution_id": r["execution_id"]}); !isError {
		t.Error("one subject reads what another ran")
	}
	for _, test := range []struct {
		name, token string
		status      int
		challenge   string
	}{
		{"no token", "", http.StatusUnauthorized, "resource_metadata="},
		{"another audience", provider.token(Args{"aud": "https://other.example.org"}), http.StatusUnauthorized, "invalid_token"},
		{"expired", provider.token(Args{"exp": time.Now().Add(-time.Hour).Unix()}), http.StatusUnauthorized, "invalid_token"},
		{"another key", newIssuer(t).token(nil), http.StatusUnauthorized, "invalid_token"},
		{"without the scope", provider.token(Args{"scope": "look"}), http.StatusForbidden, "insufficient_scope"},
	} {
		answer := s.ask(http.MethodPost, "/mcp", test.token)
		if answer.StatusCode != test.status || !strings.Contains(answer.Header.Get("WWW-Authenticate"), test.challenge) {
			t.Errorf("%s: %s, %q", test.name, answer.Status, answer.Header.Get("WWW-Authenticate"))
		}
	}
	if answer := s.ask(http.MethodGet, "/.well-known/oauth-protected-resource/mcp", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("the metadata: %s", answer.Status)
	}
}

// ask sends a request without a body and returns the head of its answer.
func (s *site) ask(method, path, token string) *http.Response {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, strings.TrimSuffix(s.url, "/mcp")+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer
}
