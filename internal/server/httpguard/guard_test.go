package httpguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"whelk/internal/auth"
	"whelk/internal/principal"
)

func TestListsOfTheOperatorAreChecked(t *testing.T) {
	for _, host := range []string{"", "https://mcp.example", "a/b", "*.example", "a b", "me@example", "::1"} {
		if _, err := New(Options{AllowedHosts: []string{host}}); err == nil {
			t.Errorf("host %q is accepted", host)
		}
	}
	for _, origin := range []string{"", "null", "*", "mcp.example", "https://", "https://a.example/", "https://a.example/x", "https://*.example", "https://u@a.example:1/"} {
		if _, err := New(Options{AllowedOrigins: []string{origin}}); err == nil {
			t.Errorf("origin %q is accepted", origin)
		}
	}
	if _, err := New(Options{AllowedHosts: []string{"mcp.example", "[::1]:80", "10.0.0.1:80"}, AllowedOrigins: []string{"https://A.example:8443", "vscode-webview://x"}}); err != nil {
		t.Error(err)
	}
}

// A server on all addresses answers to the one that was called, as a probe
// does; a page could not make that its own name.
func TestAddressOfTheConnectionIsAHost(t *testing.T) {
	tests := []struct {
		local, host string
		want        bool
	}{
		{"192.0.2.7:8377", "192.0.2.7:8377", true},
		{"192.0.2.7:8377", "192.0.2.7", true},
		{"192.0.2.7:8377", "192.0.2.8:8377", false},
		{"[2001:db8::7]:8377", "[2001:DB8::7]:8377", true},
		{"[2001:db8::7]:8377", "2001:db8::7", false},
		{"127.0.0.1:8377", "0.0.0.0:8377", false},
		{"127.0.0.1:8377", "[::]:8377", false},
		{"127.0.0.1:8377", "127.1:8377", false},
		{"127.0.0.1:8377", "localhost:x", false},
		{"127.0.0.1:8377", "localhost.example", false},
		{"127.0.0.1:8377", "", false},
	}
	for _, test := range tests {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = test.host
		local := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(test.local))
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(local)))
		if got := (hosts{}).allow(r); got != test.want {
			t.Errorf("%s called as %s: %v", test.local, test.host, got)
		}
	}
}

// Without a list only localhost and addresses are hosts: no name that
// somebody could point here.
func FuzzHost(f *testing.F) {
	for _, host := range []string{"localhost", "LOCALHOST.:80", "[::1]:1", "127.0.0.1", "localhost.evil.example", "::1", "[::ffff:127.0.0.1]", "0", "%", "a:b:c"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		r := &http.Request{Host: host}
		if !(hosts{}).allow(r) {
			return
		}
		name := strings.ToLower(host)
		if n, _, err := net.SplitHostPort(name); err == nil {
			name = n
		}
		name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"), ".")
		address, err := netip.ParseAddr(name)
		if name != "localhost" && (err != nil || !address.Unmap().IsLoopback()) {
			t.Errorf("%q is allowed", host)
		}
	})
}

func TestTwoOriginsAreRefused(t *testing.T) {
	g, err := New(Options{AllowedOrigins: []string{"https://a.example"}})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "http://localhost/", nil)
	r.Header["Origin"] = []string{"https://a.example", "https://evil.example"}
	w := httptest.NewRecorder()
	g.Front(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("let through") })).ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("status %d", w.Code)
	}
}

