package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// An answerWriter is what the SDK writes the answer of an exchange to. It puts
// in the payloads of a result, drops the answer to a cancelled call, gives
// refusals in plain text the form of errors, and bounds the time that a client
// may take to accept a write.
type answerWriter struct {
	http.ResponseWriter
	endpoint *endpoint
	call     *call // nil if the exchange answers no call

	plain int // the status of a refusal in plain text that is to be written
}

// Unwrap lets http.ResponseController find what this writer does not have.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	header := w.Header()
	if status >= http.StatusBadRequest && strings.HasPrefix(header.Get("Content-Type"), "text/plain") {
		header.Set("Content-Type", "application/json")
		header.Del("Content-Length")
		w.plain = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. The SDK writes each event, and each
// answer, at once.
func (w *answerWriter) Write(p []byte) (int, error) {
	if w.call != nil && !w.endpoint.calls.wanted(w.call) {
		return len(p), nil
	}
	if _, err := w.writeInTime(w.final(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// final returns what is written in place of p.
func (w *answerWriter) final(p []byte) []byte {
	switch {
	case w.plain != 0:
		return w.refusal(strings.TrimSpace(string(p)))
	case w.call == nil:
		return p
	case bytes.Contains(p, []byte(w.endpoint.marks.secret)):
		// Only the answer has marks, and it is written by the goroutine that
		// the payloads belong to.
		return w.endpoint.marks.splice(nil, p, w.call.payloads)
	case len(p) > 2*maxErrorText:
		return shortenAnswer(p, w.call)
	}
	return p
}

// methodNotFound is how the SDK begins its text about an unknown method.
const methodNotFound = "JSON RPC not handled"

// refusal returns the error that a text of the SDK stands for, and writes its
// status. A call of an unknown method is an answer like any other, as on
// stdio; the rest is about the HTTP request.
func (w *answerWriter) refusal(text string) []byte {
	refusal, status := invalidRequest(shorten(text)), w.plain
	var rawID []byte
	if w.call != nil {
		rawID = w.call.rawID
		if strings.HasPrefix(text, methodNotFound) {
			refusal.Code, status = jsonrpc.CodeMethodNotFound, http.StatusOK
			refusal.Message = shorten("no such method: " + w.call.method)
		}
	}
	w.ResponseWriter.WriteHeader(status)
	return appendHTTPError(nil, rawID, refusal)
}

// writeInTime writes p and hands it to the network.
func (w *answerWriter) writeInTime(p []byte) (int, error) {
	control := http.NewResponseController(w.ResponseWriter)
	_ = control.SetWriteDeadline(time.Now().Add(w.endpoint.times.write)) // not supported: by a test's recorder alone
	n, err := w.ResponseWriter.Write(p)
	if err == nil {
		err = control.Flush()
	}
	// HTTP/2 ends a stream at its deadline, also if nothing is written then.
	_ = control.SetWriteDeadline(time.Time{})
	return n, err
}

// dataField is where the message starts in an event of the SDK.
var dataField = []byte("data: ")

// shortenAnswer returns an answer, an event or JSON alone, with the message of
// an error cut to what wireError allows: the SDK quotes whole params.
func shortenAnswer(p []byte, c *call) []byte {
	before, body := p[:0], p
	if i := bytes.Index(p, dataField); i >= 0 && p[0] != '{' {
		before, body = p[:i+len(dataField)], p[i+len(dataField):]
	}
	var answer struct {
		Error *jsonrpc.Error `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error == nil {
		return p
	}
	short := appendError(bytes.Clone(before), c.rawID, wireError(c.method, answer.Error))
	return append(short, "\n\n"...)
}

// appendHTTPError appends an error response. Unlike on a stream, where null
// stands for an id that is not known, HTTP's form leaves it out.
func appendHTTPError(dst, rawID []byte, e *jsonrpc.Error) []byte {
	if rawID != nil {
		return appendError(dst, rawID, e)
	}
	body, _ := json.Marshal(e) // without data: a number and a string
	dst = append(dst, `{"jsonrpc":"2.0","error":`...)
	dst = append(dst, body...)
	return append(dst, '}')
}
