package native

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/output"
	"whelk/internal/tools/schema"
)

// seedStandard are the settings of mcp-yieldshell without variables.
func seedStandard() Options {
	o := standard()
	o.Dialect, o.MaxYield = YieldShell, 5*time.Minute
	return o
}

func TestTheSeedsDialectHasItsParametersAlone(t *testing.T) {
	beyond := map[string][]string{"execute": {"argv", "idle_timeout_ms"}}
	required := map[string][]string{"execute": {"command", "side_effects"}}
	own := map[string]*tool{}
	for _, t := range tools(standard()) {
		own[t.name] = t
	}
	var names []string
	for _, got := range tools(seedStandard()) {
		names = append(names, got.name)
		if !got.Lenient {
			t.Errorf("%s refuses unknown arguments", got.name)
		}
		var want, params []schema.Param
		for _, p := range own[got.name].Params {
			if !slices.Contains(beyond[got.name], p.Name) {
				p.Required = p.Required || slices.Contains(required[got.name], p.Name)
				p.OnlyStrings = p.Name == "env"
				p.Doc = ""
				want = append(want, p)
			}
		}
		for _, p := range got.Params {
			if p.Doc == "" || strings.Contains(p.Doc, "argv") {
				t.Errorf("the description of %s.%s is %q", got.name, p.Name, p.Doc)
			}
			p.Doc = ""
			params = append(params, p)
		}
		if diff := cmp.Diff(want, params); diff != "" {
			t.Errorf("%s (-want +got):\n%s", got.name, diff)
		}
	}
	if diff := cmp.Diff([]string{"execute", "read", "write", "wait", "stop", "ps", "cleanup"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheSeedsDialectSaysNothingOfWhatItLacks(t *testing.T) {
	for _, tool := range tools(seedStandard()) {
		for _, word := range []string{"argv", "accepted_bytes", "explain", "WHELK"} {
			if strings.Contains(tool.doc, word) {
				t.Errorf("%s: the description speaks of %s", tool.name, word)
			}
		}
	}
	page := output.Page{Start: 1, Next: 2, Latest: 3, Evicted: true}
	if h := hint("a1", output.ReadOptions{}, page, YieldShell); !strings.Contains(h, "YIELDSHELL_MAX_BUFFER_BYTES") || strings.Contains(h, "WHELK") {
		t.Errorf("the hint is %q", h)
	}
}

func TestTheSeedsResults(t *testing.T) {
	s := &set{opts: seedStandard()}
	tests := []struct {
		name, tool string
		answer     *answer
		text       string
	}{
		{
			"output", "execute", new(answer).add("status", "completed").add("exit_code", int64(0)).add("signal", nil).add("duration_ms", 4.0).
				add("stdout", stream("é\u2028<&>\n\x01\x7f\xff")).add("capped", false).add("limit_exceeded", "timeout"),
			"{\n  \"status\": \"completed\",\n  \"exit_code\": 0,\n  \"signal\": null,\n  \"duration_ms\": 4.0,\n" +
				"  \"stdout\": \"é\u2028<&>\\n\\u0001\x7f\uFFFD\",\n  \"capped\": false\n}",
		},
		{
			"a failure", "execute", new(answer).add("status", "failed_to_start").failed(errors.New("no")).add("code", "x").add("rule", "y").add("suggest", "z"),
			"{\n  \"status\": \"failed_to_start\",\n  \"error\": \"no\"\n}",
		},
		{
			"a stop", "stop", new(answer).add("execution_id", "a1").add("stopped", true).add("signal", "TERM").add("error", nil).
				add("forced", true).add("reaped", int64(2)).add("status", "stopped").add("exit_code", int64(-9)),
			"{\n  \"execution_id\": \"a1\",\n  \"stopped\": true,\n  \"signal\": \"TERM\",\n  \"error\": null\n}",
		},
		{
			"a write", "write", new(answer).add("execution_id", "a1").add("ok", true).add("accepted_bytes", int64(3)),
			"{\n  \"execution_id\": \"a1\",\n  \"ok\": true\n}",
		},
		{"no executions", "ps", new(answer).add("executions", []*answer{}), "{\n  \"executions\": []\n}"},
		{
			"executions", "ps", new(answer).add("executions", []*answer{
				new(answer).add("execution_id", "a1").add("started_at", 1796030169.181373).add("cpu_ms", 1.5),
				new(answer).add("execution_id", "a2").addMembers("detached", nil),
			}),
			"{\n  \"executions\": [\n    {\n      \"execution_id\": \"a1\",\n      \"started_at\": 1796030169.181373\n    },\n" +
				"    {\n      \"execution_id\": \"a2\"\n    }\n  ]\n}",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wire, err := json.Marshal(s.result(&tool{name: test.tool}, test.answer))
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Content           []struct{ Text string }
				StructuredContent json.RawMessage
				IsError           bool
			}
			if err := json.Unmarshal(wire, &got); err != nil {
				t.Fatal(err)
			}
			if len(got.Content) != 1 || got.StructuredContent != nil || got.IsError {
				t.Fatalf("%s", wire)
			}
			if diff := cmp.Diff(test.text, got.Content[0].Text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	r := s.argumentError(&tool{name: "wait"}, badArguments(errors.New("timeout_ms: expected a whole number")))
	if wire, err := json.Marshal(r); err != nil || !r.IsError || !strings.Contains(string(wire), "wait: timeout_ms: expected") {
		t.Errorf("%s, %v", wire, err)
	}
}

func TestInvalidBytesAreReplacedAsPythonDoes(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"aé€😀":             "aé€😀",
		"a\xffb\xc3":       "a\uFFFDb\uFFFD",
		"p\xe2\x82":        "p\uFFFD",
		"\xe2\x82q":        "\uFFFDq",
		"\xf0\x9f\x98é":    "\uFFFDé",
		"\xf0\x9f\xe2\x82": "\uFFFD\uFFFD",
		"\x82\xac😀":        "\uFFFD\uFFFD😀",
		"\xed\xa0\x80":     "\uFFFD\uFFFD\uFFFD",
		"\xc0\xaf":         "\uFFFD\uFFFD",
		"\uFFFD\xe2":       "\uFFFD\uFFFD",
	} {
		if got := string(replaceInvalid(stream(text))); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestTheLongestYieldIsTheLeastOfTheCeilings(t *testing.T) {
	for _, test := range []struct{ yield, wait, want time.Duration }{
		{0, 55 * time.Second, 0},
		{5 * time.Minute, 55 * time.Second, 55 * time.Second},
		{time.Second, 55 * time.Second, time.Second},
	} {
		if got := (Options{MaxYield: test.yield, MaxWait: test.wait}).longestYield(); got != test.want {
			t.Errorf("of %v and %v it is %v, want %v", test.yield, test.wait, got, test.want)
		}
	}
}
