// Package httpguard stands in front of every HTTP handler of the server. It
// owns the checks that need no knowledge of the protocol behind it: which
// names the server answers to, which web pages may call it, and who is
// calling.
//
// Words. A host is the name in a request's Host header; checking it is what
// stops DNS rebinding, since a rebound page still sends its own name. An
// origin is the scheme, name and port of the web page that makes a request;
// only browsers send one. A peer is the address that a request came from. A
// refusal is an answer that says what was wrong with a request and what to do.
//
// Invariants. Checks run in the order Host, Origin, token, and a request that
// fails one reaches nothing behind it. A refusal is a JSON-RPC error without
// an id. No header of a request is repeated in a refusal, and no token is
// logged. Memory is bounded whatever peers send.
package httpguard

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"whelk/internal/principal"
)

// Verify tells who holds a bearer token, as those of package auth do. It is
// called concurrently. An error refuses the token; auth.ErrUnavailable and
// auth.ErrScope say that it is not a wrong one. Verify must compare in constant
// time; the guard adds nothing that depends on the token.
type Verify func(ctx context.Context, token string) (principal.Principal, error)

// Options configure a [Guard].
type Options struct {
	// AllowedHosts are names, or names with a port, that requests may carry
	// in Host besides loopback names and the address they were sent to. A name
	// without a port stands for any port.
	AllowedHosts []string

	// AllowedOrigins are the web pages that may call, as scheme://host[:port].
	// None by default: requests of browsers are refused.
	AllowedOrigins []string

	// Verify checks bearer tokens; nil = none are asked for.
	Verify Verify

	// MetadataURL is where the document of RFC 9728 is; it is named to callers
	// without a valid token. "" = there is none.
	MetadataURL string

	// BehindProxy says that every request comes through a proxy that appends
	// the address of its client to X-Forwarded-For.
	BehindProxy bool

	// Logger receives what the operator should know; nil = discard.
	Logger *slog.Logger
}

// A Guard checks requests. It is safe for concurrent use.
type Guard struct {
	hosts       hosts
	origins     map[string]bool
	verify      Verify
	challenge   string
	behindProxy bool
	backoff     *backoff
	log         *slog.Logger
}

// New returns a guard. It fails for an entry of a list that could match
// nothing.
func New(o Options) (*Guard, error) {
	hosts, err := parseHosts(o.AllowedHosts)
	if err != nil {
		return nil, err
	}
	origins, err := parseOrigins(o.AllowedOrigins)
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Guard{
		hosts: hosts, origins: origins, verify: o.Verify, challenge: challenge(o.MetadataURL),
		behindProxy: o.BehindProxy, backoff: newBackoff(time.Now), log: o.Logger,
	}, nil
}

// Front checks where a request was sent to and which page sent it, and answers
// the questions that browsers ask before they send one.
func (g *Guard) Front(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.hosts.allow(r) {
			g.log.Debug("refused a request for another host", "peer", r.RemoteAddr)
			Refuse(w, http.StatusForbidden, "the Host header names no host that this server answers to: "+
				"call it by localhost or its address, or add the name to the allowed hosts")
			return
		}
		if g.refuseOrigin(w, r) {
			return
		}
		next.ServeHTTP(w, r)
	})
}
