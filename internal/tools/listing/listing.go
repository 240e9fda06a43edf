// Package listing owns which tools of a set a caller is shown, and in which order:
// the most important one first, as the set declares them, where the protocol's
// library would list them by the alphabet, and none to a principal that may not use
// the set. Tool sets call it when they register their tools.
//
// Invariants: to whom a set is forbidden its tools do not exist, in a list or in a
// call. Tools of other sets come after those of the set, in the order that they had.
package listing

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/principal"
)

// Of lists the tools of a set in the order of names.
func Of(set string, names []string) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			permitted := principal.From(ctx).MayUse(set)
			if call, ok := request.GetParams().(*mcp.CallToolParamsRaw); ok && !permitted && slices.Contains(names, call.Name) {
				// As the library answers a name that it does not know.
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", call.Name)}
			}
			result, err := next(ctx, method, request)
			if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
				list.Tools = arrange(list.Tools, names, permitted)
			}
			return result, err
		}
	}
}

// arrange puts the tools that names has in front, in its order, or leaves them out.
func arrange(tools []*mcp.Tool, names []string, permitted bool) []*mcp.Tool {
	place := func(t *mcp.Tool) int {
		if i := slices.Index(names, t.Name); i >= 0 {
			return i
		}
		return len(names)
	}
	if !permitted {
		return slices.DeleteFunc(tools, func(t *mcp.Tool) bool { return place(t) < len(names) })
	}
	slices.SortStableFunc(tools, func(a, b *mcp.Tool) int { return place(a) - place(b) })
	return tools
}
