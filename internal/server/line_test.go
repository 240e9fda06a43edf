package server

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
)

func echoOnly() Options { return Options{Tools: tools(map[string]tool{"echo": echo})} }

func TestRefusedLineIsAnsweredAndTheServerLives(t *testing.T) {
	tests := []struct {
		name, line string
		id         string
		code       int
	}{
		{"plain text", "hello", "null", -32700},
		{"malformed JSON", `{"jsonrpc":"2.0","id":1,`, "null", -32700},
		{"two messages on a line", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, "null", -32700},
		{"half a message", `{"jsonrpc":"2.0","id":1`, "null", -32700},
		{"object that is no message", `{"a":1}`, "null", -32600},
		{"object with an id only", `{"jsonrpc":"2.0","id":7}`, "7", -32600},
		{"JSON-RPC 1.0", `{"jsonrpc":"1.0","id":"x","method":"ping"}`, `"x"`, -32600},
		{"no version", `{"id":2,"method":"ping"}`, "2", -32600},
		{"version as a number", `{"jsonrpc":2.0,"id":2,"method":"ping"}`, "2", -32600},
		{"names in another case", `{"JSONRPC":"2.0","ID":2,"METHOD":"ping"}`, "null", -32600},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", -32600},
		{"empty batch", `[]`, "null", -32600},
		{"scalar", `"ping"`, "null", -32600},
		{"null", `null`, "null", -32600},
		{"method as a number", `{"jsonrpc":"2.0","id":3,"method":5}`, "3", -32600},
		{"id with a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "1.5", -32600},
		{"id out of range", `{"jsonrpc":"2.0","id":1e999,"method":"ping"}`, "1e999", -32600},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, "null", -32600},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", -32600},
		{"id object", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, "null", -32600},
		{"id array", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, "null", -32600},
		{"id too long", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", maxID) + `","method":"ping"}`, "null", -32600},
		{"unknown method", `{"jsonrpc":"2.0","id":4,"method":"no/such"}`, "4", -32601},
		{"empty method", `{"jsonrpc":"2.0","id":4,"method":""}`, "4", -32601},
		{"unknown tool", callLine("5", "nosuch", "{}"), "5", -32602},
		{"params as an array", `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":[1]}`, "6", -32602},
		{"no params", `{"jsonrpc":"2.0","id":6,"method":"tools/call"}`, "6", -32600},
		{"notification with an id", `{"jsonrpc":"2.0","id":8,"method":"notifications/initialized"}`, "8", -32600},
		{"nested too deeply", callLine("9", "echo", strings.Repeat(`{"a":`, 2000)+"1"+strings.Repeat("}", 2000)), "9", -32602},
		{"second initialize", initializeLine("10", "2025-11-25"), "10", -32600},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, echoOnly())
				w.initialize()
				w.send(test.line)
				w.wantError(test.id, test.code)
				w.wantAlive()
			})
		})
	}
}

func TestOddButUsableLineIsServed(t *testing.T) {
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	tests := []struct{ name, input, id string }{
		{"trailing spaces", ping("1") + "  \t\n", "1"},
		{"leading spaces", "  " + ping("1") + "\n", "1"},
		{"byte order mark", "\xef\xbb\xbf" + ping("1") + "\n", "1"},
		{"CRLF", ping("1") + "\r\n", "1"},
		{"blank lines before", "\n\r\n  \n" + ping("1") + "\n", "1"},
		{"spaces inside", `{ "jsonrpc" : "2.0" , "id" : 1 , "method" : "ping" }` + "\n", "1"},
		{"unknown members", `{"jsonrpc":"2.0","x":{"y":["}",{}]},"id":1,"method":"ping"}` + "\n", "1"},
		{"null params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}` + "\n", "1"},
		{"escaped names", `{"jsonrpc":"2.0","\u0069d":1,"meth\u006fd":"p\u0069ng"}` + "\n", "1"},
		{"negative id", ping("-3") + "\n", "-3"},
		{"id over 2^53", ping("1700000000000000001") + "\n", "1700000000000000001"},
		{"id in another notation", ping("1.0") + "\n", "1.0"},
		{"empty string id", ping(`""`) + "\n", `""`},
		{"id with escapes", ping(`"a\"\u00e9\n"`) + "\n", `"a\"é\n"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, echoOnly())
				if _, err := io.WriteString(w.in, test.input); err != nil {
					t.Fatal(err)
				}
				if got, want := w.next(), `{"jsonrpc":"2.0","id":`+test.id+`,"result":{}}`; got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		})
	}
}

func TestMessageSpreadOverLinesIsSeveralParseErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, echoOnly())
		w.send("{", `"jsonrpc":"2.0","id":1,"method":"ping"`, "}")
		for range 3 {
			w.wantError("null", -32700)
		}
		w.wantAlive()
	})
}

func TestResponseIsNeverAnswered(t *testing.T) {
	tests := []struct{ name, line string }{
		{"to no request", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"error to no request", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}`},
		{"error with a null id", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`},
		{"malformed error", `{"jsonrpc":"2.0","id":1,"error":5}`},
		{"no id", `{"jsonrpc":"2.0","result":{}}`},
		{"wrong version", `{"jsonrpc":"1.0","id":1,"result":{},"error":{"code":1}}`},
		{"unusable id", `{"jsonrpc":"2.0","id":[],"error":{}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, echoOnly())
				w.send(test.line)
				w.wantQuiet()
				w.wantAlive()
			})
		})
	}
}

