package server

import (
	"maps"
	"net/http"
	"strings"
	"testing"
)

// Each row is a way to get HTTP wrong, or one that is right.
func TestHTTPAnswers(t *testing.T) {
	o := echoSite()
	o.AllowedOrigins = []string{"https://app.example"}
	o.AllowedHosts = []string{"mcp.example", "other.example:9999"}
	s := serve(t, o)
	session := s.initialize()
	type headers = map[string]string
	big := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":"` + strings.Repeat("x", 4<<20) + `"}}}`
	modern := headers{"Mcp-Protocol-Version": firstStateless, "Mcp-Method": "tools/call", "Mcp-Name": "echo"}
	with := func(base, more headers) headers {
		h := headers{}
		for _, from := range []headers{base, more} {
			maps.Copy(h, from)
		}
		return h
	}
	call := callLine("1", "echo", `{"a":1}`)
	modernCall := statelessLine("1", "tools/call", `"name":"echo","arguments":{"a":1}`)
	tests := []struct {
		name    string
		body    string
		headers headers
		status  int
		code    int    // of the error
		id      string // in the error
		says    string // part of the error's message
	}{
		{"a call", call, nil, 200, 0, "", ""},
		{"a call in the other era", modernCall, modern, 200, 0, "", ""},
		{"a byte order mark and white space", "\xef\xbb\xbf \r\n" + call + "\n", nil, 200, 0, "", ""},

		{"foreign Host", call, headers{"Host": "evil.example"}, 403, -32600, "", "Host"},
		{"foreign Host with the right port", call, headers{"Host": "evil.example:8377"}, 403, -32600, "", "Host"},
		{"Host 0.0.0.0", call, headers{"Host": "0.0.0.0:8377"}, 403, -32600, "", "Host"},
		{"address of another machine as Host", call, headers{"Host": "192.0.2.1"}, 403, -32600, "", "Host"},
		{"name that only ends in localhost", call, headers{"Host": "notlocalhost"}, 403, -32600, "", "Host"},
		{"localhost as Host", call, headers{"Host": "LOCALHOST.:1"}, 200, 0, "", ""},
		{"IPv6 loopback as Host", call, headers{"Host": "[::1]:8377"}, 200, 0, "", ""},
		{"listed Host", call, headers{"Host": "MCP.example:443"}, 200, 0, "", ""},
		{"listed Host with its port", call, headers{"Host": "other.example:9999"}, 200, 0, "", ""},
		{"listed Host with another port", call, headers{"Host": "other.example"}, 403, -32600, "", "Host"},

		{"foreign Origin", call, headers{"Origin": "https://evil.example"}, 403, -32600, "", "origin"},
		{"null Origin", call, headers{"Origin": "null"}, 403, -32600, "", "origin"},
		{"other localhost port as Origin", call, headers{"Origin": "http://localhost:3000"}, 403, -32600, "", "origin"},
		{"same host as Origin", call, headers{"Origin": strings.TrimSuffix(s.url, PathMCP)}, 403, -32600, "", "origin"},
		{"listed Origin with another scheme", call, headers{"Origin": "http://app.example"}, 403, -32600, "", "origin"},
		{"listed Origin", call, headers{"Origin": "https://app.example"}, 200, 0, "", ""},

		{"wrong content type", call, headers{"Content-Type": "text/plain"}, 415, -32600, "", "Content-Type"},
		{"no content type", call, headers{"Content-Type": ""}, 415, -32600, "", "Content-Type"},
		{"form", call, headers{"Content-Type": "application/x-www-form-urlencoded"}, 415, -32600, "", "Content-Type"},
		{"content type with a charset", call, headers{"Content-Type": "application/json; charset=utf-8"}, 200, 0, "", ""},
		{"no Accept", call, headers{"Accept": ""}, 400, -32600, "1", "Accept"},
		{"Accept of JSON only", call, headers{"Accept": "application/json"}, 400, -32600, "1", "Accept"},

		{"oversized body", big, nil, 413, -32600, "", "4194304"},
		{"bad JSON", `{"jsonrpc":"2.0","id":1,`, nil, 400, -32700, "", "JSON"},
		{"empty body", "", nil, 400, -32700, "", "JSON"},
		{"batch", "[" + call + "]", nil, 400, -32600, "", "batch"},
		{"batch of 2025-03-26", "[" + call + "]", headers{"Mcp-Protocol-Version": "2025-03-26"}, 400, -32600, "", "batch"},
		{"id with a fraction", callLine("1.5", "echo", "{}"), nil, 400, -32600, "1.5", "id"},
		{"id of more than 53 bits", callLine("9007199254740993", "echo", "{}"), nil, 400, -32600, "9007199254740993", "id"},
		{"no JSON-RPC", `{"a":1}`, nil, 400, -32600, "", "jsonrpc"},

		{"unknown session", call, headers{"Mcp-Session-Id": "unknown"}, 404, -32600, "", "initialize"},
		{"no session", call, headers{"Mcp-Session-Id": ""}, 400, -32600, "", "initialize"},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, nil, 200, -32601, "1", "no/such"},
		{"unknown version", call, headers{"Mcp-Protocol-Version": "2020-01-01"}, 400, -32600, "1", "2025-11-25"},
		{"Last-Event-ID with a call", call, headers{"Last-Event-ID": "x_1"}, 400, -32600, "1", "Last-Event-ID"},

		{"missing Mcp-Name", modernCall, with(modern, headers{"Mcp-Name": ""}), 400, -32020, "1", "Mcp-Name"},
		{"wrong Mcp-Name", modernCall, with(modern, headers{"Mcp-Name": "sleep"}), 400, -32020, "1", "Mcp-Name"},
		{"wrong Mcp-Method", modernCall, with(modern, headers{"Mcp-Method": "tools/list"}), 400, -32020, "1", "Mcp-Method"},
		{"newer body without the header", modernCall, headers{"Mcp-Protocol-Version": ""}, 400, -32020, "1", ""},
		{"newer body with an older header", modernCall, nil, 400, -32020, "1", ""},
		{"newer header without a version in the body", call, modern, 400, -32602, "1", ""},
		{"a version to come", strings.Replace(modernCall, firstStateless, "2099-01-01", 1), with(modern, headers{"Mcp-Protocol-Version": "2099-01-01"}), 400, -32022, "1", ""},
		{"newer call with a session", modernCall, with(modern, headers{"Mcp-Session-Id": "whatever"}), 200, 0, "", ""},
		{"unknown method in the newer era", statelessLine("1", "no/such", `"x":1`), with(modern, headers{"Mcp-Method": "no/such", "Mcp-Name": ""}), 404, -32601, "1", ""},
		{"initialize in the newer era", statelessLine("1", "initialize", `"x":1`), with(modern, headers{"Mcp-Method": "initialize", "Mcp-Name": ""}), 404, -32601, "1", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &site{t: t, url: s.url, client: s.client}
			a := s.do(s.request(session, test.body, test.headers))
			if test.code == 0 {
				if len(a.messages) != 1 || a.status != 200 || !strings.Contains(a.messages[0], `{\"a\":1}`) {
					t.Fatalf("got %+v, want the result", a)
				}
				return
			}
			message := a.wantRefusal(t, test.status, test.code, test.id)
			if !strings.Contains(message, test.says) {
				t.Errorf("message %q does not name %s", message, test.says)
			}
			if len(message) > 2*maxErrorText || strings.Contains(message, "evil") {
				t.Errorf("message repeats what was sent: %.300s", message)
			}
		})
	}
	s.post(session, call).want(t, textAnswer("1", `{"a":1}`))
}

