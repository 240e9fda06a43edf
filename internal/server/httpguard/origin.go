package httpguard

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// These are what a web page needs to speak the protocol: request headers that
// it may send, methods, and response headers that it may read. Headers that
// mirror parameters of tools (Mcp-Param-…) have names of their own.
const (
	corsRequestHeaders = "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id"
	corsMethods        = "GET, POST, DELETE"
	corsAnswerHeaders  = "Mcp-Session-Id, Retry-After, WWW-Authenticate"

	corsParamPrefix = "mcp-param-"

	// corsMaxAge, in seconds, is how long a browser may remember an answer to
	// a preflight: ten minutes, so that a changed list is soon in force.
	corsMaxAge = "600"

	// maxCorsHeaders, in bytes, is more than a page that speaks the protocol
	// asks for.
	maxCorsHeaders = 4096
)

func parseOrigins(entries []string) (map[string]bool, error) {
	origins := make(map[string]bool)
	for _, entry := range entries {
		origin := strings.ToLower(entry)
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host || strings.Contains(origin, "*") {
			return nil, fmt.Errorf("allowed origin %q: give scheme, host and port as browsers send them, like https://app.example.org", entry)
		}
		origins[origin] = true
	}
	return origins, nil
}

// refuseOrigin answers a request whose Origin is not listed, and a preflight;
// it reports whether it has answered. A page on the same host is a stranger
// like any other: every local development server has that host. "null" is
// every sandboxed frame and local file, so it can be on no list.
func (g *Guard) refuseOrigin(w http.ResponseWriter, r *http.Request) bool {
	// Caches must not give one page the answer made for another.
	w.Header().Add("Vary", "Origin")
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return false
	}
	origin := values[0]
	if len(values) > 1 || !g.origins[origin] {
		g.log.Debug("refused a request of a web page", "peer", r.RemoteAddr)
		Refuse(w, http.StatusForbidden, "requests of this web page are refused: "+
			"add its origin (scheme, host and port) to the allowed origins if it may run commands here")
		return true
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", corsAnswerHeaders)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Add("Vary", "Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Methods", corsMethods)
	header.Set("Access-Control-Allow-Headers", allowedHeaders(r.Header.Get("Access-Control-Request-Headers")))
	header.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}

// allowedHeaders returns the headers that a page may send: those of the
// protocol, and of those asked for the ones that mirror parameters.
func allowedHeaders(asked string) string {
	allowed := []string{corsRequestHeaders}
	if len(asked) <= maxCorsHeaders {
		for name := range strings.SplitSeq(strings.ToLower(asked), ",") {
			name = strings.TrimSpace(name)
			if strings.HasPrefix(name, corsParamPrefix) && isToken(name) {
				allowed = append(allowed, name)
			}
		}
	}
	return strings.Join(allowed, ", ")
}

// isToken reports whether text is a token of RFC 9110, in lower case.
func isToken(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~") == ""
}
