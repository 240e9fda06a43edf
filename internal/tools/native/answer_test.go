package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/execution"
)

func finished(stdout, stderr string) *answer {
	return new(answer).add("status", "completed").add("exit_code", int64(0)).add("signal", nil).
		add("stdout", stream(stdout)).add("stderr", stream(stderr)).add("capped", false)
}

func TestBothFormsSayTheSame(t *testing.T) {
	tests := []struct {
		name   string
		answer *answer
		text   string
		json   string
	}{
		{
			"nothing", new(answer),
			"",
			`{}`,
		},
		{
			"no output", finished("", ""),
			"completed exit_code=0",
			`{"status":"completed","exit_code":0,"signal":null,"stdout":"","stderr":"","capped":false}`,
		},
		{
			"output", finished("a\nb\n", ""),
			"completed exit_code=0\na\nb\n",
			`{"status":"completed","exit_code":0,"signal":null,"stdout":"a\nb\n","stderr":"","capped":false}`,
		},
		{
			"errors", finished("", "oops\n"),
			"completed exit_code=0\n[stderr]\noops\n",
			`{"status":"completed","exit_code":0,"signal":null,"stdout":"","stderr":"oops\n","capped":false}`,
		},
		{
			"both streams", finished("out\n", "err\n"),
			"completed exit_code=0\nout\n[stderr]\nerr\n",
			`{"status":"completed","exit_code":0,"signal":null,"stdout":"out\n","stderr":"err\n","capped":false}`,
		},
		{
			"output without last newline", finished("out", "err"),
			"completed exit_code=0\nout\n[stderr]\nerr",
			`{"status":"completed","exit_code":0,"signal":null,"stdout":"out","stderr":"err","capped":false}`,
		},
		{
			"output that begins with a newline", finished("\nout\n", ""),
			"completed exit_code=0\n\nout\n",
			`{"status":"completed","exit_code":0,"signal":null,"stdout":"\nout\n","stderr":"","capped":false}`,
		},
		{
			"output with markup", finished("<b>&\u2028\"\\\t\x01\n", ""),
			"completed exit_code=0\n<b>&\u2028\"\\\t\x01\n",
			`{"status":"completed","exit_code":0,"signal":null,"stdout":"<b>&` + "\u2028" + `\"\\\t\u0001\n","stderr":"","capped":false}`,
		},
		{
			"status is first in text alone", new(answer).add("execution_id", "a1").add("status", "running").add("exit_code", nil),
			"running execution_id=a1",
			`{"execution_id":"a1","status":"running","exit_code":null}`,
		},
		{
			"flags speak when they are raised", new(answer).add("status", "completed").add("capped", true).add("evicted", false).add("forced", true),
			"completed capped=true forced=true",
			`{"status":"completed","capped":true,"evicted":false,"forced":true}`,
		},
		{
			"ok and stopped always speak", new(answer).add("ok", false).add("stopped", false),
			"ok=false stopped=false",
			`{"ok":false,"stopped":false}`,
		},
		{
			"success", new(answer).add("ok", true).add("accepted_bytes", int64(0)),
			"ok=true accepted_bytes=0",
			`{"ok":true,"accepted_bytes":0}`,
		},
		{
			"numbers", new(answer).add("exit_code", int64(-9)).add("duration_ms", 0.0).add("idle_ms", 1234567.8).add("started_at", 1796030169.181373),
			"exit_code=-9 duration_ms=0 idle_ms=1234567.8 started_at=1796030169.181373",
			`{"exit_code":-9,"duration_ms":0.0,"idle_ms":1234567.8,"started_at":1796030169.181373}`,
		},
		{
			"texts that need quotes", new(answer).add("name", "two words").add("command", "printf 'a\n' # \"x\"").add("cwd", ""),
			`name="two words" command="printf 'a\n' # \"x\"" cwd=""`,
			`{"name":"two words","command":"printf 'a\n' # \"x\"","cwd":""}`,
		},
		{
			"texts that need none", new(answer).add("name", "α=β").add("cwd", `/a\b/'c'`),
			`name=α=β cwd=/a\b/'c'`,
			`{"name":"α=β","cwd":"/a\\b/'c'"}`,
		},
		{
			"fault", badArguments(errors.New("yield_ms: expected a whole number\nand more")),
			"code=invalid_argument\nyield_ms: expected a whole number\nand more",
			`{"error":"yield_ms: expected a whole number\nand more","code":"invalid_argument"}`,
		},
		{
			"failure of an execution", new(answer).add("execution_id", "a1").add("stopped", false).failed(&execution.Error{Code: execution.NotRunning, Text: "it has ended"}),
			"execution_id=a1 stopped=false code=not_running\nit has ended",
			`{"execution_id":"a1","stopped":false,"error":"it has ended","code":"not_running"}`,
		},
		{
			"no error", new(answer).add("stopped", true).add("error", nil),
			"stopped=true",
			`{"stopped":true,"error":null}`,
		},
		{
			"empty list", new(answer).add("executions", []*answer{}),
			"executions=0",
			`{"executions":[]}`,
		},
		{
			"list", new(answer).add("executions", []*answer{
				new(answer).add("execution_id", "a1").add("status", "running"), new(answer).add("execution_id", "b2").add("status", "stopped"),
			}),
			"executions=2\nrunning execution_id=a1\nstopped execution_id=b2",
			`{"executions":[{"execution_id":"a1","status":"running"},{"execution_id":"b2","status":"stopped"}]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.text, test.answer.text()); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.json, string(test.answer.json())); diff != "" {
				t.Errorf("JSON (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEachInvalidByteIsReplaced(t *testing.T) {
	a := finished("a\xffb\xc3", "\xe2\x82")
	want := `{"status":"completed","exit_code":0,"signal":null,"stdout":"a` + "\ufffdb\ufffd" + `","stderr":"` + "\ufffd\ufffd" + `","capped":false}`
	if diff := cmp.Diff(want, string(a.json())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := a.text(); !strings.HasSuffix(got, "a\xffb\xc3\n[stderr]\n\xe2\x82") {
		t.Errorf("text %q: the output is not as it was written", got)
	}
}

// A finished command may cost at most 160 bytes more than its output.
func TestTheStatusLineIsShort(t *testing.T) {
	a := new(answer).add("status", "completed").add("execution_id", "0123456789ab").add("process_id", int64(4194304))
	a.add("exit_code", int64(255)).add("signal", nil).add("duration_ms", 3599999.9)
	a.add("stdout", stream("x\n")).add("stderr", stream(""))
	a.add("start_seq", int64(10_000_001)).add("next_seq", int64(10_000_003)).add("latest_seq", int64(10_000_003))
	a.add("capped", false).add("evicted", false)
	if got := a.text(); len(got) > 160+len("x\n") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestOnlyTheChosenFormsAreSent(t *testing.T) {
	tests := []struct {
		form       string
		answer     *answer
		text       bool
		structured bool
	}{
		{"text", finished("hi\n", ""), true, false},
		{"structured", finished("hi\n", ""), false, true},
		{"both", finished("hi\n", ""), true, true},
		{"text", badArguments(errors.New("x")), true, false},
		{"structured", badArguments(errors.New("x")), true, true}, // clients show a model the text of errors
		{"both", badArguments(errors.New("x")), true, true},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s, error %v", test.form, test.answer.fault), func(t *testing.T) {
			form, err := ParseForm(test.form)
			if err != nil {
				t.Fatal(err)
			}
			s := &set{opts: Options{Form: form}}
			wire, err := json.Marshal(s.result(nil, test.answer))
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Content           []struct{ Type, Text string }
				StructuredContent json.RawMessage
				IsError           bool
			}
			if err := json.Unmarshal(wire, &got); err != nil {
				t.Fatal(err)
			}
			if got.Content == nil || got.IsError != test.answer.fault {
				t.Errorf("%s: no content, or not marked", wire)
			}
			if text := len(got.Content) == 1 && got.Content[0].Text == test.answer.text(); text != test.text {
				t.Errorf("%s: text %v, want %v", wire, text, test.text)
			}
			if structured := string(got.StructuredContent) == string(test.answer.json()); structured != test.structured {
				t.Errorf("%s: structured %v, want %v", wire, structured, test.structured)
			}
		})
	}
}

func TestOnlyKnownFormsParse(t *testing.T) {
	if _, err := ParseForm("xml"); err == nil || !strings.Contains(err.Error(), "xml") {
		t.Errorf("error %v, want one about xml", err)
	}
}

func TestOnlyFailuresAreMarkedAsErrors(t *testing.T) {
	s := &set{}
	if s.result(nil, finished("", "")).IsError {
		t.Error("a finished command is marked")
	}
	if !s.result(nil, s.failedToStart(t.Context(), execution.Request{}, &execution.Error{Code: execution.FailedToStart, Text: "x"})).IsError {
		t.Error("a command that did not start is not marked")
	}
}

func TestDurationsHaveOneDecimal(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{
		{0, "0.0"},
		{49 * time.Microsecond, "0.0"},
		{50 * time.Microsecond, "0.1"},
		{999949 * time.Microsecond, "999.9"},
		{time.Second, "1000.0"},
		{-time.Millisecond, "-1.0"},
		{math.MaxInt64, "9223372036854.8"},
	}
	for _, test := range tests {
		if got := string(appendFloat(nil, milliseconds(test.d))); got != test.want {
			t.Errorf("%v: %s, want %s", test.d, got, test.want)
		}
	}
}

func TestMomentsAreSecondsOfTheEpoch(t *testing.T) {
	if got := seconds(time.Time{}); got != nil {
		t.Errorf("no moment is %v", got)
	}
	if got := seconds(time.Unix(1796030169, 181373000)); got != 1796030169.181373 {
		t.Errorf("%v", got)
	}
}

func FuzzAnswerJSON(f *testing.F) {
	f.Add("name", "text", []byte("output\n"), true, int64(-1), 0.5)
	f.Add("", "", []byte(nil), false, int64(math.MinInt64), 0.0)
	f.Add("a\"b", "\x00\x1f\x7f\u2028<&>", []byte("\xff\xc3\xa9\xe2\x82"), true, int64(math.MaxInt64), math.MaxFloat64)
	f.Add("\xff", "\ufffd\xed\xa0\x80", []byte("\xf0\x9f\x98"), true, int64(0), -1e-300)
	f.Fuzz(func(t *testing.T, name, text string, output []byte, flag bool, n int64, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Skip("no measure is infinite")
		}
		inner := new(answer).add("text", text)
		a := new(answer).add("null", nil).add("text", text).add("output", stream(output)).add("flag", flag)
		a.add("n", n).add("x", x).add("list", []*answer{inner, new(answer)}).add("-"+name, "last")

		var got map[string]any
		decoder := json.NewDecoder(bytes.NewReader(a.json()))
		decoder.UseNumber()
		if err := decoder.Decode(&got); err != nil || decoder.More() || !json.Valid(a.json()) {
			t.Fatalf("%v: %s", err, a.json())
		}
		if !utf8.Valid(a.json()) {
			t.Errorf("not UTF-8: %q", a.json())
		}
		gotN, errN := got["n"].(json.Number).Int64()
		gotX, errX := got["x"].(json.Number).Float64()
		if errN != nil || errX != nil || gotN != n || gotX != x || !strings.Contains(got["x"].(json.Number).String(), ".") {
			t.Errorf("numbers %v %v, want %d %g", got["n"], got["x"], n, x)
		}
		delete(got, "n")
		delete(got, "x")
		want := map[string]any{
			"null": nil, "text": replaced(text), "output": replaced(string(output)), "flag": flag,
			"list": []any{map[string]any{"text": replaced(text)}, map[string]any{}}, replaced("-" + name): "last",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := a.text(); len(output) > 0 && !strings.Contains(got, string(output)) {
			t.Errorf("text %q does not hold the output %q as it is", got, output)
		}
	})
}

// replaced is s with each byte that is not UTF-8 replaced.
func replaced(s string) string { return string([]rune(s)) }

func TestTextsOfAnAnswerAreRedacted(t *testing.T) {
	hide := func(text string) string { return strings.ReplaceAll(text, "secret", "*") }
	argv := []string{"echo", "secret"}
	a := new(answer).add("error", "a secret").add("exit_code", int64(1)).add("stdout", stream("secret")).
		add("argv", argv).add("commands", []*answer{new(answer).add("name", "secret.sh")}).redacted(hide)
	want := `{"error":"a *","exit_code":1,"stdout":"secret","argv":["echo","*"],"commands":[{"name":"*.sh"}]}`
	if got := string(a.json()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if argv[1] != "secret" {
		t.Error("the list was changed, which is not the answer's own")
	}
}