func TestOtherMethodsOfHTTP(t *testing.T) {
	s := serve(t, echoSite())
	session := s.initialize()
	type headers = map[string]string
	tests := []struct {
		name, method, path string
		headers            headers
		status             int
		allow              string
	}{
		{"PUT", "PUT", PathMCP, nil, 405, "GET, POST, DELETE"},
		{"OPTIONS without Origin", "OPTIONS", PathMCP, nil, 405, "GET, POST, DELETE"},
		{"GET in the newer era", "GET", PathMCP, headers{"Mcp-Protocol-Version": firstStateless}, 405, "POST"},
		{"DELETE in the newer era", "DELETE", PathMCP, headers{"Mcp-Protocol-Version": firstStateless}, 405, "POST"},
		{"GET without a session", "GET", PathMCP, headers{"Mcp-Session-Id": ""}, 400, ""},
		{"GET with an unknown session", "GET", PathMCP, headers{"Mcp-Session-Id": "x"}, 404, ""},
		{"GET that wants JSON", "GET", PathMCP, headers{"Accept": "application/json"}, 400, ""},
		{"GET that resumes", "GET", PathMCP, headers{"Last-Event-ID": "x_1"}, 400, ""},
		{"DELETE without a session", "DELETE", PathMCP, headers{"Mcp-Session-Id": ""}, 400, ""},
		{"DELETE of an unknown session", "DELETE", PathMCP, headers{"Mcp-Session-Id": "x"}, 404, ""},
		{"another path", "POST", "/", nil, 404, ""},
		{"a path below", "POST", PathMCP + "/x", nil, 404, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &site{t: t, url: s.url, client: s.client}
			r := s.request(session, "", test.headers)
			r.Method = test.method
			r.URL.Path = test.path
			a := s.do(r)
			a.wantRefusal(t, test.status, -32600, "")
			if got := a.header.Get("Allow"); got != test.allow {
				t.Errorf("Allow %q, want %q", got, test.allow)
			}
		})
	}
	s.post(session, callLine("1", "echo", "{}")).want(t, textAnswer("1", "{}"))
}

