// Package listing puts the tools of a list into the order of their set: the most
// important one first, as the set declares them, where the protocol's library would
// list them by the alphabet. Tool sets call it when they register their tools; tools
// of other sets come after those of the set, in the order that they had.
package listing

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// InOrder lists the tools in the order of names.
func InOrder(names []string) mcp.Middleware {
	place := func(t *mcp.Tool) int {
		if i := slices.Index(names, t.Name); i >= 0 {
			return i
		}
		return len(names)
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, request)
			if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
				slices.SortStableFunc(list.Tools, func(a, b *mcp.Tool) int { return place(a) - place(b) })
			}
			return result, err
		}
	}
}
