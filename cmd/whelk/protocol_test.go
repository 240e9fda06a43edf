package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// refused is an error that an answer has to be.
type refused struct {
	id   string // as in JSON
	code int
}

// afterRaw sends raw text and returns the errors that it got, of which want
// are waited for: refusals of lines come in order, those of calls do not.
func afterRaw(t testing.TB, s *mcptest.Server, text string, want int) []*mcptest.Message {
	t.Helper()
	before := len(s.Strays())
	s.Raw(text)
	if m := s.Begin("ping", nil).Wait(); m.Error != nil {
		t.Fatalf("ping: %s", m.Raw)
	}
	mcptest.Eventually(t, mcptest.Patience, "all answers", func() bool { return len(s.Strays()) >= before+want })
	return s.Strays()[before:]
}

const ping = `{"jsonrpc":"2.0","id":7700,"method":"ping"}`

func TestBO69BrokenLinesAreAnsweredAndSurvived(t *testing.T) {
	s := startServer(t)
	for name, c := range map[string]struct {
		line string
		want []refused
	}{
		"cut JSON (BO-69)":    {`{"jsonrpc":"2.0","id":9000,"method":`, []refused{{"null", -32700}}},
		"plain text":          {"hello", []refused{{"null", -32700}}},
		"invalid UTF-8":       {"\xff\xfe", []refused{{"null", -32700}}},
		"two messages":        {ping + ping, []refused{{"null", -32700}}},
		"several lines":       {"{\"jsonrpc\":\"2.0\",\n\"id\":77,\"method\":\"ping\"}", []refused{{"null", -32700}, {"null", -32700}}},
		"no message":          {`{"a":1}`, []refused{{"null", -32600}}},
		"no message, with id": {`{"id":8000}`, []refused{{"8000", -32600}}},
		"old version":         {`{"jsonrpc":"1.0","id":8000,"method":"ping"}`, []refused{{"8000", -32600}}},
		"no version":          {`{"id":"a","method":"ping"}`, []refused{{`"a"`, -32600}}},
		"batch":               {"[" + ping + "]", []refused{{"null", -32600}}},
		"empty batch":         {"[]", []refused{{"null", -32600}}},
		"number":              {"5", []refused{{"null", -32600}}},
		"null":                {"null", []refused{{"null", -32600}}},
		"fraction as id":      {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, []refused{{"1.5", -32600}}},
		"object as id":        {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, []refused{{"null", -32600}}},
		"method of no kind":   {`{"jsonrpc":"2.0","id":8000,"method":5}`, []refused{{"8000", -32600}}},
		"unknown method":      {`{"jsonrpc":"2.0","id":8000,"method":"no/such"}`, []refused{{"8000", -32601}}},
		"unknown tool":        {`{"jsonrpc":"2.0","id":8000,"method":"tools/call","params":{"name":"nope"}}`, []refused{{"8000", -32602}}},
		"no tool":             {`{"jsonrpc":"2.0","id":8000,"method":"tools/call","params":{}}`, []refused{{"8000", -32602}}},
		"blank lines":         {"\n\r\n  \n\t", nil},
		"answer to nothing":   {`{"jsonrpc":"2.0","id":4242,"result":{}}`, nil},
		"notification":        {`{"jsonrpc":"2.0","method":"notifications/nobody-knows"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := afterRaw(t, s, c.line+"\n", len(c.want))
			if len(got) != len(c.want) {
				t.Fatalf("%d answers: %v", len(got), raws(got))
			}
			for i, m := range got {
				if m.Error == nil || m.Error.Code != c.want[i].code || string(m.ID) != c.want[i].id || m.Error.Message == "" {
					t.Errorf("want %v, got %s", c.want[i], m.Raw)
				}
			}
		})
	}
}

func raws(messages []*mcptest.Message) (raw []string) {
	for _, m := range messages {
		raw = append(raw, m.Raw)
	}
	return raw
}

func TestLineFormsOfClientsAreAccepted(t *testing.T) {
	s := startServer(t)
	for name, line := range map[string]string{
		"spaces behind":     ping + "  \t\n",
		"spaces before":     "  " + ping + "\n",
		"carriage return":   ping + "\r\n",
		"order mark":        "\xef\xbb\xbf" + ping + "\n",
		"spaces inside":     `{ "jsonrpc" : "2.0" , "id" : 7700 , "method" : "ping" }` + "\n",
		"null parameters":   `{"jsonrpc":"2.0","id":7700,"method":"ping","params":null}` + "\n",
		"unknown members":   `{"jsonrpc":"2.0","id":7700,"method":"ping","extra":[1]}` + "\n",
		"escapes":           `{"jsonrpc":"2.0","id":7700,"method":"\u0070ing"}` + "\n",
		"behind blank ones": "\n\r\n" + ping + "\n",
	} {
		answer := s.Expect("7700")
		s.Raw(line)
		if m := answer.Wait(); m.Error != nil {
			t.Errorf("%s: %s", name, m.Raw)
		}
	}
	for _, id := range []string{"0", "-5", `""`, `"x"`, "9007199254740991", `"a\"b"`} {
		answer := s.Expect(id)
		s.Raw(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` + "\n")
		if m := answer.Wait(); m.Error != nil {
			t.Errorf("id %s: %s", id, m.Raw)
		}
	}
}

