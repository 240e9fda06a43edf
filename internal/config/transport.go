package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The values of the option transport.
const (
	TransportStdio = "stdio"
	TransportHTTP  = "http"
)

// The values of the option auth.
const (
	AuthToken = "token"
	AuthJWT   = "jwt"
	AuthNone  = "none"
)

// SocketPrefix begins an address of the option listen that is a Unix socket.
const SocketPrefix = "unix:"

// transportOptions say how clients reach the server, and who may.
func transportOptions() []Option {
	return []Option{{
		Name: "transport", Kind: TransportStdio + "|" + TransportHTTP, Default: TransportStdio,
		Doc:   "how clients reach the server: standard input and output, or streamable HTTP at the path /mcp",
		apply: choice(func(c *Config) *string { return &c.Transport }, TransportStdio, TransportHTTP),
	}, {
		Name: "listen", Kind: "host:port|unix:path", Default: "127.0.0.1:8377",
		Doc:   "address for HTTP, or unix: and the path of a socket; beyond loopback it takes authentication, and TLS or behind-proxy",
		apply: applyListen,
	}, {
		Name: "auth", Kind: AuthToken + "|" + AuthJWT + "|" + AuthNone, Default: AuthToken,
		Doc:   "who may call over HTTP: holders of a token that whelk token made, of a JWT, or everybody who can reach a loopback address",
		apply: choice(func(c *Config) *string { return &c.Auth }, AuthToken, AuthJWT, AuthNone),
	}, {
		Name: "jwt-issuer", Kind: "URL",
		Doc:   "issuer that a JWT must name",
		apply: applyURL(func(c *Config) *string { return &c.JWTIssuer }),
	}, {
		Name: "jwt-audience", Kind: "text",
		Doc:   "audience that a JWT must name: the URL by which clients know this server",
		apply: text(func(c *Config) *string { return &c.JWTAudience }),
	}, {
		Name: "jwt-keys", Kind: "file|URL",
		Doc:   "key set (JWKS) that a JWT must be signed by: a file, or an https URL",
		apply: text(func(c *Config) *string { return &c.JWTKeys }),
	}, {
		Name: "jwt-scope", Kind: "text",
		Doc:   "scope that a JWT must have; empty is any",
		apply: text(func(c *Config) *string { return &c.JWTScope }),
	}, {
		Name: "tls-cert", Kind: "file",
		Doc:   "certificate chain (PEM) for HTTPS, with tls-key",
		apply: applyReadable(func(c *Config) *string { return &c.TLSCert }),
	}, {
		Name: "tls-key", Kind: "file",
		Doc:   "private key (PEM) of tls-cert",
		apply: applyReadable(func(c *Config) *string { return &c.TLSKey }),
	}, {
		Name: "tls-client-ca", Kind: "file",
		Doc:   "certificates (PEM) by one of which a client's own must be signed; empty asks clients for none",
		apply: applyReadable(func(c *Config) *string { return &c.TLSClientCA }),
	}, {
		Name: "behind-proxy", Kind: kindSwitch, Default: "false",
		Doc:   "a proxy in front of the server ends TLS, so that it may listen beyond loopback without",
		apply: boolean(func(c *Config) *bool { return &c.BehindProxy }),
	}, {
		Name: "allowed-hosts", Kind: "host[:port]", Repeated: true,
		Doc:   "name by which clients may call the server over HTTP, besides those of loopback and of listen",
		apply: applyHost,
	}, {
		Name: "allowed-origins", Kind: "origin", Repeated: true,
		Doc:   "origin whose web pages may call the server, such as https://example.org; none is the default",
		apply: applyOrigin,
	}, {
		Name: "session-idle", Kind: "duration", Default: "30m",
		Doc:   "time after which an HTTP session without a request is forgotten, from 10s; its executions live on",
		apply: duration(func(c *Config) *time.Duration { return &c.SessionIdle }, 10*time.Second, noDurationLimit),
	}, {
		Name: "max-sessions", Kind: "number", Default: "1000",
		Doc:   "most HTTP sessions at once, 1 or more",
		apply: number(func(c *Config) *int { return &c.MaxSessions }, 1),
	}, {
		Name: "max-calls", Kind: "number", Default: "256",
		Doc:   "most HTTP requests that are worked on at once, 1 or more",
		apply: number(func(c *Config) *int { return &c.MaxCalls }, 1),
	}}
}

// text reads any text without a line break.
func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, text string) error {
		if strings.ContainsAny(text, "\x00\n") {
			return errors.New("it holds a NUL byte or a line break")
		}
		*field(c) = text
		return nil
	}
}

// applyListen keeps an address as it is written, the path of a socket absolute.
func applyListen(c *Config, text string) error {
	if path, ok := strings.CutPrefix(text, SocketPrefix); ok {
		if path == "" {
			return errors.New("it has no path; write unix: and the path of a socket")
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("the server's own directory is not found (%w); write an absolute path", err)
		}
		c.Listen = SocketPrefix + abs
		return nil
	}
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return errors.New("it is no address; write host:port such as 127.0.0.1:8377, or unix: and the path of a socket")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return errors.New("its port is none; write a number from 0 (any free one) to 65535")
	}
	c.Listen = text
	return nil
}

func applyURL(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, text string) error {
		if text == "" { // the default
			return nil
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme == "" || u.Host == "" {
			return errors.New("it is no URL; write one such as https://example.org")
		}
		*field(c) = text
		return nil
	}
}

// applyReadable keeps the absolute path of a file that can be opened now.
func applyReadable(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, text string) error {
		if text == "" { // the default
			return nil
		}
		path, err := filepath.Abs(text)
		if err != nil {
			return fmt.Errorf("the server's own directory is not found (%w); write an absolute path", err)
		}
		f, err := os.Open(path)
		if err != nil {
			if named, ok := errors.AsType[*fs.PathError](err); ok {
				err = named.Err // the path stands in the Error already
			}
			return fmt.Errorf("it cannot be read: %w", err)
		}
		*field(c) = path
		return f.Close()
	}
}

// applyHost reads a host, with or without a port, as the Host header has it.
func applyHost(c *Config, text string) error {
	u, err := url.Parse("//" + text)
	if err != nil || text == "" || u.Host != text || u.Hostname() == "" || strings.Contains(text, "*") {
		return errors.New("it is no host; write a name or an address, with a port if it is not any, such as whelk.example.org or 10.0.0.5:8377")
	}
	c.AllowedHosts = append(c.AllowedHosts, strings.ToLower(text))
	return nil
}

// applyOrigin reads an origin as browsers send it. There is no way to allow all.
func applyOrigin(c *Config, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != text || strings.Contains(text, "*") {
		return errors.New("it is no origin; write scheme and host, with a port if it is not the usual one, such as https://example.org")
	}
	c.AllowedOrigins = append(c.AllowedOrigins, strings.ToLower(text))
	return nil
}
