package server

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BO-17.
func TestPipedScriptGetsAllItsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, Options{Tools: tools(map[string]tool{"sleep": sleep})})
		w.send(initializeLine("1", "2025-11-25"), initializedLine, callLine("2", "sleep", `{"ms":500}`))
		start := time.Now()
		if err := w.end(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 500*time.Millisecond {
			t.Errorf("ended after %v, not when the answer was written", took)
		}
		if got := w.next(); !strings.Contains(got, `"id":1`) {
			t.Errorf("got %s", got)
		}
		w.want(textAnswer("2", "slept"))
	})
}

func TestShutdownOrder(t *testing.T) {
	const long = `{"ms":60000}`
	tests := []struct {
		name   string
		calls  int
		end    func(*wire)
		before time.Duration // time until Shutdown is called
	}{
		{"end of input with nothing in flight", 0, (*wire).endInput, 0},
		{"end of input with calls in flight", 2, (*wire).endInput, 3 * time.Second},
		{"signal with nothing in flight", 0, func(w *wire) { w.cancel() }, 0},
		{"signal with calls in flight", 2, func(w *wire) { w.cancel() }, 0},
		{"signal while draining", 1, func(w *wire) { w.endInput(); time.Sleep(time.Second); w.cancel() }, time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// Ending an execution is what lets its call answer.
				stopped := make(chan struct{})
				run := func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					select {
					case <-ctx.Done():
						return nil, context.Cause(ctx)
					case <-stopped:
						return textResult("stopped"), nil
					}
				}
				var start time.Time
				var shutdowns int
				var before time.Duration
				w := dial(t, Options{
					Tools: tools(map[string]tool{"run": run}), DrainEOF: 3 * time.Second,
					Shutdown: func() {
						shutdowns++
						before = time.Since(start)
						time.Sleep(time.Second)
						close(stopped)
					},
				})
				w.initialize()
				for id := range test.calls {
					w.send(callLine(string(rune('1'+id)), "run", long))
				}
				synctest.Wait()
				start = time.Now()
				test.end(w)
				if err := w.wait(); err != nil {
					t.Errorf("ended with %v", err)
				}
				if shutdowns != 1 || before != test.before {
					t.Errorf("%d shutdowns, after %v; want 1 after %v", shutdowns, before, test.before)
				}
				if took := time.Since(start); took != test.before+time.Second {
					t.Errorf("ended %v after the end began", took)
				}
				for range test.calls {
					if got := w.next(); !strings.Contains(got, `"stopped"`) {
						t.Errorf("got %s", got)
					}
				}
			})
		})
	}
}

func (w *wire) endInput() { _ = w.in.Close() }

func TestCallThatOutlivesShutdownIsCancelledNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancelled := make(chan struct{})
		stuck := func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			close(cancelled)
			time.Sleep(time.Hour)
			return textResult("too late"), nil
		}
		w := dial(t, Options{Tools: tools(map[string]tool{"stuck": stuck})})
		w.initialize()
		w.send(callLine("1", "stuck", "{}"))
		synctest.Wait()
		start := time.Now()
		if err := w.end(); err != nil {
			t.Error(err)
		}
		if took, want := time.Since(start), defaultDrain+answerGrace+closeGrace; took != want {
			t.Errorf("ended after %v, want %v", took, want)
		}
		<-cancelled // else the bubble is deadlocked
		if line, ok := <-w.lines; ok {
			t.Errorf("unexpected line: %s", line)
		}
		time.Sleep(time.Hour) // lets the handler end in the bubble
	})
}

func TestNewCallDuringShutdownIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := echoOnly()
		o.Shutdown = func() { time.Sleep(time.Second) }
		w := dial(t, o)
		w.initialize()
		w.cancel()
		synctest.Wait()
		w.send(callLine("1", "echo", "{}"))
		w.wantError("1", codeShuttingDown)
	})
}

// A brokenPipe accepts so many writes and then has no reader.
type brokenPipe struct{ accepts atomic.Int64 }