func TestLineOverTheLimitIsSkippedAndRefused(t *testing.T) {
	s := startServer(t)
	long := `{"jsonrpc":"2.0","id":8000,"method":"tools/call","params":{"name":"execute","arguments":{"command":"touch ran; : ` +
		strings.Repeat("x", 17<<20) + `"}}}` + "\n"
	got := afterRaw(t, s, long, 1)
	if len(got) != 1 || got[0].Error == nil || got[0].Error.Code != -32600 || !strings.Contains(got[0].Error.Message, "16777216") {
		t.Errorf("%v", raws(got))
	}
	if r := s.Execute("ls"); r.Stdout() != "" {
		t.Errorf("something ran: %q", r.Stdout())
	}
}

func TestEndlessLineIsNotKept(t *testing.T) {
	s := startServer(t)
	const length, kept = 128 << 20, 96 << 20 // bytes; the limit of a line is 16 MiB
	for range length >> 20 {
		s.Raw(strings.Repeat("x", 1<<20))
	}
	if got := afterRaw(t, s, "\n", 1); len(got) != 1 || got[0].Error == nil || got[0].Error.Code != -32600 {
		t.Errorf("%v", raws(got))
	}
	if peak := mcptest.UsageOf(t, s.PID()).PeakRSS; !raceEnabled && peak > kept {
		t.Errorf("%d MiB at the peak", peak>>20)
	}
}

func TestArgumentFormsOfClientsAreAccepted(t *testing.T) {
	s := startServer(t)
	for name, params := range map[string]string{
		"no arguments":      `{"name":"ps"}`,
		"null as arguments": `{"name":"ps","arguments":null}`,
		"empty arguments":   `{"name":"ps","arguments":{}}`,
		"5.0 for 5":         `{"name":"ps","arguments":{"limit":5.0}}`,
		"null for optional": `{"name":"ps","arguments":{"limit":null,"include_completed":null}}`,
		"progress token":    `{"name":"ps","arguments":{},"_meta":{"progressToken":"p"}}`,
		"number as token":   `{"name":"ps","_meta":{"progressToken":5,"other/key":{"a":1}}}`,
	} {
		answer := s.Expect("7700")
		s.Raw(`{"jsonrpc":"2.0","id":7700,"method":"tools/call","params":` + params + "}\n")
		if r := answer.Result(); r.IsError || !r.Has("executions") {
			t.Errorf("%s: %#v", name, r)
		}
	}
}