func TestPeer(t *testing.T) {
	tests := []struct {
		name, remote string
		forwarded    []string
		behindProxy  bool
		want         string
	}{
		{"IPv4", "192.0.2.1:5", nil, false, "192.0.2.1"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:5", nil, false, "192.0.2.1"},
		{"IPv6 is its network", "[2001:db8:1:2:3:4:5:6]:5", nil, false, "2001:db8:1:2::"},
		{"link-local", "[fe80::1%eth0]:5", nil, false, "fe80::"},
		{"Unix socket", "@", nil, false, "invalid IP"},
		{"a forged header", "192.0.2.1:5", []string{"198.51.100.1"}, false, "192.0.2.1"},
		{"behind a proxy", "127.0.0.1:5", []string{"203.0.113.9, 198.51.100.1"}, true, "198.51.100.1"},
		{"behind a proxy that adds a line", "127.0.0.1:5", []string{"203.0.113.9", "198.51.100.1"}, true, "198.51.100.1"},
		{"behind a proxy that adds nothing", "127.0.0.1:5", nil, true, "127.0.0.1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := &Guard{behindProxy: test.behindProxy}
			r := &http.Request{RemoteAddr: test.remote, Header: http.Header{"X-Forwarded-For": test.forwarded}}
			if got := g.peer(r).String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestWaitDoublesAndIsForgotten(t *testing.T) {
	now := time.Unix(0, 0)
	b := newBackoff(func() time.Time { return now })
	peer, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for range freeFailures {
		if b.failed(peer) || b.wait(peer, "x") > 0 {
			t.Fatal("a free failure costs something")
		}
	}
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		if began := b.failed(peer); began != (i == 0) {
			t.Errorf("failure %d: waiting begins: %v", i, began)
		}
		if got := b.wait(peer, "x"); got != want*time.Second {
			t.Errorf("failure %d: wait %v, want %v", i, got, want*time.Second)
		}
	}
	if b.wait(other, "x") > 0 {
		t.Error("another peer has to wait")
	}
	now = now.Add(maxWait)
	if b.wait(peer, "x") > 0 {
		t.Error("the wait does not end")
	}
	now = now.Add(forgetAfter)
	b.failed(peer)
	if b.wait(peer, "x") > 0 {
		t.Error("old failures are not forgotten")
	}
}

func TestGoodTokenNeverWaitsNorHelpsOthers(t *testing.T) {
	b := newBackoff(time.Now)
	peer := netip.MustParseAddr("127.0.0.1")
	b.succeeded(peer, "good")
	for range freeFailures + 3 {
		b.failed(peer)
	}
	if b.wait(peer, "good") > 0 {
		t.Error("the good token has to wait")
	}
	b.succeeded(peer, "good")
	if b.wait(peer, "wrong") <= 0 {
		t.Error("a token known to be good has cleared the failures of others")
	}
	b.succeeded(peer, "new")
	if b.wait(peer, "wrong") > 0 {
		t.Error("the person who found the right token still has to wait")
	}
}

func TestMemoryOfTheBackoffIsBounded(t *testing.T) {
	b := newBackoff(time.Now)
	for i := range 3 * maxPeers {
		b.failed(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
		b.succeeded(netip.Addr{}, fmt.Sprint(i))
	}
	if len(b.peers) > maxPeers || len(b.good) > maxGood {
		t.Errorf("%d peers, %d tokens", len(b.peers), len(b.good))
	}
}

func TestErrorsOfVerify(t *testing.T) {
	tests := []struct {
		err        error
		status     int
		challenge  string
		retryAfter string
	}{
		{auth.ErrInvalid, 401, `Bearer error="invalid_token"`, ""},
		{errors.New("any other"), 401, `Bearer error="invalid_token"`, ""},
		{fmt.Errorf("wrapped: %w", auth.ErrScope), 403, `Bearer error="insufficient_scope"`, ""},
		{fmt.Errorf("wrapped: %w", auth.ErrUnavailable), 503, "", "5"},
	}
	for _, test := range tests {
		t.Run(test.err.Error(), func(t *testing.T) {
			g, err := New(Options{Verify: func(context.Context, string) (principal.Principal, error) {
				return principal.Principal{}, test.err
			}})
			if err != nil {
				t.Fatal(err)
			}
			h := g.Authenticate(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("let through") }))
			for range freeFailures { // only wrong tokens lead to waiting
				r := httptest.NewRequest(http.MethodPost, "/", nil)
				r.Header.Set("Authorization", "Bearer x")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != test.status || w.Header().Get("WWW-Authenticate") != test.challenge || w.Header().Get("Retry-After") != test.retryAfter {
					t.Fatalf("status %d, %v", w.Code, w.Header())
				}
			}
			peer := g.peer(httptest.NewRequest(http.MethodPost, "/", nil))
			if wrong := g.backoff.peers[peer].count > 0; wrong != (test.status == http.StatusUnauthorized) {
				t.Errorf("counted as wrong: %v", wrong)
			}
		})
	}
}

// A request that is refused costs Verify nothing, and one that passes carries
// its principal.
func TestVerifyIsCalledOnlyWithATokenInTime(t *testing.T) {
	calls := 0
	g, err := New(Options{Verify: func(_ context.Context, token string) (principal.Principal, error) {
		calls++
		if token != "good" {
			return principal.Principal{}, errors.New("no such token")
		}
		return principal.Principal{Name: "alice"}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	var passed []string
	h := g.Authenticate(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		passed = append(passed, principal.From(r.Context()).Name)
	}))
	send := func(authorization string) int {
		r := httptest.NewRequest(http.MethodPost, "/?access_token=good", nil)
		r.Header.Set("Authorization", authorization)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	for _, authorization := range []string{"", "good", "Basic good", "Bearer " + strings.Repeat("x", maxToken+1)} {
		if code := send(authorization); code != http.StatusUnauthorized {
			t.Errorf("%.20s: status %d", authorization, code)
		}
	}
	if calls != 0 {
		t.Errorf("Verify was called %d times without a token", calls)
	}
	for range 2 * freeFailures {
		send("Bearer bad")
	}
	if calls != freeFailures+1 {
		t.Errorf("Verify was called %d times for a peer that has to wait after %d", calls, freeFailures)
	}
	if send("Bearer new") != http.StatusTooManyRequests || len(passed) != 0 {
		t.Errorf("passed while waiting: %v", passed)
	}
}
