package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"whelk/internal/jsontext"
)

// kind is what a line is.
type kind int

const (
	unusable kind = iota // a response that belongs to no request
	request
	notification
	response
)

// A message is one line taken apart. The raw fields are JSON values, nil when
// absent, and share the line's memory.
type message struct {
	kind   kind
	id     jsonrpc.ID // for the SDK; of numbers over 2^53 an approximation
	rawID  []byte     // as the client wrote it, for the answer
	method string
	params json.RawMessage
	result json.RawMessage
	err    json.RawMessage
}

// maxID, in bytes of JSON, bounds what a refusal repeats of its request.
const maxID = 1024

// parseMessage takes a line apart. If it is refused, the message carries the
// id, as far as that could be read, and nothing else of use.
//
// It replaces jsonrpc.DecodeMessage, which rounds ids (1.5 is answered as 1),
// takes an id of null for none, and cannot tell bad JSON from a bad message.
func parseMessage(line []byte) (message, *jsonrpc.Error) {
	if !json.Valid(line) {
		return message{}, badJSON()
	}
	if line[0] != '{' {
		return message{}, notAnObject(line[0])
	}
	var m message
	var version, id, method []byte
	for name, value := range members(line) {
		switch name {
		case "jsonrpc":
			version = value
		case "id":
			id = value
		case "method":
			method = value
		case "params":
			m.params = present(value)
		case "result":
			m.result = value
		case "error":
			m.err = present(value)
		}
	}
	idRefusal := m.readID(id)
	if method == nil && (m.result != nil || m.err != nil) {
		// Never refused: two peers that answer errors with errors do not
		// stop.
		if string(version) == `"2.0"` && m.id.IsValid() {
			m.kind = response
		}
		return m, nil
	}
	if refusal := m.readMethod(version, method); refusal != nil {
		return m, refusal
	}
	m.kind = request
	if id == nil || string(id) == "null" && strings.HasPrefix(m.method, "notifications/") {
		// Some clients write all fields of their structures, also the id
		// that a notification does not have.
		m.kind, idRefusal = notification, nil
	}
	return m, idRefusal
}

// readID sets id and rawID. The protocol allows strings and integers.
func (m *message) readID(raw []byte) *jsonrpc.Error {
	if raw == nil {
		return nil
	}
	if len(raw) > maxID {
		return invalidRequest(fmt.Sprintf("the id is longer than %d bytes: send a shorter one", maxID))
	}
	switch {
	case raw[0] == '"':
		var s string
		_ = json.Unmarshal(raw, &s) // valid: the line was
		m.rawID = jsontext.AppendString(nil, s)
		m.id, _ = jsonrpc.MakeID(s)
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		m.rawID = raw
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || f != math.Trunc(f) {
			return badID()
		}
		m.id, _ = jsonrpc.MakeID(f)
	default:
		return badID()
	}
	return nil
}

func (m *message) readMethod(version, method []byte) *jsonrpc.Error {
	if string(version) != `"2.0"` {
		return invalidRequest(`not a JSON-RPC 2.0 message: set "jsonrpc" to "2.0"`)
	}
	if method == nil {
		return invalidRequest(`not a JSON-RPC message: it has no "method", "result" or "error"`)
	}
	if method[0] != '"' {
		return invalidRequest(`"method" must be a string`)
	}
	m.method = unquote(method)
	return nil
}

// failure returns the error of a response, nil if it has none.
func (m *message) failure() error {
	if m.err == nil {
		return nil
	}
	var wire jsonrpc.Error
	if err := json.Unmarshal(m.err, &wire); err != nil {
		return fmt.Errorf("malformed error: %w", err)
	}
	return &wire
}

// cancelTarget returns which request a notifications/cancelled means, and why
// the client wants it cancelled.
func cancelTarget(params []byte) (id jsonrpc.ID, reason string, ok bool) {
	var target message
	for name, value := range members(params) {
		switch name {
		case "requestId":
			ok = target.readID(value) == nil && target.id.IsValid()
		case "reason":
			if value[0] == '"' {
				reason = unquote(value)
			}
		}
	}
	return target.id, reason, ok
}

// present returns nil for the JSON value null.
func present(value []byte) []byte {
	if string(value) == "null" {
		return nil
	}
	return value
}

// unquote returns the string that a valid JSON string stands for.
func unquote(quoted []byte) string {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // valid: the caller's promise
	return s
}
