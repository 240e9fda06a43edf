package httpguard

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// codeRefused is JSON-RPC's "invalid request": a refusal concerns the request
// as it was sent, not the method that it calls.
const codeRefused = -32600

// Refuse answers with a status and a JSON-RPC error without an id, which is
// the form that the protocol gives to errors of HTTP.
func Refuse(w http.ResponseWriter, status int, message string) {
	type failure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	body, _ := json.Marshal(struct { // strings and integers always have a JSON form
		Version string  `json:"jsonrpc"`
		Error   failure `json:"error"`
	}{"2.0", failure{codeRefused, message}})
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a client that is gone needs no refusal
}

// RefuseFor is [Refuse] for a state that passes: it also says when to try
// again, in whole seconds.
func RefuseFor(w http.ResponseWriter, status int, after time.Duration, message string) {
	seconds := max(1, int64((after+time.Second-1)/time.Second))
	w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	Refuse(w, status, message)
}
