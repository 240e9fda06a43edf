package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"whelk/internal/server/httpguard"
)

// readBody returns the body of a request, without white space around it and
// without a byte order mark. If it cannot be had, readBody answers, and
// returns false.
func (e *endpoint) readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, e.maxBody))
	if err != nil {
		// The deadline stays, for what the HTTP server still reads of it.
		refuseBody(w, err, e.times.body)
		return nil, false
	}
	setReadDeadline(w, 0) // from now on, a read that fails means that the client has gone
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	body = bytes.Trim(body, " \t\r\n")
	return body, true
}

func refuseBody(w http.ResponseWriter, err error, limit time.Duration) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		httpguard.Refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf(
			"the message is longer than %d bytes: send less at a time, large input through a file or several writes", tooLarge.Limit))
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		httpguard.Refuse(w, http.StatusRequestTimeout, fmt.Sprintf(
			"the message did not arrive within %v: send it again, at once", limit))
	default:
		httpguard.Refuse(w, http.StatusBadRequest, "the message did not arrive whole: send it again")
	}
}

// setReadDeadline bounds the time for what is still to be read of a request;
// zero = not at all.
func setReadDeadline(w http.ResponseWriter, after time.Duration) {
	var deadline time.Time
	if after > 0 {
		deadline = time.Now().Add(after)
	}
	_ = http.NewResponseController(w).SetReadDeadline(deadline) // not supported: by a test's recorder alone
}

// mediaType returns the type of a request's body, "" if it has none.
func mediaType(r *http.Request) string {
	name, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return name
}

// inexactID is the first integer that another one is taken for: ids pass
// through a float64. Stdio answers with the id as the client wrote it; here
// the SDK writes the answer.
const inexactID = 1 << 53

// exactID refuses an id that the answer would not repeat.
func exactID(m message) *jsonrpc.Error {
	if len(m.rawID) == 0 || m.rawID[0] == '"' {
		return nil
	}
	if f, err := strconv.ParseFloat(string(m.rawID), 64); err != nil || math.Abs(f) >= inexactID {
		return invalidRequest(`"id" must be a string or an integer of at most 53 bits`)
	}
	return nil
}