func TestNotificationIsNeverAnswered(t *testing.T) {
	tests := []struct{ name, line string }{
		{"unknown", `{"jsonrpc":"2.0","method":"notifications/nosuch"}`},
		{"before initialize", initializedLine},
		{"with a null id", `{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`},
		{"request without id", `{"jsonrpc":"2.0","method":"tools/list"}`},
		{"bad params", `{"jsonrpc":"2.0","method":"notifications/progress","params":7}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, echoOnly())
				w.send(test.line)
				w.wantQuiet()
				w.wantAlive()
			})
		})
	}
}

func TestCallBeforeInitializeIsAnInvalidRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, echoOnly())
		w.send(callLine("1", "echo", "{}"))
		if message := w.wantError("1", -32600); !strings.Contains(message, `send "initialize" first`) {
			t.Errorf("message %q does not say what to do", message)
		}
		w.initialize()
		w.send(callLine("1", "echo", "{}"))
		w.want(textAnswer("1", "{}"))
	})
}

func TestCallWithoutArgumentsGetsTheEmptyObject(t *testing.T) {
	for _, params := range []string{`{"name":"echo"}`, `{"name":"echo","arguments":null}`} {
		synctest.Test(t, func(t *testing.T) {
			w := dial(t, echoOnly())
			w.initialize()
			w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
			w.want(textAnswer("1", "{}"))
		})
	}
}

// BO-56.
func TestLongLineIsServed(t *testing.T) {
	for _, size := range []int{readBuffer - 1, readBuffer, readBuffer + 1, 70_000, 1_100_000, 3_000_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, echoOnly())
				w.initialize()
				arguments := `{"stdin":"` + strings.Repeat("x", size) + `"}`
				w.send(callLine("1", "echo", arguments))
				w.want(textAnswer("1", arguments))
				w.wantAlive()
			})
		})
	}
}

func TestLineOverTheLimitIsSkipped(t *testing.T) {
	const limit = 100_000
	tests := []struct {
		name   string
		length int
		served bool
	}{
		{"at the limit", limit, true},
		{"one byte over", limit + 1, false},
		{"far over", 30 * limit, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := echoOnly()
				o.MaxLine = limit
				w := dial(t, o)
				line := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":""}}`
				pad := strings.Repeat("x", test.length-len(line))
				w.send(strings.Replace(line, `""`, `"`+pad+`"`, 1))
				if test.served {
					w.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
				} else if message := w.wantError("null", -32600); !strings.Contains(message, fmt.Sprint(limit)) {
					t.Errorf("message %q does not name the limit", message)
				}
				w.wantAlive()
			})
		})
	}
}

func TestLineOverTheLimitIsNotBuffered(t *testing.T) {
	const size, limit = 1 << 25, 1 << 10
	lines := newLineReader(io.MultiReader(io.LimitReader(xs{}, size), strings.NewReader("\nping\n")), limit)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := lines.next(); err != errLineTooLong {
		t.Errorf("got %v, want %v", err, errLineTooLong)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > size/100 {
		t.Errorf("%d bytes allocated to skip %d", used, size)
	}
	if line, err := lines.next(); string(line) != "ping" || err != nil {
		t.Errorf("got %q, %v after the line", line, err)
	}
}

// xs reads as an endless row of the letter x.
type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestErrorMessageIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, echoOnly())
		w.initialize()
		huge := strings.Repeat("\u00e9", 1<<20)
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5,"x":"` + huge + `"}}`)
		if message := w.wantError("1", -32602); len(message) > maxErrorText+len("…") {
			t.Errorf("message of %d bytes", len(message))
		}
		w.send(`{"jsonrpc":"2.0","id":1,"method":"` + huge + `"}`)
		if message := w.wantError("1", -32601); len(message) > maxErrorText+len("…") {
			t.Errorf("message of %d bytes", len(message))
		}
	})
}

func TestLastLineWithoutNewlineIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, echoOnly())
		if _, err := io.WriteString(w.in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); err != nil {
			t.Fatal(err)
		}
		if err := w.end(); err != nil {
			t.Fatal(err)
		}
		w.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}