func TestCallBeforeInitializeIsRefusedWithACode(t *testing.T) {
	t.Parallel()
	s := mcptest.Launch(t, mcptest.Options{Args: []string{"--result", "structured"}})
	m := s.BeginCall("execute", Args{"command": "touch ran"}).Wait()
	if m.Error == nil || m.Error.Code != -32600 || !strings.Contains(m.Error.Message, "initialize") {
		t.Errorf("%s", m.Raw)
	}
	if m := s.Initialize("2025-11-25"); m.Error != nil {
		t.Errorf("%s", m.Raw)
	}
	if r := s.Execute("ls"); r.Stdout() != "" {
		t.Errorf("something ran: %q", r.Stdout())
	}
}

func TestAllVersionsNegotiate(t *testing.T) {
	t.Parallel()
	for asked, agreed := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25",
	} {
		s := mcptest.Launch(t, mcptest.Options{Args: []string{"--result", "structured"}})
		var result struct{ ProtocolVersion, Instructions string }
		unmarshal(t, s.Initialize(asked).Result, &result)
		if result.ProtocolVersion != agreed {
			t.Errorf("asked for %s, got %s", asked, result.ProtocolVersion)
		}
		wantRun(t, s.Execute("echo "+asked), "completed", 0, asked+"\n")
	}
}

func TestBothErasServeOneConnection(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	s := mcptest.Launch(t, mcptest.Options{Args: []string{"--result", "structured"}})
	request := func(id, method, more string) *mcptest.Pending {
		p := s.Expect(id)
		s.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`+"\n", id, method, meta, more))
		return p
	}
	if m := request("901", "server/discover", "").Wait(); m.Error != nil || !strings.Contains(string(m.Result), `"2026-07-28"`) {
		t.Errorf("discover: %s", m.Raw)
	}
	call := request("902", "tools/call", `,"name":"execute","arguments":{"command":"echo stateless"}`)
	wantRun(t, call.Result(), "completed", 0, "stateless\n")
	if m := s.Initialize("2025-11-25"); m.Error != nil {
		t.Errorf("initialize after discover: %s", m.Raw)
	}
	wantRun(t, s.Execute("echo handshake"), "completed", 0, "handshake\n")
	call = request("903", "tools/call", `,"name":"execute","arguments":{"command":"echo again"}`)
	wantRun(t, call.Result(), "completed", 0, "again\n")
	if got := executions(t, s); len(got) != 3 {
		t.Errorf("%d executions: they belong to the client, not to an era", len(got))
	}
}

func TestBO71DuplicateIDInFlightIsRefused(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	line := func(command string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":600,"method":"tools/call","params":{"name":"execute","arguments":{"command":%q}}}`+"\n", command)
	}
	// Both answers have the id; the refusal comes first.
	refusal := s.Expect("600")
	s.Raw(line("until [ -e go ]; do sleep 0.02; done; echo A") + line("touch B; echo B"))
	m := refusal.Wait()
	if m.Error == nil || m.Error.Code != -32600 || !strings.Contains(m.Error.Message, "600") {
		t.Errorf("%s", m.Raw)
	}
	answer := s.Expect("600")
	wantRun(t, s.Execute("touch go; ls"), "completed", 0, "go\n")
	wantRun(t, answer.Result(), "completed", 0, "A\n")

	marker := mcptest.Marker(t)
	answer = s.Expect("600")
	s.Raw(line("sleep " + marker))
	born(t, marker, 1)
	s.Cancel(answer)
	eventually(t, 2*time.Second, "the call with the id is cancelled", dead(marker))
	neverAnswered(t, s, answer)
}

// Not parallel: it measures times.
func TestBO72ServerAnswersWhileCommandsRun(t *testing.T) {
	s := startServer(t)
	marker := mcptest.Marker(t)
	const running = 20
	var calls []*mcptest.Pending
	for range running {
		calls = append(calls, s.BeginExecute("exec sleep "+marker))
	}
	born(t, marker, running)
	for name, ask := range map[string]func() *mcptest.Message{
		"ping":       func() *mcptest.Message { return s.Begin("ping", nil).Wait() },
		"tools/list": func() *mcptest.Message { return s.Begin("tools/list", nil).Wait() },
		"ps":         func() *mcptest.Message { return s.BeginCall("ps", nil).Wait() },
		"execute":    func() *mcptest.Message { return s.BeginExecute("echo x").Wait() },
	} {
		began := time.Now()
		if m := ask(); m.Error != nil {
			t.Errorf("%s: %s", name, m.Raw)
		}
		atMost(t, name, began, 200*time.Millisecond)
	}
	for _, call := range calls {
		s.Cancel(call)
	}
	eventually(t, 2*time.Second, "all are gone", dead(marker))
}

