package server

import (
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A session is the SDK's end of the stream in one era. It is both the
// mcp.Transport and the mcp.Connection, as it is connected once.
type session struct {
	stream    *stream
	inbox     chan jsonrpc.Message
	closed    chan struct{} // closed when the SDK has no call of this session left
	closeOnce sync.Once
}

func newSession(s *stream) *session {
	return &session{stream: s, inbox: make(chan jsonrpc.Message), closed: make(chan struct{})}
}

// Connect implements mcp.Transport.
func (c *session) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection. A stream needs no id.
func (c *session) SessionID() string { return "" }

// deliver hands a message to the SDK. It does not wait for the message to be
// acted on.
func (c *session) deliver(m jsonrpc.Message) {
	select {
	case c.inbox <- m:
	case <-c.stream.ended:
	}
}

// Read implements mcp.Connection. It returns io.EOF only when the stream has
// ended for good: to the SDK that means cancelling all calls and dropping
// their answers, which the end of the input must not do (BO-17).
func (c *session) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.inbox:
		return m, nil
	case <-c.stream.ended:
		return nil, io.EOF
	}
}

// Write implements mcp.Connection. It fails only for a message whose context
// is done or that has no JSON form: a client that is gone is not the SDK's
// concern but ends the stream.
func (c *session) Write(ctx context.Context, m jsonrpc.Message) error {
	answer, ok := m.(*jsonrpc.Response)
	if ok {
		c.writeAnswer(answer)
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.stream.writeLine(func(b []byte) []byte { return append(b, line...) })
	return nil
}

func (c *session) writeAnswer(answer *jsonrpc.Response) {
	s := c.stream
	call, wanted, next := s.calls.answer(callKey{id: answer.ID})
	if call == nil {
		s.log.Error("dropped an answer to no call", "id", answer.ID.Raw())
		return
	}
	if next != nil {
		next.session.deliver(next.request)
	}
	if !wanted {
		return
	}
	defer s.calls.finish()
	s.writeLine(func(b []byte) []byte {
		if answer.Error != nil {
			return appendError(b, call.rawID, wireError(call.method, answer.Error))
		}
		b = append(b, `{"jsonrpc":"2.0","id":`...)
		b = append(b, call.rawID...)
		b = append(b, `,"result":`...)
		b = s.marks.splice(b, answer.Result, call.payloads)
		return append(b, '}')
	})
}

// Close implements mcp.Connection. The SDK calls it after Read has returned
// an error and no call is left.
func (c *session) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}
