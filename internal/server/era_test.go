package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// statelessLine is a request of the stateless era with these params, given as
// the inside of an object.
func statelessLine(id, method, params string) string {
	return versionedLine(id, method, params, "2026-07-28")
}

func versionedLine(id, method, params, version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}`,
		id, method, params, version)
}

func TestEachHandshakeVersionNegotiates(t *testing.T) {
	tests := []struct{ asked, got string }{
		{"2024-11-05", "2024-11-05"},
		{"2025-03-26", "2025-03-26"},
		{"2025-06-18", "2025-06-18"},
		{"2025-11-25", "2025-11-25"},
		{"2026-07-28", "2025-11-25"}, // has no initialize
		{"2099-01-01", "2025-11-25"},
		{"1999-01-01", "2025-11-25"},
	}
	for _, test := range tests {
		t.Run(test.asked, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, Options{Instructions: "be kind", Tools: tools(map[string]tool{"echo": echo})})
				w.send(initializeLine("1", test.asked), initializedLine, callLine("2", "echo", "{}"))
				w.want(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + test.got + `",
					"capabilities":{"tools":{}},"instructions":"be kind","serverInfo":{"name":"test","version":"1"}}}`)
				w.want(textAnswer("2", "{}")) // and no field of the stateless era
			})
		})
	}
}

func TestStatelessCallNeedsNoHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, echoOnly())
		w.send(statelessLine("1", "tools/call", `"name":"echo","arguments":{"a":1}`))
		w.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"a\":1}"}],"resultType":"complete",
			"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}}`)
		w.send(statelessLine("2", "ping", `"x":1`))
		w.wantError("2", -32601)
	})
}

func TestBothErasWorkOnOneConnection(t *testing.T) {
	discover := statelessLine("1", "server/discover", `"x":1`)
	statelessCall := statelessLine("2", "tools/call", `"name":"echo"`)
	list := `{"jsonrpc":"2.0","id":4,"method":"tools/list"}`
	initialize := initializeLine("3", "2025-11-25") + "\n" + initializedLine
	tests := []struct {
		name  string
		lines []string
		eras  []string // a part of each answer
	}{
		{"discover, then initialize", []string{discover, initialize, list}, []string{`"supportedVersions"`, `"protocolVersion":"2025-11-25"`, `"tools"`}},
		{"call, then initialize", []string{statelessCall, initialize, list}, []string{`"resultType"`, `"protocolVersion":"2025-11-25"`, `"tools"`}},
		{"initialize, then call", []string{initialize, statelessCall, list}, []string{`"protocolVersion":"2025-11-25"`, `"resultType"`, `"tools"`}},
		{"discover twice", []string{discover, discover}, []string{`"supportedVersions"`, `"supportedVersions"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, echoOnly())
				for i, line := range test.lines {
					w.send(line)
					if got := w.next(); !strings.Contains(got, test.eras[i]) {
						t.Errorf("got %s, want %s", got, test.eras[i])
					}
				}
				w.send(callLine("9", "echo", "{}"))
				if strings.Contains(test.name, "initialize") {
					w.want(textAnswer("9", "{}"))
				} else {
					w.wantError("9", -32600)
				}
			})
		})
	}
}

func TestDiscoverNamesAllVersionsAndOnlyRealCapabilities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, echoOnly())
		w.send(statelessLine("1", "server/discover", `"x":1`))
		var got struct {
			Result struct {
				SupportedVersions []string
				Capabilities      map[string]any
			}
		}
		if err := json.Unmarshal([]byte(w.next()), &got); err != nil {
			t.Fatal(err)
		}
		versions := []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
		if diff := cmp.Diff(versions, got.Result.SupportedVersions); diff != "" {
			t.Errorf("versions (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]any{"tools": map[string]any{}}, got.Result.Capabilities); diff != "" {
			t.Errorf("capabilities (-want +got):\n%s", diff)
		}
	})
}

func TestListsOfFeaturesThatAreNotThereAreEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, echoOnly())
		w.initialize()
		for _, list := range []string{"prompts", "resources"} {
			w.send(`{"jsonrpc":"2.0","id":1,"method":"` + list + `/list"}`)
			if got := w.next(); !strings.Contains(got, `"`+list+`":[]`) {
				t.Errorf("got %s", got)
			}
		}
	})
}

func TestRequestsGoToTheEraTheyName(t *testing.T) {
	tests := []struct{ name, params, want string }{
		{"no params", ``, ""},
		{"params array", `["protocolVersion"]`, ""},
		{"no meta", `{"name":"x"}`, ""},
		{"in the arguments", `{"arguments":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, ""},
		{"meta null", `{"_meta":null,"x":"protocolVersion"}`, ""},
		{"version number", `{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}`, ""},
		{"version", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, "2026-07-28"},
		{"escaped slash", `{"_meta":{"io.modelcontextprotocol\/protocolVersion":"2026-07-28"}}`, "2026-07-28"},
		{"handshake version", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"}}`, "2025-06-18"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := requestVersion([]byte(test.params)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestUnknownStatelessVersionIsRefusedWithTheKnownOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, echoOnly())
		w.send(versionedLine("1", "tools/list", `"x":1`, "2099-01-01"))
		if got := w.next(); !strings.Contains(got, "-32022") || !strings.Contains(got, `"supported":["2026-07-28"`) {
			t.Errorf("got %s", got)
		}
	})
}
