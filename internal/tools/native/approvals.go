package native

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/principal"
)

// approvalTime is how long a person may take to answer. The command that was
// shown may mean something else later.
const approvalTime = 5 * time.Minute

// The answers that a person can give, besides declining.
const (
	approveOnce = "once"
	approveRun  = "for this run of the server"
)

// approvals are the questions that wait for a person, and the answers that
// hold for the run of the server. A question is about the arguments of one call,
// byte for byte, by one principal.
type approvals struct {
	mu      sync.Mutex // guards the fields below
	pending map[string]question
	always  map[[sha256.Size]byte]bool
}

type question struct {
	about [sha256.Size]byte
	asked time.Time
}

func newApprovals() *approvals {
	return &approvals{pending: make(map[string]question), always: make(map[[sha256.Size]byte]bool)}
}

// about names what a call wants to run, and for whom.
func about(ctx context.Context, request *mcp.CallToolRequest) [sha256.Size]byte {
	who := principal.From(ctx).Identity()
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %s", who.ID, who.Name, request.Params.Name, request.Params.Arguments))
}

// granted reports whether a person has agreed to this very call: just now, in
// the answer that the call brings, or for the run of the server.
func (a *approvals) granted(ctx context.Context, request *mcp.CallToolRequest) bool {
	if request.Params == nil {
		return false
	}
	key := about(ctx, request)
	a.mu.Lock()
	defer a.mu.Unlock()
	q, asked := a.pending[request.Params.RequestState]
	delete(a.pending, request.Params.RequestState) // an answer counts once
	answer, ok := request.Params.InputResponses[questionID].(*mcp.ElicitResult)
	if !asked || !ok || q.about != key || time.Since(q.asked) > approvalTime || answer.Action != "accept" {
		return a.always[key]
	}
	switch answer.Content[questionID] {
	case approveRun:
		a.always[key] = true
		return true
	case approveOnce:
		return true
	}
	return a.always[key]
}

// pose enters a question and returns the state that its answer must bring.
func (a *approvals) pose(ctx context.Context, request *mcp.CallToolRequest) (state string) {
	state = rand.Text()
	a.mu.Lock()
	defer a.mu.Unlock()
	for old, q := range a.pending {
		if time.Since(q.asked) > approvalTime {
			delete(a.pending, old)
		}
	}
	a.pending[state] = question{about: about(ctx, request), asked: time.Now()}
	return state
}

// questionID names the question and its one field.
const questionID = "approval"

// ask turns an answer that needs a person's agreement into the question, or
// into a denial if the client cannot ask or the question has been answered.
func (s *set) ask(ctx context.Context, t *tool, request *mcp.CallToolRequest, a *answer) *mcp.CallToolResult {
	capabilities := request.ClientCapabilities()
	_, answered := request.Params.InputResponses[questionID]
	switch {
	case answered:
		return s.result(t, a.denied("The person who was asked has not agreed."))
	case capabilities == nil || capabilities.Elicitation == nil:
		return s.result(t, a.denied("This client cannot ask a person (it has no elicitation), so the answer is no."))
	}
	return &mcp.CallToolResult{
		RequestState: s.approvals.pose(ctx, request),
		InputRequests: mcp.InputRequestMap{questionID: &mcp.ElicitParams{
			Mode:            "form",
			Message:         a.ask,
			RequestedSchema: approvalSchema(),
		}},
	}
}

// denied makes the answer final.
func (a *answer) denied(why string) *answer {
	for i := range a.fields {
		switch a.fields[i].name {
		case "error":
			a.fields[i].value = why + " " + a.fields[i].value.(string)
		case "code":
			a.fields[i].value = string(execution.PolicyDenied)
		}
	}
	return a
}

// approvalMessage shows the person what exactly would run, where, and why that
// is asked. Of secrets it shows the names: the message passes through the client.
func (s *set) approvalMessage(ctx context.Context, request execution.Request, denial *policy.Denial) string {
	var b strings.Builder
	hide := s.sup.Redaction(request.Env)
	fmt.Fprintf(&b, "An agent wants to run a command that rule %s asks about: %s.\n\n", denial.Rule, strings.TrimSuffix(denial.Reason, "."))
	switch {
	case request.Command != nil:
		fmt.Fprintf(&b, "command   %s\n", hide(*request.Command))
	default:
		argv := slices.Clone(request.Argv)
		for i, arg := range argv {
			argv[i] = hide(arg)
		}
		fmt.Fprintf(&b, "argv      %q\n", argv)
	}
	if request.Input != "" {
		fmt.Fprintf(&b, "stdin     %q\n", hide(request.Input))
	}
	for _, name := range slices.Sorted(maps.Keys(request.Env)) {
		fmt.Fprintf(&b, "env       %s=%q\n", name, hide(request.Env[name]))
	}
	if request.Shell != "" {
		fmt.Fprintf(&b, "shell     %s\n", request.Shell)
	}
	if x, err := s.caller(ctx).Explain(request); err == nil {
		fmt.Fprintf(&b, "cwd       %s\nprograms  %s\n", hide(x.Dir), hide(strings.Join(x.Programs, ", ")))
	}
	return b.String()
}

func approvalSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"` + questionID + `":{"type":"string","title":"Run it?","enum":["` + approveOnce + `","` + approveRun + `"]}},"required":["` + questionID + `"]}`)
}
