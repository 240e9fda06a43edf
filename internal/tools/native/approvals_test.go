package native

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/principal"
)

func TestApprovalHoldsForThePrincipalThatWasAsked(t *testing.T) {
	ann := principal.With(t.Context(), principal.Principal{ID: "1", Name: "ann"})
	bob := principal.With(t.Context(), principal.Principal{ID: "2", Name: "bob"})
	call := func(state string) *mcp.CallToolRequest {
		return &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{
			Name: "execute", Arguments: json.RawMessage(`{"command":"x"}`), RequestState: state,
			InputResponses: mcp.InputResponseMap{questionID: &mcp.ElicitResult{Action: "accept", Content: map[string]any{questionID: approveRun}}},
		}}
	}
	a := newApprovals()
	if state := a.pose(ann, call("")); a.granted(bob, call(state)) {
		t.Error("bob answers the question that ann was asked")
	}
	if state := a.pose(ann, call("")); !a.granted(ann, call(state)) {
		t.Fatal("ann's answer does not count")
	}
	if !a.granted(ann, call("")) {
		t.Error("ann's answer does not hold for the run of the server")
	}
	if a.granted(bob, call("")) || a.granted(t.Context(), call("")) {
		t.Error("ann's answer holds for others")
	}
}
