package server

import (
	"bytes"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// firstStateless is the first protocol version without a handshake.
	firstStateless = "2026-07-28"

	// lastHandshake is the last version that initialize can agree on.
	lastHandshake = "2025-11-25"

	// versionKey, in the _meta of a request, names the version it is made in.
	versionKey = "io.modelcontextprotocol/protocolVersion"
)

// sessionFor returns the session of the era that a request is made in.
//
// One connection serves both eras, because clients probe with server/discover
// and may still initialize afterwards. The SDK keeps one client identity and
// version for each of its sessions and lets only the first request set it
// (hence its `duplicate "initialize"`), so each era gets a session of its own.
func (s *stream) sessionFor(m message) *session {
	if requestVersion(m.params) >= firstStateless {
		return s.stateless
	}
	return s.handshake
}

// requestVersion returns the protocol version that the params of a request
// name, "" if they name none.
func requestVersion(params []byte) string {
	// The key may be written with its slash escaped, so only its end is
	// looked for; nearly all params of the handshake era are done with here.
	if !bytes.Contains(params, []byte(`protocolVersion"`)) {
		return ""
	}
	var meta, version []byte
	for name, value := range members(params) {
		if name == "_meta" {
			meta = value
		}
	}
	for name, value := range members(meta) {
		if name == versionKey {
			version = value
		}
	}
	if len(version) == 0 || version[0] != '"' {
		return ""
	}
	return unquote(version)
}

// capHandshake is middleware for a client that initializes with a version
// after lastHandshake. The SDK answers such a client with lastHandshake, but
// then treats it by the version that it asked for.
func capHandshake(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if p, ok := req.GetParams().(*mcp.InitializeParams); ok && p.ProtocolVersion > lastHandshake {
			p.ProtocolVersion = lastHandshake
		}
		return next(ctx, method, req)
	}
}
