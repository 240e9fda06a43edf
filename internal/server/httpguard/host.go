package httpguard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// hosts are the names that a server answers to besides its own addresses, in
// lower case: names alone, and names with a port.
type hosts map[string]bool

func parseHosts(entries []string) (hosts, error) {
	h := make(hosts)
	for _, entry := range entries {
		name, port, ok := splitHost(entry)
		if !ok || strings.ContainsAny(name, "/*@ ") {
			return nil, fmt.Errorf("allowed host %q: give a name, or a name and a port, like mcp.example.org:8443", entry)
		}
		h[joinHost(name, port)] = true
	}
	return h, nil
}

// allow reports whether a request names this server. Besides the list these
// are safe from DNS rebinding, which needs a name that somebody else controls:
// localhost, addresses of the loopback, and the very address that the
// connection was made to. An address like 0.0.0.0 is none of them, although
// browsers connect it to the loopback.
func (h hosts) allow(r *http.Request) bool {
	name, port, ok := splitHost(r.Host)
	if !ok {
		return false
	}
	if h[name] || h[joinHost(name, port)] || name == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	return address.Unmap().IsLoopback() || address.Unmap() == localAddress(r)
}

// localAddress returns the address that the client connected to, the zero
// value if it has none, as on a Unix socket.
func localAddress(r *http.Request) netip.Addr {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if local == nil {
		return netip.Addr{}
	}
	address, _ := netip.AddrFromSlice(local.IP)
	return address.Unmap()
}

// splitHost takes a Host header apart: the name in lower case without the
// brackets of IPv6 and without the root's dot, and the port, if any.
func splitHost(host string) (name, port string, ok bool) {
	name = strings.ToLower(host)
	if n, p, err := net.SplitHostPort(name); err == nil {
		name, port = n, p
	} else if strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]") {
		name = name[1 : len(name)-1]
	} else if strings.Contains(name, ":") {
		return "", "", false // an IPv6 address must stand in brackets
	}
	name = strings.TrimSuffix(name, ".")
	return name, port, name != "" && strings.Trim(port, "0123456789") == ""
}

func joinHost(name, port string) string {
	if port == "" {
		return name
	}
	return net.JoinHostPort(name, port)
}
