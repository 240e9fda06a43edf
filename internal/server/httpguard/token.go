package httpguard

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"whelk/internal/auth"
	"whelk/internal/principal"
)

// unavailableRetry is long enough for a key server to come back.
const unavailableRetry = 5 * time.Second

// maxToken, in bytes, is more than any token in use has; a longer one is not
// given to Verify.
const maxToken = 16 << 10

// Authenticate lets a request pass whose bearer token is valid, and puts the
// principal into its context. Without Verify all pass, as the zero principal.
func (g *Guard) Authenticate(next http.Handler) http.Handler {
	if g.verify == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := bearerToken(r)
		if token == "" {
			g.refuseToken(w, "", "a bearer token is needed: send it as Authorization: Bearer TOKEN")
			return
		}
		peer := g.peer(r)
		if wait := g.backoff.wait(peer, token); wait > 0 {
			RefuseFor(w, http.StatusTooManyRequests, wait,
				"too many wrong tokens came from this address: wait as long as Retry-After says, then send the right one")
			return
		}
		who, err := g.verify(r.Context(), token)
		switch {
		case errors.Is(err, auth.ErrUnavailable): // the verifier has logged why
			RefuseFor(w, http.StatusServiceUnavailable, unavailableRetry, "the token cannot be checked at the moment: try again")
			return
		case errors.Is(err, auth.ErrScope):
			g.challengeWith(w, `error="insufficient_scope"`)
			Refuse(w, http.StatusForbidden, "the bearer token is valid, but not for this server: ask for one with the scope that it needs")
			return
		case err != nil:
			g.log.Debug("refused a token", "peer", peer)
			if g.backoff.failed(peer) {
				g.log.Warn("too many wrong tokens: this address has to wait", "peer", peer)
			}
			g.refuseToken(w, `error="invalid_token"`, "the bearer token is not valid: send one that this server has issued and that has not expired")
			return
		}
		g.backoff.succeeded(peer, token)
		next.ServeHTTP(w, r.WithContext(principal.With(r.Context(), who)))
	})
}

// bearerToken returns the token of a request, "" if it has none. A token in
// the query is none: addresses end up in logs.
func bearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || len(token) > maxToken || strings.ContainsAny(token, " \t,") {
		return ""
	}
	return token
}

// challenge returns the part of WWW-Authenticate that every refusal has.
func challenge(metadataURL string) string {
	if metadataURL == "" {
		return "Bearer"
	}
	return fmt.Sprintf("Bearer resource_metadata=%q", metadataURL)
}

func (g *Guard) refuseToken(w http.ResponseWriter, failure, message string) {
	g.challengeWith(w, failure)
	Refuse(w, http.StatusUnauthorized, message)
}

// challengeWith tells where tokens come from, and what was wrong with the one
// that was sent, if anything.
func (g *Guard) challengeWith(w http.ResponseWriter, failure string) {
	value := g.challenge
	if failure != "" {
		separator := " "
		if strings.Contains(value, " ") {
			separator = ", "
		}
		value += separator + failure
	}
	w.Header().Set("WWW-Authenticate", value)
}

// peer returns the address of whoever sent a request; of IPv6 the network that
// one customer usually has. It is the zero value on a Unix socket. Behind a
// proxy only the last entry of X-Forwarded-For is the proxy's own.
func (g *Guard) peer(r *http.Request) netip.Addr {
	text := r.RemoteAddr
	if g.behindProxy {
		if forwarded := r.Header.Values("X-Forwarded-For"); len(forwarded) > 0 {
			last := forwarded[len(forwarded)-1]
			text = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
		}
	}
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	address = address.Unmap().WithZone("")
	if address.Is6() {
		network, _ := address.Prefix(64) // in range
		address = network.Addr()
	}
	return address
}