func (b *brokenPipe) Write(p []byte) (int, error) {
	if b.accepts.Add(-1) < 0 {
		return 0, syscall.EPIPE
	}
	return len(p), nil
}

func TestFailedWriteEndsTheServerWithoutDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		out := new(brokenPipe)
		out.accepts.Store(1)
		var alive bool // when Shutdown runs: ctx of the call is not cancelled
		var callCtx context.Context
		wait := func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			callCtx = ctx
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ended := make(chan error)
		go func() {
			ended <- ServeStdio(t.Context(), Options{
				In: in, Out: out, Name: "x", Tools: tools(map[string]tool{"wait": wait}),
				Shutdown: func() { alive = callCtx.Err() == nil },
			})
		}()
		_, _ = io.WriteString(client, initializeLine("1", "2025-11-25")+"\n"+callLine("2", "wait", "{}")+"\n")
		synctest.Wait()
		start := time.Now()
		_, _ = io.WriteString(client, `{"jsonrpc":"2.0","id":3,"method":"ping"}`+"\n")
		if err := <-ended; err != nil {
			t.Errorf("ended with %v", err)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("ended after %v", took)
		}
		if !alive {
			t.Error("the call's context was cancelled before Shutdown")
		}
	})
}

var errDisk = errors.New("disk on fire")

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errDisk }
func (failing) Write([]byte) (int, error) { return 0, errDisk }

func TestStreamErrorIsReturned(t *testing.T) {
	tests := []struct {
		name string
		in   io.Reader
		out  io.Writer
	}{
		{"reading", failing{}, io.Discard},
		{"writing", strings.NewReader("x\n"), failing{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			shutdowns := 0
			err := ServeStdio(t.Context(), Options{In: test.in, Out: test.out, Name: "x", Shutdown: func() { shutdowns++ }})
			if !errors.Is(err, errDisk) || shutdowns != 1 {
				t.Errorf("error %v, %d shutdowns", err, shutdowns)
			}
		})
	}
}

// An unclosable stream blocks for ever, as a terminal in blocking mode does.
type unclosable struct{ forever chan struct{} }

func (u unclosable) Read([]byte) (int, error) { <-u.forever; return 0, io.EOF }

func TestBlockedReadDoesNotKeepTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := unclosable{make(chan struct{})}
		defer close(in.forever)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		if err := ServeStdio(ctx, Options{In: in, Out: io.Discard, Name: "x"}); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > closeGrace {
			t.Errorf("ended after %v", took)
		}
	})
}

// BO-73.
func TestClientThatStopsReadingStopsOnlyWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finished := make(chan struct{})
		text := strings.Repeat("x", 20_000)
		produce := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			finished <- struct{}{}
			return textResult(text), nil
		}
		started, cancelled := make(chan struct{}), make(chan struct{})
		wait := func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			close(started)
			<-ctx.Done()
			close(cancelled)
			return nil, ctx.Err()
		}
		w := dialSilent(t, Options{Tools: tools(map[string]tool{"produce": produce, "wait": wait})})
		w.send(initializeLine(`"i"`, "2025-11-25"))
		// The answer to initialize comes before any other, and is not read:
		// the SDK runs no tool before it is written.
		line := make([]byte, 4096)
		if _, err := w.out.Read(line); err != nil {
			t.Fatal(err)
		}
		for id := range 20 {
			w.send(callLine(`"p`+string(rune('a'+id))+`"`, "produce", "{}"))
		}
		w.send(callLine("1", "wait", "{}"))
		<-started
		w.send(cancelLine("1"))
		<-cancelled // although nothing is read
		for range 20 {
			<-finished
		}
		go w.readLines()
		for range 20 {
			if got := w.next(); !strings.Contains(got, text) {
				t.Errorf("got a line of %d bytes", len(got))
			}
		}
	})
}

func TestStuckClientDoesNotKeepTheServer(t *testing.T) {
	w := dialSilent(t, echoOnly())
	w.send(initializeLine(`"i"`, "2025-11-25"), `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if err := w.end(); err != nil { // TestMain sees to it that nothing is left
		t.Error(err)
	}
}
