package tabshell

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/execution"
	"whelk/internal/principal"
	"whelk/internal/tools/listing"
	"whelk/internal/tools/schema"
)

// Options configures the tool set.
type Options struct {
	// Timeout is the limit of commands that name none; Forever is none, zero and
	// less end a command at once.
	Timeout time.Duration
	// MaxOutput is the most characters of both streams together; zero and less show
	// nothing. The supervisor must keep BytesKept of both ends of a stream.
	MaxOutput int
	// Head keeps the beginning of output that is too long, not its end.
	Head bool
	// TimeToLive is how long an ended task can be asked for; zero and less is as long
	// as the server lives.
	TimeToLive time.Duration
}

// Forever is a limit of time that is none.
const Forever time.Duration = 1<<63 - 1

// MostOutput bounds Options.MaxOutput: all of it must fit into the memory of one
// program several times over.
const MostOutput = 1 << 26

// BytesKept returns how many bytes of each end of a stream hold the characters that
// can be shown, and one that is lost because it is cut.
func BytesKept(maxOutput int) int { return utf8.UTFMax * (max(0, min(maxOutput, MostOutput)) + 1) }

// set is the tool set at work.
type set struct {
	sup   *execution.Supervisor
	opts  Options
	tasks *tasks
}

// tool is one tool: what clients see of it and what it does. call returns the text of
// the result; "" is no answer, for a call that was cancelled.
type tool struct {
	name, doc string
	schema.Tool

	call func(*set, context.Context, schema.Args) string
}

// Register adds the tools to a server.
func Register(server *mcp.Server, sup *execution.Supervisor, o Options) {
	o.MaxOutput = min(o.MaxOutput, MostOutput)
	s := &set{sup: sup, opts: o, tasks: &tasks{ttl: o.TimeToLive}}
	var names []string
	for _, t := range tools() {
		server.AddTool(t.definition(), s.handler(t))
		names = append(names, t.name)
	}
	server.AddReceivingMiddleware(listing.Of("tabshell", names))
}

func (t *tool) definition() *mcp.Tool {
	return &mcp.Tool{
		Name: t.name, Description: t.doc, InputSchema: t.InputSchema(),
		OutputSchema: json.RawMessage(`{"properties":{"result":{"title":"Result","type":"string"}},` +
			`"required":["result"],"title":"` + t.name + `Output","type":"object"}`),
	}
}

// handler decodes the arguments of a call, runs it and writes its answer.
func (s *set) handler(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var raw json.RawMessage
		if request.Params != nil {
			raw = request.Params.Arguments
		}
		args, err := t.Decode(raw)
		if err != nil {
			return s.faulty(err), nil
		}
		text := t.call(s, ctx, args)
		if text == "" {
			return nil, context.Cause(ctx)
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: text}},
			StructuredContent: json.RawMessage(structured(text)),
		}, nil
	}
}

// faulty is the answer to arguments that are wrong.
func (s *set) faulty(err error) *mcp.CallToolResult {
	text := s.sup.Redaction(nil)(err.Error())
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// caller is the engine as the one who calls sees it.
func (s *set) caller(ctx context.Context) execution.Caller { return s.sup.As(principal.From(ctx)) }
