package server

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTenThousandBadLinesDoNotEndTheServer(t *testing.T) {
	w := dial(t, echoOnly())
	w.initialize()
	random := rand.New(rand.NewPCG(1, 2))
	go func() {
		for range 10_000 {
			w.send(badLine(random))
		}
		w.send(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
	}()
	deadline := time.After(time.Minute)
	for {
		select {
		case line, ok := <-w.lines:
			if !ok {
				t.Fatal("the server ended")
			}
			checkLine(t, line)
			if line == `{"jsonrpc":"2.0","id":"last","result":{}}` {
				return
			}
		case <-deadline:
			t.Fatal("the server hangs")
		}
	}
}

// badLine returns a line that is a valid message with random damage.
func badLine(random *rand.Rand) string {
	seeds := []string{
		callLine("1", "echo", `{"a":[1,2,{"b":"c"}]}`), cancelLine("1"), initializeLine("2", "2025-06-18"),
		initializedLine, `{"jsonrpc":"2.0","id":3,"result":{}}`, "[]", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		statelessLine("4", "tools/list", `"x":1`),
	}
	line := []byte(seeds[random.IntN(len(seeds))])
	for range 1 + random.IntN(4) {
		at := random.IntN(len(line))
		switch random.IntN(4) {
		case 0:
			line[at] = byte(random.IntN(256))
		case 1:
			line = append(line[:at], line[at+random.IntN(len(line)-at):]...)
		case 2:
			line = append(line[:at:at], append([]byte(`{}[]",:\0n`)[:random.IntN(10)], line[at:]...)...)
		case 3:
			line = append(line, line[:at]...)
		}
		if len(line) == 0 {
			return "{"
		}
	}
	return string(line)
}

// checkLine fails the test unless the line is one valid JSON-RPC message.
func checkLine(t testing.TB, line string) {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("bad line %q: %v", line, err)
	}
	if string(m["jsonrpc"]) != `"2.0"` {
		t.Fatalf("no version: %s", line)
	}
	_, hasResult := m["result"]
	_, hasError := m["error"]
	_, hasID := m["id"]
	_, hasMethod := m["method"]
	if hasMethod == (hasResult || hasError) || hasResult && hasError || !hasMethod && !hasID {
		t.Fatalf("not a JSON-RPC message: %s", line)
	}
}

func FuzzLinesDoNotEndTheServer(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "{", "[]", "\xef\xbb\xbf{}", `{"a":1}`, "\x00\xff", initializedLine, initializeLine("1", "2025-11-25"),
		callLine("1", "echo", "{}"), callLine("1", "panic", "{}"), cancelLine("1"), cancelLine(`"x"`),
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`,
		statelessLine("1", "server/discover", `"x":1`),
		statelessLine("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`),
		initializeLine("1", "2025-11-25") + "\n" + callLine("2", "echo", "{}") + "\n" + callLine("2", "panic", "{}"),
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt"},"argument":{"name":"a"}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		var out strings.Builder
		err := ServeStdio(t.Context(), Options{
			In:  strings.NewReader(input + "\n" + `{"jsonrpc":"2.0","id":"the last","method":"ping"}`),
			Out: &out, Name: "fuzz", MaxLine: 1 << 16,
			DrainEOF: time.Hour, // a call that is never answered hangs the test
			Tools:    tools(map[string]tool{"echo": echo, "panic": panicking}),
		})
		if err != nil {
			t.Fatalf("ended with %v", err)
		}
		for line := range strings.Lines(out.String()) {
			checkLine(t, line)
		}
		if !strings.Contains(out.String(), `{"jsonrpc":"2.0","id":"the last","result":{}}`) {
			t.Fatalf("the last request was not answered: %s", out.String())
		}
	})
}

func FuzzMembersAgreeWithEncodingJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1}`, `{"a":{"b":[1,"}",{}]},"c":"\"\\","d":null}`, `{"\u0061":1e5 , "b":[ ] }`, `{"a":1,"a":2}`, `{"":"" }`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) || data[0] != '{' {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(data, &want); err != nil {
			return
		}
		got := map[string]json.RawMessage{}
		for name, value := range members(data) {
			// encoding/json replaces invalid UTF-8 in names; members need not.
			got[strings.ToValidUTF8(name, "\uFFFD")] = value
		}
		if !utf8Names(want) {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("members of %q (-want +got):\n%s", data, diff)
		}
	})
}

func utf8Names(m map[string]json.RawMessage) bool {
	for name := range m {
		if strings.Contains(name, "\uFFFD") {
			return false
		}
	}
	return true
}
