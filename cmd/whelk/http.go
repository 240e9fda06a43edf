package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"whelk/internal/auth"
	"whelk/internal/config"
	"whelk/internal/server"
)

// serveHTTP serves clients over HTTP until ctx ends.
func (h *house) serveHTTP(ctx context.Context, c *config.Config) error {
	o := server.HTTPOptions{
		Options:      h.options(),
		AllowedHosts: c.AllowedHosts, AllowedOrigins: c.AllowedOrigins, BehindProxy: c.BehindProxy,
		SessionIdle: c.SessionIdle, MaxSessions: c.MaxSessions, MaxCalls: c.MaxCalls,
	}
	tokens, err := h.authenticate(ctx, c, &o)
	if err != nil {
		return err
	}
	if tokens != nil {
		defer tokens.Close()
	}
	if err := useTLS(c, &o); err != nil {
		return err
	}
	listener, err := server.Listen(ctx, c.Listen, o)
	var unsafe *server.UnsafeBindError
	switch {
	case errors.As(err, &unsafe):
		return &usageError{err}
	case err != nil:
		return fmt.Errorf("listen on %s: %w", c.Listen, err)
	}
	o.Listeners = []net.Listener{listener}
	fmt.Fprintf(os.Stderr, "whelk serves MCP at %s\n", endpointURL(listener.Addr(), o.TLS != nil))
	return server.ServeHTTP(ctx, o)
}

// endpointURL is what clients are configured with.
func endpointURL(address net.Addr, encrypted bool) string {
	switch {
	case address.Network() == "unix":
		return config.SocketPrefix + address.String() + " (" + server.PathMCP + ")"
	case encrypted:
		return "https://" + address.String() + server.PathMCP
	}
	return "http://" + address.String() + server.PathMCP
}

// useTLS reads the certificates.
func useTLS(c *config.Config, o *server.HTTPOptions) error {
	switch {
	case c.TLSCert == "" && c.TLSKey == "" && c.TLSClientCA == "":
		return nil
	case c.TLSCert == "" || c.TLSKey == "":
		return usagef("TLS takes both tls-cert and tls-key")
	}
	tls, err := server.LoadTLS(c.TLSCert, c.TLSKey, c.TLSClientCA)
	if err != nil {
		return &usageError{err}
	}
	o.TLS = tls
	return nil
}

// authenticate finds out who may call. The tokens it returns are to be closed;
// they are nil where others are asked for.
func (h *house) authenticate(ctx context.Context, c *config.Config, o *server.HTTPOptions) (*auth.Tokens, error) {
	switch c.Auth {
	case config.AuthNone:
		fmt.Fprintln(os.Stderr, "whelk: WARNING: auth is none: everybody who can reach the address runs commands as this user")
		return nil, nil
	case config.AuthJWT:
		return nil, h.authenticateJWT(ctx, c, o)
	}
	path, err := auth.EnsureDefault(c.StateDir)
	if err != nil {
		return nil, err
	}
	if path != "" {
		fmt.Fprintf(os.Stderr, "whelk asks for a bearer token: that of %s, or one of `whelk token`\n", path)
	}
	tokens, err := auth.NewTokens(auth.TokensOptions{Dir: c.StateDir, Base: policyBase(), Logger: h.log})
	if err != nil {
		return nil, err
	}
	o.Verify = tokens.Verify
	return tokens, nil
}

func (h *house) authenticateJWT(ctx context.Context, c *config.Config, o *server.HTTPOptions) error {
	if c.JWTIssuer == "" || c.JWTAudience == "" || c.JWTKeys == "" {
		return usagef("auth jwt takes jwt-issuer, jwt-audience and jwt-keys")
	}
	tokens, err := auth.NewJWT(ctx, auth.JWTOptions{
		Issuer: c.JWTIssuer, Audience: c.JWTAudience, Keys: c.JWTKeys, Scope: c.JWTScope, Logger: h.log,
	})
	if err != nil {
		return &usageError{err}
	}
	o.Verify = tokens.Verify
	// RFC 9728 wants the URL of the server; an audience may be any text.
	if resource, err := url.Parse(c.JWTAudience); err == nil && strings.HasPrefix(resource.Scheme, "http") && resource.Host != "" {
		o.Metadata = &oauthex.ProtectedResourceMetadata{
			Resource: c.JWTAudience, AuthorizationServers: []string{c.JWTIssuer},
			BearerMethodsSupported: []string{"header"}, ResourceName: "whelk",
		}
		if c.JWTScope != "" {
			o.Metadata.ScopesSupported = []string{c.JWTScope}
		}
	}
	return nil
}
