package listing

import (
	"context"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/principal"
)

// ask runs the middleware of two sets over a server that lists by the alphabet and
// answers every call.
func ask(t *testing.T, who principal.Principal, method string, request mcp.Request) (mcp.Result, error) {
	t.Helper()
	handler := mcp.MethodHandler(func(_ context.Context, method string, _ mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			var tools []*mcp.Tool
			for _, name := range []string{"a", "b", "c", "other", "x", "y"} {
				tools = append(tools, &mcp.Tool{Name: name})
			}
			return &mcp.ListToolsResult{Tools: tools}, nil
		}
		return &mcp.CallToolResult{}, nil
	})
	for _, set := range []mcp.Middleware{Of("second", []string{"y", "x"}), Of("first", []string{"c", "a", "b"})} {
		handler = set(handler)
	}
	return handler(principal.With(t.Context(), who), method, request)
}

func TestToolsAreInTheOrderOfTheirSets(t *testing.T) {
	tests := []struct {
		name  string
		tools []string // of the principal
		want  []string
	}{
		{"all sets", nil, []string{"c", "a", "b", "y", "x", "other"}},
		{"one set", []string{"second"}, []string{"y", "x", "other"}},
		{"no set", []string{}, []string{"other"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result, err := ask(t, principal.Principal{Tools: test.tools}, "tools/list", &mcp.ListToolsRequest{Params: &mcp.ListToolsParams{}})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range result.(*mcp.ListToolsResult).Tools {
				names = append(names, tool.Name)
			}
			if !slices.Equal(names, test.want) {
				t.Errorf("%q, want %q", names, test.want)
			}
		})
	}
}

func TestAToolOfAForbiddenSetIsUnknown(t *testing.T) {
	who := principal.Principal{Tools: []string{"first"}}
	for name, known := range map[string]bool{"a": true, "x": false, "other": true} {
		_, err := ask(t, who, "tools/call", &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name}})
		if (err == nil) != known {
			t.Errorf("%s: %v", name, err)
		}
	}
}
