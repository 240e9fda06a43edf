// Package server speaks the Model Context Protocol: to one client over a pair
// of byte streams, or to many over streamable HTTP. It owns the wire: framing,
// sessions, ids, cancellation, progress, the encoding of results, and the
// order in which things end. It knows no tool; tool sets register themselves
// on the SDK's server.
//
// Words. A line is one JSON-RPC message on a stream, a body one over HTTP. A
// call is a request with an id that has not been answered yet. An era is one
// of the two ways in which clients use the protocol: the handshake era
// (initialize, up to 2025-11-25) and the stateless era (2026-07-28, each
// request carries its version). A session is the SDK's view of a client in one
// era; over HTTP only the handshake era has them. An exchange is one HTTP
// request with its answer.
//
// Invariants. Whatever arrives, the server lives until its input ends. Each
// call is answered exactly once, unless the client cancelled it: then never.
// Every line written is one complete JSON-RPC message. No lock is held over a
// write to the client except the one that keeps lines whole, so a client that
// stops reading stops only those who write to it. A client that is lost ends
// no call, and an execution belongs to a principal, never to a session.
//
// The command line calls [ServeStdio] or [ServeHTTP]; nothing else in the
// program may write to the stream given as Out.
package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// defaultProgress is short enough for clients whose idle limit for a
	// call is 60 s, with room for several lost notifications.
	defaultProgress = 5 * time.Second

	// defaultDrain leaves half a second of the two that clients give a
	// server between closing its input and sending SIGTERM.
	defaultDrain = 1500 * time.Millisecond

	// defaultMaxLine is the limit that the SDK's own stdio transport has.
	defaultMaxLine = 16 << 20

	// answerGrace is how long, after all executions are gone, calls may take
	// to turn that into an answer: encoding and writing, no more.
	answerGrace = 200 * time.Millisecond

	// closeGrace is how long goroutines may take to notice that their
	// context is cancelled and their streams are closed.
	closeGrace = 200 * time.Millisecond
)

// Options configure one server. Only In and Out are required; the zero value
// of every other field has the meaning given at the field.
type Options struct {
	// Name and Version are told to the client as the server's identity.
	Name, Version string

	// Instructions are told to the client; "" = none.
	Instructions string

	// Logger receives what the operator should know; nil = discard.
	Logger *slog.Logger

	// Tools register the tool sets, in order, with Server.AddTool. A tool
	// that panics while it runs is answered for with an internal error; one
	// that is registered wrongly panics here, before anything is served.
	Tools []func(*mcp.Server)

	// In and Out are the protocol's streams. ServeStdio takes them over:
	// those that are io.Closers are closed before it returns, which is also
	// what unblocks a read or write in progress.
	In  io.Reader
	Out io.Writer

	// Adjust changes the SDK's options before its server is made, for a server
	// that has more than tools; nil = leave them.
	Adjust func(*mcp.ServerOptions)

	// ProgressInterval is the time between two progress notifications of a
	// tool call that asked for them; zero = 5 s, negative = none.
	ProgressInterval time.Duration

	// ProgressIntervals are those of tools, by name, that have one of their
	// own; zero = ProgressInterval.
	ProgressIntervals map[string]time.Duration

	// DrainEOF is how long calls in flight may go on after the end of input;
	// zero = 1.5 s, negative = not at all.
	DrainEOF time.Duration

	// Shutdown ends all executions and returns when they are gone. It is
	// called exactly once, whatever ended the service; calls in flight are
	// still answered while it runs. nil = nothing to end.
	Shutdown func()

	// MaxLine is the longest line accepted, in bytes without its end;
	// zero = 16 MiB.
	MaxLine int
}

// ServeStdio serves one client until its input ends, it stops accepting
// output, or ctx is cancelled (which is what a signal should do), and then
// shuts down in this order: calls in flight may finish within DrainEOF (only
// after an end of input); Shutdown runs; the calls it ended are answered; the
// contexts of calls still running are cancelled; the streams are closed.
//
// It returns nil on these orderly ends, and an error if reading or writing
// failed in a way that does not just mean that the client has gone. It
// returns without waiting for a goroutine that blocks in a Read or Write
// which closing the stream does not interrupt, as with a standard input in
// blocking mode: such a goroutine lasts until the process ends. The same goes
// for a tool that ignores its cancelled context.
func ServeStdio(ctx context.Context, o Options) error {
	o = o.withDefaults()
	s := newStream(o)
	server := newServer(o, &s.traffic)
	for _, session := range []*session{s.handshake, s.stateless} {
		if _, err := server.Connect(context.WithoutCancel(ctx), session, nil); err != nil {
			return fmt.Errorf("connect session: %w", err)
		}
	}
	go s.readLines() // joined by close, where it can be
	s.awaitEnd(ctx, o.DrainEOF)
	s.calls.refuseNew()
	o.Shutdown()
	return s.close()
}

// newServer returns an SDK server with the tools and the middleware that
// every request passes.
func newServer(o Options, t *traffic) *mcp.Server {
	options := &mcp.ServerOptions{
		Instructions: o.Instructions,
		Logger:       o.Logger,
		// The tools do not change while the server runs, and there are no
		// logging, prompts or resources: clients are told exactly that.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	}
	if o.Adjust != nil {
		o.Adjust(options)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: o.Name, Version: o.Version}, options)
	for _, register := range o.Tools {
		register(server)
	}
	// After the tools, so that middleware a tool set brings is inside ours.
	server.AddReceivingMiddleware(
		recoverPanics(o.Logger),
		codeErrors,
		t.cancellable,
		t.encodeOnce,
		o.reportProgress(),
		fillArguments,
		capHandshake,
	)
	return server
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.ProgressInterval == 0 {
		o.ProgressInterval = defaultProgress
	}
	if o.DrainEOF == 0 {
		o.DrainEOF = defaultDrain
	}
	if o.Shutdown == nil {
		o.Shutdown = func() {}
	}
	if o.MaxLine == 0 {
		o.MaxLine = defaultMaxLine
	}
	return o
}