func TestDeleteEndsTheSession(t *testing.T) {
	s := serve(t, echoSite())
	session, other := s.initialize(), s.initialize()
	r := s.request(session, "", nil)
	r.Method = http.MethodDelete
	if a := s.do(r); a.status != http.StatusNoContent {
		t.Fatalf("DELETE: %+v", a)
	}
	s.post(session, callLine("1", "echo", "{}")).wantRefusal(t, 404, -32600, "")
	s.post(other, callLine("1", "echo", "{}")).want(t, textAnswer("1", "{}"))
}

func TestPreflightIsAnsweredBeforeAuthentication(t *testing.T) {
	o := echoSite()
	o.AllowedOrigins = []string{"https://app.example"}
	o.Verify = oneToken
	s := serve(t, o)
	ask := func(origin string) answer {
		r := s.request("", "", map[string]string{
			"Origin": origin, "Access-Control-Request-Method": "POST",
			"Access-Control-Request-Headers": "content-type,mcp-param-path,x-evil",
		})
		r.Method = http.MethodOptions
		return s.do(r)
	}
	a := ask("https://app.example")
	allowed := a.header.Get("Access-Control-Allow-Headers")
	if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "https://app.example" ||
		!strings.Contains(allowed, "authorization") || !strings.Contains(allowed, "mcp-param-path") || strings.Contains(allowed, "x-evil") ||
		!strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Origin") || a.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("preflight: %d %v", a.status, a.header)
	}
	for _, origin := range []string{"null", "https://evil.example"} {
		a := ask(origin)
		a.wantRefusal(t, 403, -32600, "")
		if got := a.header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("origin %s: allowed %s", origin, got)
		}
	}
	// The page may read the refusal too, to learn what to do.
	a = s.do(s.request("", callLine("1", "echo", "{}"), map[string]string{"Origin": "https://app.example"}))
	a.wantRefusal(t, 401, -32600, "")
	if a.header.Get("Access-Control-Allow-Origin") != "https://app.example" ||
		!strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
		t.Errorf("refusal of a page: %v", a.header)
	}
}
