package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"whelk/internal/server/httpguard"
)

// Paths of the HTTP server. The last two are RFC 9728's for a resource at the
// root and at PathMCP.
const (
	PathMCP      = "/mcp"
	PathHealth   = "/healthz"
	PathReady    = "/readyz"
	pathMetadata = "/.well-known/oauth-protected-resource"
)

const (
	// defaultSessionIdle is how long a client may be silent before it has to
	// initialize again. Its executions are kept by the supervisor, not here.
	defaultSessionIdle = 30 * time.Minute

	// defaultMaxSessions costs about 20 MiB when all are in use.
	defaultMaxSessions = 1000

	// defaultMaxCalls is more than the commands that run at once by default,
	// with room for calls that wait for them.
	defaultMaxCalls = 256

	// defaultMaxBody is the limit that the SDK's own HTTP transport has.
	defaultMaxBody = 4 << 20

	// headerTimeout is for the head of a request and for a TLS handshake:
	// clients send either at once.
	headerTimeout = 10 * time.Second

	// bodyTimeout lets a body of the default limit through a slow line.
	bodyTimeout = 30 * time.Second

	// writeTimeout is how long a client may keep one write of an answer
	// waiting before it is taken to be gone.
	writeTimeout = 30 * time.Second

	// keepAliveTimeout is how long a connection without a request stays open.
	keepAliveTimeout = 2 * time.Minute

	// maxHeader, in bytes, holds the largest tokens in use several times.
	maxHeader = 64 << 10

	// spareConnections are those beyond one for each session and each call.
	spareConnections = 128
)

// HTTPOptions configure one HTTP server. Of the embedded Options it does not
// use In, Out, DrainEOF and MaxLine, which are stdio's. Only Listeners are
// required; the zero value of every other field has the meaning given there.
type HTTPOptions struct {
	Options

	// Listeners are what is served, see [Listen]. ServeHTTP closes them.
	Listeners []net.Listener

	// TLS is used on all listeners but Unix sockets, see [LoadTLS];
	// nil = none.
	TLS *tls.Config

	// AllowedHosts are the names that Host may carry besides loopback names
	// and the server's own address; with or without a port.
	AllowedHosts []string

	// AllowedOrigins are the web pages that may call, as scheme://host[:port];
	// none = no web page may.
	AllowedOrigins []string

	// Verify tells which principal holds a bearer token; nil = no token is
	// asked for.
	Verify httpguard.Verify

	// Metadata is the document of RFC 9728 that names the authorization
	// servers. It is served, and callers without a valid token are told where;
	// nil = none. Its Resource must be the URL of this server.
	Metadata *oauthex.ProtectedResourceMetadata

	// BehindProxy says that all requests come through a reverse proxy that
	// appends to X-Forwarded-For, and that TLS is the proxy's task.
	BehindProxy bool

	// SessionIdle is how long a session of the handshake era lives without a
	// call and without an open stream; zero = 30 min.
	SessionIdle time.Duration

	// MaxSessions bounds sessions and subscription streams together;
	// zero = 1000.
	MaxSessions int

	// MaxCalls bounds the calls in flight, and the bodies that are being read
	// at one time; zero = 256.
	MaxCalls int

	// MaxBody is the largest body accepted, in bytes; zero = 4 MiB.
	MaxBody int64

	// times are shorter in tests; zero = the constants above.
	times httpTimes
}

// httpTimes are how long a client may take: see headerTimeout, bodyTimeout and
// writeTimeout.
type httpTimes struct{ header, body, write time.Duration }

// ServeHTTP serves streamable HTTP until ctx is cancelled (which is what a
// signal should do) or a listener fails, and then shuts down in this order:
// new calls are refused, and the server is no longer ready; Shutdown runs; the
// calls it ended are answered; the contexts of calls still running are
// cancelled; sessions and connections are closed. All but Shutdown takes less
// than half a second.
//
// It returns nil after a cancel, and the error of a listener that failed, or
// of options that cannot be served.
func ServeHTTP(ctx context.Context, o HTTPOptions) error {
	o = o.withDefaults()
	e := newEndpoint(o)
	handler, err := e.handler(o)
	if err != nil {
		for _, l := range o.Listeners {
			_ = l.Close() // the other error counts
		}
		o.Shutdown()
		return err
	}
	base := context.WithoutCancel(ctx)
	server := newHTTPServer(base, o, handler)
	var serving sync.WaitGroup
	failures := make(chan error, len(o.Listeners))
	for _, l := range o.Listeners {
		serving.Go(func() {
			if err := serveListener(server, l); !errors.Is(err, http.ErrServerClosed) {
				failures <- fmt.Errorf("serve %s: %w", l.Addr(), err)
			}
		})
	}
	serving.Go(func() { e.sessions.expire(e.draining, o.SessionIdle) })
	select {
	case <-ctx.Done():
	case err = <-failures:
	}
	e.drain(o.Shutdown)
	closeServer(base, server, o.Logger)
	serving.Wait()
	e.sessions.join(closeGrace)
	return err
}

