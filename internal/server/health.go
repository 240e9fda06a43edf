package server

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// healthy answers whether the process serves at all.
func healthy(w http.ResponseWriter, _ *http.Request) { writeStatus(w, http.StatusOK, "ok") }

// ready answers whether new calls are accepted.
func (e *endpoint) ready(w http.ResponseWriter, _ *http.Request) {
	if isClosed(e.draining) {
		writeStatus(w, http.StatusServiceUnavailable, "draining")
		return
	}
	writeStatus(w, http.StatusOK, "ready")
}

func writeStatus(w http.ResponseWriter, status int, word string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"status\":%q}\n", word)
}

// metadataURL returns where RFC 9728 puts the document about a resource: its
// well-known path stands between the host and the path of the resource.
func metadataURL(m *oauthex.ProtectedResourceMetadata) (string, error) {
	if m == nil {
		return "", nil
	}
	u, err := url.Parse(m.Resource)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("resource %q: give the URL that clients call, like https://mcp.example.org%s", m.Resource, PathMCP)
	}
	path := u.Path
	if path == "/" {
		path = ""
	}
	return u.Scheme + "://" + u.Host + pathMetadata + path, nil
}
