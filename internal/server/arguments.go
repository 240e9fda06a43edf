package server

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fillArguments is middleware that gives a tool called without arguments the
// empty object, which is what clients that leave them out mean.
func fillArguments(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && len(present(p.Arguments)) == 0 {
			p.Arguments = json.RawMessage("{}")
		}
		return next(ctx, method, req)
	}
}
