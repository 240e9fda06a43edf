package server

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BO-71.
func TestDuplicateIDInFlightIsRefusedAndTheFirstAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep, "echo": echo})})
		w.initialize()
		w.send(callLine("600", "sleep", `{"ms":600}`), callLine("600", "echo", `{}`), callLine("6e2", "echo", `{}`))
		w.wantError("600", -32600)
		w.wantError("6e2", -32600)
		w.want(textAnswer("600", "slept"))
		w.wantQuiet()
		w.send(callLine("600", "echo", `{}`))
		w.want(textAnswer("600", "{}"))
	})
}

func TestStringAndNumberAreDifferentIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep})})
		w.initialize()
		w.send(callLine("7", "sleep", `{"ms":10}`), callLine(`"7"`, "sleep", `{"ms":20}`))
		w.want(textAnswer("7", "slept"))
		w.want(textAnswer(`"7"`, "slept"))
	})
}

func TestDuplicateIDInTheOtherEraIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep})})
		w.initialize()
		w.send(callLine("1", "sleep", `{"ms":10}`), statelessLine("1", "tools/list", `"x":1`))
		w.wantError("1", -32600)
		w.want(textAnswer("1", "slept"))
	})
}

func TestCancelEndsTheContextAtOnceAndDropsTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		var after time.Duration
		wait := func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			start := time.Now()
			<-ctx.Done()
			cause, after = context.Cause(ctx), time.Since(start)
			return textResult("too late"), nil
		}
		w := dial(t, Options{Tools: tools(map[string]tool{"wait": wait, "echo": echo})})
		w.initialize()
		w.send(callLine("1", "wait", "{}"))
		synctest.Wait()
		w.send(cancelLine("1"))
		w.wantQuiet()
		if after != 0 { // of the bubble's time: nothing was waited for
			t.Errorf("cancelled after %v", after)
		}
		if cause == nil || !strings.Contains(cause.Error(), "changed my mind") {
			t.Errorf("cause %v does not carry the client's reason", cause)
		}
		w.send(callLine("1", "echo", "{}"))
		w.want(textAnswer("1", "{}"))
	})
}

func TestCancelOfNothingIsHarmless(t *testing.T) {
	tests := []struct{ name, line string }{
		{"unknown id", cancelLine("99")},
		{"unknown string id", cancelLine(`"1"`)},
		{"answered id", cancelLine("1")},
		{"id with a fraction", cancelLine("1.5")},
		{"null id", cancelLine("null")},
		{"id object", cancelLine("{}")},
		{"no params", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`},
		{"params array", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}`},
		{"no id", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":5}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, echoOnly())
				w.initialize()
				w.send(callLine("1", "echo", "{}"))
				w.want(textAnswer("1", "{}"))
				w.send(test.line, test.line)
				w.wantQuiet()
				w.send(callLine("1", "echo", "{}"))
				w.want(textAnswer("1", "{}"))
			})
		})
	}
}

func TestCancelTwiceIsHarmless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep})})
		w.initialize()
		w.send(callLine("1", "sleep", `{"ms":1000}`), cancelLine("1"), cancelLine("1"))
		w.wantQuiet()
		w.wantAlive()
	})
}

func TestCancelledIDCanBeUsedAtOnce(t *testing.T) {
	// stubborn goes on for a while although its context has ended.
	stubborn := func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		time.Sleep(time.Second)
		return textResult("late"), nil
	}
	set := tools(map[string]tool{"stubborn": stubborn, "echo": echo})
	tests := []struct {
		name string
		send []string
		want []string
	}{
		{"by a call that waits", []string{callLine("1", "echo", "{}")}, []string{textAnswer("1", "{}")}},
		{
			"not by a second one",
			[]string{callLine("1", "echo", "{}"), callLine("1", "echo", "{}")},
			[]string{`refused`, textAnswer("1", "{}")},
		},
		{"by a call cancelled as well", []string{callLine("1", "echo", "{}"), cancelLine("1")}, nil},
		{
			"after that too",
			[]string{callLine("1", "echo", "{}"), cancelLine("1"), callLine("1", "echo", `{"a":1}`)},
			[]string{textAnswer("1", `{"a":1}`)},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, Options{Tools: set})
				w.initialize()
				w.send(callLine("1", "stubborn", "{}"))
				synctest.Wait()
				w.send(cancelLine("1"))
				w.send(test.send...)
				for _, line := range test.want {
					if line == "refused" {
						w.wantError("1", -32600)
					} else {
						w.want(line)
					}
				}
				time.Sleep(2 * time.Second)
				w.wantQuiet()
			})
		})
	}
}

func TestCancelBeforeTheHandlerRunsDropsTheCall(t *testing.T) {
	c := newCalls()
	m, refusal := parseMessage([]byte(callLine("1", "echo", "{}")))
	if refusal != nil {
		t.Fatal(refusal)
	}
	call := newCall(m, nil)
	if got := c.admit(call, true); got != admitted {
		t.Fatalf("verdict %v", got)
	}
	c.cancel(call.key, "")
	if c.begin(call, func(error) { t.Error("cancelled twice") }) {
		t.Error("a cancelled call began")
	}
	if _, wanted, _ := c.answer(call.key); wanted {
		t.Error("the answer to a cancelled call is wanted")
	}
	<-c.idle()
}

func TestCancelOfOtherMethods(t *testing.T) {
	t.Run("drops the answer of a method that is not a tool", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slowList := func(server *mcp.Server) {
				server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
					return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
						if method == "tools/list" {
							<-ctx.Done()
						}
						return next(ctx, method, req)
					}
				})
			}
			w := dial(t, Options{Tools: append(tools(map[string]tool{"echo": echo}), slowList)})
			w.initialize()
			w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			synctest.Wait()
			w.send(cancelLine("1"))
			w.wantQuiet()
			w.wantAlive()
		})
	})
	t.Run("does nothing to initialize", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := dial(t, echoOnly())
			w.send(initializeLine("1", "2025-11-25"), cancelLine("1"))
			if line := w.next(); !strings.Contains(line, `"serverInfo"`) {
				t.Errorf("got %s", line)
			}
		})
	})
	t.Run("ends a subscription", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := dial(t, echoOnly())
			w.send(statelessLine("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
			if line := w.next(); !strings.Contains(line, "notifications/subscriptions/acknowledged") {
				t.Errorf("got %s", line)
			}
			// The tools never change, so there is nothing to stay open for.
			if line := w.next(); !strings.Contains(line, `"result"`) {
				t.Errorf("got %s", line)
			}
			w.send(cancelLine("1"))
			w.wantQuiet()
		})
	})
}

func TestCallsRunConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep, "echo": echo})})
		w.initialize()
		start := time.Now()
		for id := range 20 {
			w.send(callLine(strconv.Itoa(id), "sleep", `{"ms":300}`))
		}
		w.send(callLine("99", "echo", "{}"))
		w.want(textAnswer("99", "{}"))
		for range 20 {
			if line := w.next(); !strings.Contains(line, "slept") {
				t.Errorf("got %s", line)
			}
		}
		if took := time.Since(start); took != 300*time.Millisecond {
			t.Errorf("20 calls of 300 ms took %v", took)
		}
	})
}
