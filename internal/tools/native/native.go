package native

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/execution"
	"whelk/internal/principal"
	"whelk/internal/tools/listing"
	"whelk/internal/tools/schema"
)

// Form is how results are written.
type Form uint8

const (
	Text       Form = iota // one status line, then the output as it is
	Structured             // a JSON object as structured content
	Both
)

// ParseForm returns the form of a name: text, structured or both.
func ParseForm(name string) (Form, error) {
	switch name {
	case "text":
		return Text, nil
	case "structured":
		return Structured, nil
	case "both":
		return Both, nil
	}
	return Text, fmt.Errorf("no such form of results: %q (text, structured or both)", name)
}

// Options configures the tool set.
type Options struct {
	Dialect   Dialect
	Form      Form          // of the native dialect
	Yield     time.Duration // of an execute that says nothing
	MaxYield  time.Duration // longest an execute waits, if that is less than MaxWait
	MaxWait   time.Duration // longest any call blocks
	MaxOutput int           // most bytes of output in one answer, and the default
}

// longestYield is the longest that an execute waits.
func (o Options) longestYield() time.Duration { return min(o.MaxYield, o.MaxWait) }

// tool is one tool: what clients see of it and what it does. Package schema
// makes the input schema and the decoding from the same declaration.
type tool struct {
	name, title, doc string
	schema.Tool

	readOnly, destructive, idempotent, openWorld bool // the hints

	call func(*set, context.Context, input) *answer
}

// input is what a call brings.
type input struct {
	schema.Args
	approved bool // a person has agreed to exactly this call
}

// caller is the engine as the one who calls sees it.
func (s *set) caller(ctx context.Context) execution.Caller { return s.sup.As(principal.From(ctx)) }

// set is the tool set at work.
type set struct {
	sup       *execution.Supervisor
	opts      Options
	approvals *approvals
}

// Register adds the tools to a server.
func Register(server *mcp.Server, sup *execution.Supervisor, o Options) {
	s := &set{sup: sup, opts: o, approvals: newApprovals()}
	var names []string
	for _, t := range tools(o) {
		server.AddTool(t.definition(), s.handler(t))
		names = append(names, t.name)
	}
	server.AddReceivingMiddleware(listing.Of(o.Dialect.set(), names))
}

func (t *tool) definition() *mcp.Tool {
	return &mcp.Tool{
		Name:        t.name,
		Title:       t.title,
		Description: t.doc,
		InputSchema: t.InputSchema(),
		Annotations: &mcp.ToolAnnotations{
			Title:           t.title,
			ReadOnlyHint:    t.readOnly,
			DestructiveHint: &t.destructive,
			IdempotentHint:  t.idempotent,
			OpenWorldHint:   &t.openWorld,
		},
	}
}

// handler decodes the arguments of a call, runs it and writes its answer. A
// call that is cancelled has no answer: the client wants none.
func (s *set) handler(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var raw json.RawMessage
		if request.Params != nil {
			raw = request.Params.Arguments
		}
		args, err := t.Decode(raw)
		if err != nil {
			return s.argumentError(t, badArguments(err).redacted(s.sup.Redaction(nil))), nil
		}
		answer := t.call(s, ctx, input{Args: args, approved: s.approvals.granted(ctx, request)})
		switch {
		case answer == nil:
			return nil, context.Cause(ctx)
		case answer.ask != "":
			return s.ask(ctx, t, request, answer), nil
		}
		return s.result(t, answer), nil
	}
}