func (o HTTPOptions) withDefaults() HTTPOptions {
	o.Options = o.Options.withDefaults()
	if o.SessionIdle == 0 {
		o.SessionIdle = defaultSessionIdle
	}
	if o.MaxSessions == 0 {
		o.MaxSessions = defaultMaxSessions
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = defaultMaxCalls
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.times == (httpTimes{}) {
		o.times = httpTimes{headerTimeout, bodyTimeout, writeTimeout}
	}
	return o
}

// handler returns what every request passes: time limits, the guard, and then
// the path that it asks for.
func (e *endpoint) handler(o HTTPOptions) (http.Handler, error) {
	metadataURL, err := metadataURL(o.Metadata)
	if err != nil {
		return nil, err
	}
	guard, err := httpguard.New(httpguard.Options{
		AllowedHosts: o.AllowedHosts, AllowedOrigins: o.AllowedOrigins, Verify: o.Verify,
		MetadataURL: metadataURL, BehindProxy: o.BehindProxy, Logger: o.Logger,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(PathMCP, guard.Authenticate(e))
	mux.HandleFunc(PathHealth, healthy)
	mux.HandleFunc(PathReady, e.ready)
	if o.Metadata != nil {
		document := auth.ProtectedResourceMetadataHandler(o.Metadata)
		mux.Handle(pathMetadata, document)
		mux.Handle(pathMetadata+PathMCP, document)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		httpguard.Refuse(w, http.StatusNotFound, "there is nothing here: MCP is at "+PathMCP)
	})
	return limitReads(guard.Front(mux), o.times.body), nil
}

// limitReads bounds the time for reading a body, whoever reads it: also the
// HTTP server itself, when a refused request's body is still to come.
func limitReads(next http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setReadDeadline(w, limit)
		next.ServeHTTP(w, r)
	})
}

func newHTTPServer(base context.Context, o HTTPOptions, handler http.Handler) *http.Server {
	connections := &connectionLimit{max: o.MaxSessions + o.MaxCalls + spareConnections}
	return &http.Server{
		Handler:           handler,
		TLSConfig:         o.TLS,
		ReadHeaderTimeout: o.times.header,
		IdleTimeout:       keepAliveTimeout,
		MaxHeaderBytes:    maxHeader,
		// Not one for writing: streams last. Each write has its own limit.
		ConnState:   connections.changed,
		BaseContext: func(net.Listener) context.Context { return base },
		// What it logs are mishaps of clients.
		ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
	}
}

func serveListener(server *http.Server, l net.Listener) error {
	if server.TLSConfig == nil || l.Addr().Network() == "unix" {
		return server.Serve(l)
	}
	return server.ServeTLS(l, "", "")
}

// drain ends the service of calls, in the order that ServeHTTP promises.
func (e *endpoint) drain(shutdown func()) {
	close(e.draining)
	e.calls.refuseNew()
	shutdown()
	e.calls.end(errEnding, func(c *call) bool { return c.method == methodListen })
	await(answerGrace, e.calls.idle(), nil)
	e.log.Debug("closing", "unanswered", e.calls.count())
	e.calls.end(errEnding, func(*call) bool { return true })
	e.sessions.closeAll()
}

// closeServer closes the connections: those in use get a moment to be done.
func closeServer(ctx context.Context, server *http.Server, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, closeGrace)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		log.Debug("closing connections in use", "error", err)
		_ = server.Close() // of the listeners, which are closed
	}
}

// connectionLimit keeps connections from using up all file descriptors, which
// commands need as well. Those over the limit are closed at once.
type connectionLimit struct {
	max int

	mu   sync.Mutex // guards the field below
	open int
}

func (l *connectionLimit) changed(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateNew:
		l.open++
		if l.open > l.max {
			_ = c.Close() // is noticed, and counted, by the server
		}
	case http.StateClosed, http.StateHijacked:
		l.open--
	case http.StateActive, http.StateIdle:
	}
}
