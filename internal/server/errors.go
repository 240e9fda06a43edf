package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// codeShuttingDown is the SDK's code for a call that comes too late; the
// range is JSON-RPC's for the errors of an implementation.
const codeShuttingDown = -32004

// maxErrorText, in bytes, bounds the message of an error: the SDK quotes the
// whole params in some.
const maxErrorText = 1024

func invalidRequest(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message}
}

func badJSON() *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeParseError,
		Message: "the message is not valid JSON: send each message whole (on stdio, on one line)",
	}
}

func notAnObject(first byte) *jsonrpc.Error {
	if first == '[' {
		return invalidRequest("batches are not supported: send each message by itself")
	}
	return invalidRequest("not a JSON-RPC message: send a JSON object")
}

func badID() *jsonrpc.Error { return invalidRequest(`"id" must be a string or an integer`) }

func lineTooLong(max int) *jsonrpc.Error {
	return invalidRequest(fmt.Sprintf(
		"the line was skipped, as it is longer than %d bytes: send less at a time", max))
}

// duplicateID refuses a call under its own id, although that names two calls:
// a client that sent it twice on purpose or by mistake waits for an answer to
// the second as well.
func duplicateID(rawID []byte) *jsonrpc.Error {
	return invalidRequest(fmt.Sprintf(
		"the id %s is in use by a request in flight: give each request an id of its own", rawID))
}

func shuttingDown() *jsonrpc.Error {
	return &jsonrpc.Error{Code: codeShuttingDown, Message: "the server is shutting down: start it anew"}
}

// codeErrors is middleware that gives each error of a handler a JSON-RPC
// code. The SDK would send 0, which JSON-RPC does not know.
func codeErrors(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		var coded *jsonrpc.Error
		if err == nil || errors.As(err, &coded) {
			return result, err
		}
		code := int64(jsonrpc.CodeInternalError)
		if method == "initialize" { // the only reason is a second one
			code = jsonrpc.CodeInvalidRequest
		}
		return nil, &jsonrpc.Error{Code: code, Message: err.Error()}
	}
}

// wireError returns the form in which an error is sent. After codeErrors only
// the SDK's check for a missing handshake leaves an error without a code.
func wireError(method string, err error) *jsonrpc.Error {
	wire := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	if coded := (*jsonrpc.Error)(nil); errors.As(err, &coded) {
		wire.Code, wire.Data = coded.Code, coded.Data
	} else if method != "initialize" {
		wire.Message += `: send "initialize" first`
	}
	wire.Message = shorten(wire.Message)
	return wire
}

// shorten cuts a text to maxErrorText, between two characters.
func shorten(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxErrorText {
		return text
	}
	cut := maxErrorText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// appendError appends an error response. A nil id is written as null.
func appendError(dst, rawID []byte, e *jsonrpc.Error) []byte {
	if rawID == nil {
		rawID = []byte("null")
	}
	body, err := json.Marshal(e)
	if err != nil { // data that is not JSON
		body, _ = json.Marshal(&jsonrpc.Error{Code: e.Code, Message: e.Message})
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, rawID...)
	dst = append(dst, `,"error":`...)
	dst = append(dst, body...)
	return append(dst, '}')
}
