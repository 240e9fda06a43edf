package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/jsontext"
)

// largeText, in bytes, is where keeping a text out of the SDK's encoder
// begins to pay.
const largeText = 512

// A payload is a part of a result that is encoded while the answer is
// written, not by the SDK: a text, or, if raw is not nil, compact JSON.
type payload struct {
	text string
	raw  json.RawMessage
}

// marks are the strings that stand for payloads inside a result while it is
// in the SDK. They start with a secret that never reaches the wire, and only
// those of the very call that is answered are replaced, so that no text a
// tool returns can pass for one.
type marks struct{ secret string }

func newMarks() marks { return marks{secret: rand.Text()} }

func (m marks) mark(n int) string { return m.secret + ":" + strconv.Itoa(n) }

// splice appends the result with each mark replaced by its payload. Payloads
// must be in the order in which the SDK encodes them.
func (m marks) splice(dst, result []byte, payloads []payload) []byte {
	for n, p := range payloads {
		before, after, found := bytes.Cut(result, []byte(`"`+m.mark(n)+`"`))
		if !found {
			continue // middleware replaced the result
		}
		dst = append(dst, before...)
		if p.raw != nil {
			dst = append(dst, p.raw...)
		} else {
			dst = jsontext.AppendString(dst, p.text)
		}
		result = after
	}
	return append(dst, result...)
}

// encodeOnce is middleware that keeps the large parts of a tool's result out
// of the SDK's encoder, which would encode them about four times.
func (t *traffic) encodeOnce(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		tool, ok := result.(*mcp.CallToolResult)
		if err != nil || !ok {
			return result, err
		}
		if tool == nil {
			return nil, fmt.Errorf("the tool returned no result")
		}
		c := t.find(req.GetExtra())
		if c == nil {
			return nil, fmt.Errorf("no call in flight to answer")
		}
		return t.marks.detach(c, tool)
	}
}

// detach returns a copy of the result with marks in place of the large parts,
// which it keeps in the call. Meta and content of the tool's own result are
// left alone, as they may be shared between results, and the SDK adds to the
// meta it is given.
//
// It fails for what has no JSON form, since the SDK would send no answer.
func (m marks) detach(c *call, tool *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	result := *tool
	result.Meta = maps.Clone(tool.Meta)
	result.Content = slices.Clone(tool.Content)
	if err := checkMeta(result.Meta); err != nil {
		return nil, err
	}
	c.payloads = nil // a result detached before was not used
	keep := func(p payload) string {
		c.payloads = append(c.payloads, p)
		return m.mark(len(c.payloads) - 1)
	}
	for i, content := range result.Content {
		text, ok := content.(*mcp.TextContent)
		if !ok {
			if err := checkContent(content); err != nil {
				return nil, err
			}
			continue
		}
		if err := checkMeta(text.Meta); err != nil {
			return nil, err
		}
		if len(text.Text) >= largeText {
			result.Content[i] = &mcp.TextContent{
				Text: keep(payload{text: text.Text}), Meta: text.Meta, Annotations: text.Annotations,
			}
		}
	}
	raw, err := compact(result.StructuredContent)
	if err != nil {
		return nil, err
	}
	result.StructuredContent = nil
	if raw != nil {
		result.StructuredContent = keep(payload{raw: raw})
	}
	return &result, nil
}

// compact returns structured content as JSON without line breaks, nil if
// there is none.
func compact(structured any) (json.RawMessage, error) {
	if structured == nil {
		return nil, nil
	}
	raw, ok := structured.(json.RawMessage)
	if !ok {
		raw, err := json.Marshal(structured)
		if err != nil {
			return nil, fmt.Errorf("encode structured content: %w", err)
		}
		return raw, nil
	}
	if len(raw) == 0 {
		return nil, nil
	}
	if !json.Valid(raw) {
		return nil, fmt.Errorf("encode structured content: the tool returned invalid JSON")
	}
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, fmt.Errorf("encode structured content: %w", err)
	}
	return b.Bytes(), nil
}

func checkContent(content mcp.Content) error {
	if content == nil {
		return fmt.Errorf("the tool returned an empty content block")
	}
	if _, err := content.MarshalJSON(); err != nil {
		return fmt.Errorf("encode content: %w", err)
	}
	return nil
}

func checkMeta(meta mcp.Meta) error {
	if len(meta) == 0 {
		return nil
	}
	if _, err := json.Marshal(meta); err != nil {
		return fmt.Errorf("encode _meta: %w", err)
	}
	return nil
}
