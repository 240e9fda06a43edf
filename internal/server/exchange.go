package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/principal"
)

// errEnding is the cause of a context that ended because the server does.
var errEnding = errors.New("the server is shutting down")

// An exchange is one HTTP request of the protocol with its answer. The SDK
// runs a call of the handshake era in the context of its session, not of the
// HTTP request, so the exchange travels with the call in the only other thing
// that the SDK hands through: the information about the token.
type exchange struct {
	principal principal.Principal
	call      *call        // nil for a notification or a response
	session   *httpSession // nil in the stateless era, and for initialize

	// client is done when the client has gone or has its answer.
	client context.Context

	done func() // gives back what the exchange holds, when all work on it is over
}

type exchangeContext struct{}

// exchangeKey is the exchange's place in the extras of a token.
const exchangeKey = "whelk.exchange"

// carry gives a handler of the SDK the exchange of a request. What the SDK
// takes for the token is not: the real one stops here, so that no tool sees
// it.
func carry(next http.Handler) func(http.ResponseWriter, *http.Request, *exchange) {
	verify := func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		x, ok := ctx.Value(exchangeContext{}).(*exchange)
		if !ok {
			return nil, auth.ErrInvalidToken
		}
		// That a session is its principal's own has been checked by now.
		return &auth.TokenInfo{Extra: map[string]any{exchangeKey: x}}, nil
	}
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Authorization")
		next.ServeHTTP(w, r)
	})
	handler := auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(bare)
	return func(w http.ResponseWriter, r *http.Request, x *exchange) {
		r = r.WithContext(context.WithValue(r.Context(), exchangeContext{}, x))
		r.Header = r.Header.Clone()
		r.Header.Set("Authorization", "Bearer exchange")
		handler.ServeHTTP(w, r)
	}
}

// exchangeOf returns the exchange that a request of the SDK came in.
func exchangeOf(extra *mcp.RequestExtra) *exchange {
	if extra == nil || extra.TokenInfo == nil {
		return nil
	}
	x, _ := extra.TokenInfo.Extra[exchangeKey].(*exchange)
	return x
}

// callOf is the find of HTTP's traffic.
func callOf(extra *mcp.RequestExtra) *call {
	if x := exchangeOf(extra); x != nil {
		return x.call
	}
	return nil
}

// attend is middleware that tells tools who is calling, keeps what a call
// holds until its handler is done even if the client has gone, and enters new
// sessions.
func (e *endpoint) attend(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		x := exchangeOf(req.GetExtra())
		if x == nil {
			return nil, errors.New("the request did not come through the server's endpoint")
		}
		ctx = context.WithValue(principal.With(ctx, x.principal), exchangeContext{}, x)
		if x.call == nil {
			return next(ctx, method, req)
		}
		if e.calls.hold(x.call) {
			defer e.release(x)
		}
		result, err := next(ctx, method, req)
		session, ok := req.GetSession().(*mcp.ServerSession)
		if err == nil && method == methodInitialize && (!ok || !e.sessions.add(session, x.principal.Identity())) {
			return nil, shuttingDown()
		}
		return result, err
	}
}

// errLost is the cause of a question's end when nobody is there to answer it.
var errLost = errors.New("the client has gone")

// askWhileThere is middleware for what the server sends in the course of a
// call: a question to a client that has gone would wait for its answer forever.
// The call itself goes on.
func askWhileThere(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		x, ok := ctx.Value(exchangeContext{}).(*exchange)
		if !ok {
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		stop := context.AfterFunc(x.client, func() { cancel(errLost) })
		defer stop()
		return next(ctx, method, req)
	}
}

// release gives back one hold on an exchange's call.
func (e *endpoint) release(x *exchange) {
	if e.calls.release(x.call) {
		x.done()
	}
}
