package mcpshell

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/audit"
	"whelk/internal/execution"
	"whelk/internal/principal"
	"whelk/internal/tools/listing"
	"whelk/internal/tools/schema"
)

// Options configures the tool set.
type Options struct {
	Commands, Patterns  []string      // what may be run, for the description
	Timeout, MaxTimeout time.Duration // of a call that names none, and of any
	OutputLimit         int64         // most bytes of one stream; the engine must keep as many of its beginning
	CallEnv             []string      // names of variables that a call may set
	Dir                 string        // directory of a call that names none

	// Refusal, if not empty, is why every call is refused: nothing is allowed, or
	// what is allowed cannot be understood.
	Refusal string

	Audit *audit.Log // nil: no records
}

// set is the tool set at work.
type set struct {
	sup  *execution.Supervisor
	opts Options
	tool schema.Tool
}

// Register adds the tool to a server.
func Register(server *mcp.Server, sup *execution.Supervisor, o Options) {
	s := &set{sup: sup, opts: o, tool: parameters(o)}
	server.AddTool(&mcp.Tool{
		Name: toolName, Title: "Run a command", Description: description(o), InputSchema: s.tool.InputSchema(),
		Annotations: &mcp.ToolAnnotations{Title: "Run a command", DestructiveHint: new(true), OpenWorldHint: new(true)},
	}, s.handle)
	server.AddReceivingMiddleware(listing.Of("mcpshell", []string{toolName}))
}

// untilEnd is how long a call waits for its command, whose runtime limit ends it.
const untilEnd = time.Duration(math.MaxInt64)

// handle serves one call. One that is cancelled has no answer: the client wants
// none, and the command is ended.
func (s *set) handle(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	began := time.Now()
	var raw json.RawMessage
	if request.Params != nil {
		raw = request.Params.Arguments
	}
	c, err := s.read(raw)
	c.hide = s.sup.Redaction(c.request.Env)
	var r *result
	if err != nil {
		r = refused(c, err, began)
	} else {
		r = s.run(ctx, c, began)
	}
	s.opts.Audit.Write(record(c, r, began, principal.From(ctx).Name))
	if r == nil {
		return nil, context.Cause(ctx)
	}
	return r.answer(), nil
}

// run runs the command of a call to its end; nil if the call was cancelled.
func (s *set) run(ctx context.Context, c *call, began time.Time) *result {
	e, err := s.sup.As(principal.From(ctx)).Start(ctx, c.request)
	switch {
	case ctx.Err() != nil:
		if e != nil {
			e.Cancel()
		}
		return nil
	case err != nil:
		return refused(c, err, began)
	}
	if e.Await(ctx, untilEnd) == execution.Cancelled {
		e.Cancel()
		return nil
	}
	return ended(c, e)
}
