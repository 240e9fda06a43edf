package server

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func progressLine(id, token, ms string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":%s},"_meta":{"progressToken":%s}}}`, id, ms, token)
}

func TestProgressIsReportedEveryIntervalAndNeverAfterTheResult(t *testing.T) {
	for _, token := range []string{"7", `"t"`, "0", `""`} {
		t.Run(token, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep})})
				w.initialize()
				w.send(progressLine("1", token, "17000"))
				for _, seconds := range []int{5, 10, 15} {
					w.want(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress",
						"params":{"progressToken":%s,"progress":%d,"message":"sleep: %d s"}}`, token, seconds, seconds))
				}
				w.want(textAnswer("1", "slept"))
				time.Sleep(time.Minute)
				w.wantQuiet()
			})
		})
	}
}

func TestProgressKeepsTheIntervalOfTheOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep}), ProgressInterval: 400 * time.Millisecond})
		w.initialize()
		w.send(progressLine("1", "1", "1000"))
		w.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.4,"message":"sleep: 0 s"}}`)
		w.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.8,"message":"sleep: 0 s"}}`)
		w.want(textAnswer("1", "slept"))
	})
}

func TestToolsMayHaveAnIntervalOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		name     string
		interval time.Duration
		want     string
	}{
		{"a shorter one", time.Second, "sleep: 1 s"},
		{"the server's", 0, "sleep: 5 s"},
		{"none", -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, Options{
					Tools:             tools(map[string]tool{"sleep": sleep}),
					ProgressIntervals: map[string]time.Duration{"sleep": c.interval, "other": time.Millisecond},
				})
				w.initialize()
				w.send(progressLine("1", "1", "5500"))
				if c.want == "" {
					w.want(textAnswer("1", "slept"))
					return
				}
				if line := w.next(); !strings.Contains(line, c.want) {
					t.Errorf("%s, want %q", line, c.want)
				}
			})
		})
	}
}

func TestNoProgressWithoutAToken(t *testing.T) {
	for _, token := range []string{"null", "{}", "true", "[1]"} {
		t.Run(token, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep})})
				w.initialize()
				w.send(progressLine("1", token, "60000"))
				w.want(textAnswer("1", "slept"))
				w.send(callLine("2", "sleep", `{"ms":60000}`))
				w.want(textAnswer("2", "slept"))
			})
		})
	}
}

func TestNoProgressAfterACancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep})})
		w.initialize()
		w.send(progressLine("1", "1", "60000"))
		time.Sleep(time.Second)
		w.send(cancelLine("1"))
		time.Sleep(time.Minute)
		w.wantQuiet()
	})
}

func TestProgressInTheStatelessEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep})})
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":6000},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"t"}}}`)
		w.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":5,"message":"sleep: 5 s"}}`)
		w.next()
		w.wantQuiet()
	})
}
