package server

import (
	"fmt"
	"strings"
	"testing"
)

func TestEachVersionIsAgreedOnOverHTTP(t *testing.T) {
	tests := []struct{ asked, agreed string }{
		{"2024-11-05", "2024-11-05"},
		{"2025-03-26", "2025-03-26"},
		{"2025-06-18", "2025-06-18"},
		{"2025-11-25", "2025-11-25"},
		{"2026-07-28", "2025-11-25"}, // initialize cannot agree on it
		{"2099-01-01", "2025-11-25"},
		{"1999-01-01", "2025-11-25"},
	}
	s := serve(t, echoSite())
	for _, test := range tests {
		t.Run(test.asked, func(t *testing.T) {
			s := &site{t: t, url: s.url, client: s.client}
			// The first request has no version in its head.
			none := map[string]string{"Mcp-Protocol-Version": ""}
			a := s.do(s.request("", initializeLine("1", test.asked), none))
			session := a.header.Get("Mcp-Session-Id")
			if len(a.messages) != 1 || !strings.Contains(a.messages[0], fmt.Sprintf(`"protocolVersion":%q`, test.agreed)) {
				t.Fatalf("initialize: %+v", a)
			}
			agreed := map[string]string{"Mcp-Protocol-Version": test.agreed}
			s.do(s.request(session, initializedLine, agreed))
			s.do(s.request(session, callLine("2", "echo", "{}"), agreed)).want(t, textAnswer("2", "{}"))
			// Older clients do not say the version again.
			s.do(s.request(session, callLine("3", "echo", "{}"), none)).want(t, textAnswer("3", "{}"))
		})
	}
}

// What stdio mends and refuses is mended and refused here, too.
func TestHTTPSharesTheMiddlewareOfStdio(t *testing.T) {
	s := serve(t, echoSite())
	session := s.initialize()
	const bare = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`
	s.post(session, bare).want(t, textAnswer("1", "{}"))
	s.post(session, strings.Replace(bare, `"echo"`, `"echo","arguments":null`, 1)).want(t, textAnswer("1", "{}"))
	for body, code := range map[string]string{
		initializeLine("1", lastHandshake):  `"code":-32600`, // a second one
		callLine("1", "no_such_tool", "{}"): `"code":-32602`,
	} {
		if a := s.post(session, body); len(a.messages) != 1 || !strings.Contains(a.messages[0], code) {
			t.Errorf("%s: %+v, want %s", body, a, code)
		}
	}
	if a := s.do(s.request("", statelessLine("1", "server/discover", `"x":1`), map[string]string{
		"Mcp-Protocol-Version": firstStateless, "Mcp-Method": "server/discover",
	})); len(a.messages) != 1 || !strings.Contains(a.messages[0], firstStateless) || !strings.Contains(a.messages[0], lastHandshake) {
		t.Errorf("discover: %+v", a)
	}
}
