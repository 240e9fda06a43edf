package server

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func panicking(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	panic("the secret is 42")
}

func TestPanicIsAnInternalErrorThatOtherCallsSurvive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		w := dial(t, Options{
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Tools:  tools(map[string]tool{"panic": panicking, "sleep": sleep}),
		})
		w.initialize()
		w.send(callLine("1", "sleep", `{"ms":100}`), callLine("2", "panic", "{}"))
		if message := w.wantError("2", -32603); message != "internal error" {
			t.Errorf("message %q", message)
		}
		w.want(textAnswer("1", "slept"))
		for _, want := range []string{"the secret is 42", "recover_test.go"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log does not contain %q:\n%s", want, &log)
			}
		}
	})
}

func TestPanicEndsTheProgressOfItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": panicking})})
		w.initialize()
		w.send(progressLine("1", "1", "1"))
		w.wantError("1", -32603)
		w.wantQuiet()
	})
}