func TestCallsRunSideBySide(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	began := time.Now()
	for _, r := range many(s, 20, 20, "sleep 0.3; echo done") {
		wantRun(t, r, "completed", 0, "done\n")
	}
	atMost(t, "20 times 0.3 s", began, 600*time.Millisecond)
}

func TestBO73ClientThatDoesNotReadStopsNoTimer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	before := mcptest.UsageOf(t, s.PID())
	resume := s.StopReading()
	defer resume()
	const calls, size = 20, 20_000
	var first []*mcptest.Pending
	for range calls {
		first = append(first, s.BeginExecute(`head -c 20000 /dev/zero | tr "\0" x`))
	}
	marker := mcptest.Marker(t)
	last := s.BeginExecute("touch begun; sleep "+marker, Args{"timeout_ms": 1000})
	begun(t, s)
	eventually(t, 2*time.Second, "the limit ends a command while nobody reads", dead(marker))
	wantFlat(t, s, before)
	resume()
	for _, p := range first {
		wantRun(t, p.Result(), "completed", 0, strings.Repeat("x", size))
	}
	if r := last.Result(); r.Status() != "timed_out" {
		t.Errorf("%#v", r)
	}
}

func TestBO74UnknownArgumentIsNamed(t *testing.T) {
	s := startServer(t)
	r := s.Execute("touch ran", Args{"timeout_msec": 5})
	wantRefused(t, r, "timeout_msec", "did you mean timeout_ms?", "yield_ms", "close_stdin")
	if r := s.Execute("ls"); r.Stdout() != "" {
		t.Errorf("the command ran: %q", r.Stdout())
	}
}

// badLine returns a line that no client means: noise, a request with a wound,
// or JSON that is no request. Nothing in it can run a command.
func badLine(r *rand.Rand) string {
	const request = `{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"x","_meta":{"progressToken":1}}}`
	b := []byte(request)
	switch r.IntN(4) {
	case 0:
		b = make([]byte, r.IntN(200))
		for i := range b {
			b[i] = byte(r.UintN(256))
		}
	case 1:
		b = b[:r.IntN(len(b))]
	case 2:
		for range 1 + r.IntN(4) {
			b[r.IntN(len(b))] = byte(r.UintN(256))
		}
	case 3:
		values := []any{nil, true, 1.5, "x", []int{1}, map[string]any{}, strings.Repeat("y", 3000)}
		pick := func() any { return values[r.IntN(len(values))] }
		b, _ = json.Marshal(map[string]any{"jsonrpc": pick(), "id": pick(), "method": pick(), "params": pick(), "result": pick()})
	}
	return strings.ReplaceAll(string(b), "\n", " ") + "\n"
}

func TestRandomLinesNeverEndTheServer(t *testing.T) {
	s := startServer(t)
	r := rand.New(rand.NewPCG(1, 2)) // the same lines in every run
	const lines = 2000
	for range lines {
		s.Raw(badLine(r))
	}
	if m := s.Begin("ping", nil).Wait(); m.Error != nil {
		t.Errorf("ping: %s", m.Raw)
	}
	errors := 0
	for _, line := range s.Lines() {
		var m struct {
			JSONRPC string
			Error   *struct{ Code int }
		}
		unmarshal(t, []byte(line), &m)
		if m.JSONRPC != "2.0" {
			t.Errorf("no JSON-RPC message: %s", line)
		}
		if m.Error != nil {
			errors++
		}
	}
	if errors < lines/2 {
		t.Errorf("only %d errors for %d bad lines", errors, lines)
	}
}
