package native

import (
	"encoding/json"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/tools/schema"
)

// standard are the settings of a server without flags.
func standard() Options {
	return Options{Yield: 30 * time.Second, MaxYield: 55 * time.Second, MaxWait: 55 * time.Second, MaxOutput: 20000}
}

func toolNamed(t testing.TB, name string) *tool {
	t.Helper()
	for _, tool := range tools(standard()) {
		if tool.name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

// wireTool is a tool as clients see it.
type wireTool struct {
	Name, Title, Description string
	InputSchema              struct {
		Type       string
		Properties map[string]struct {
			Type, Description string
			Default           any
			Items             struct {
				Type string
				Enum []string
			}
			AdditionalProperties any
		}
		Required             []string
		AdditionalProperties *bool
	}
	Annotations map[string]any
}

func wireTools(t testing.TB) []wireTool {
	t.Helper()
	var all []wireTool
	for _, tool := range tools(standard()) {
		wire, err := json.Marshal(tool.definition())
		if err != nil {
			t.Fatal(err)
		}
		var s wireTool
		if err := json.Unmarshal(wire, &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func TestTheToolsAreTheSeedsInItsOrder(t *testing.T) {
	want := []string{"execute", "read", "write", "wait", "stop", "ps", "cleanup", "explain"}
	var got []string
	for _, tool := range tools(standard()) {
		got = append(got, tool.name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What every session pays for before its first call.
func TestTheToolsAreShort(t *testing.T) {
	const most, mostEach = 12_000, 2_000 // bytes; clients cut a description at 2,048 characters
	var list struct {
		Tools []any `json:"tools"`
	}
	for _, tool := range tools(standard()) {
		list.Tools = append(list.Tools, tool.definition())
		if n := len(tool.doc); n >= mostEach {
			t.Errorf("the description of %s has %d bytes", tool.name, n)
		}
	}
	wire, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(wire) > most {
		t.Errorf("%d bytes in all, most is %d", len(wire), most)
	}
}

func TestEveryToolSaysWhatItIs(t *testing.T) {
	readOnly := map[string]bool{"read": true, "wait": true, "ps": true, "explain": true}
	for _, tool := range wireTools(t) {
		if tool.Title == "" || tool.Description == "" {
			t.Errorf("%s has no title or description", tool.Name)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := tool.Annotations[hint].(bool); !ok {
				t.Errorf("%s has no %s: %v", tool.Name, hint, tool.Annotations)
			}
		}
		if got := tool.Annotations["readOnlyHint"]; got != readOnly[tool.Name] || tool.Annotations["destructiveHint"] == got {
			t.Errorf("%s: %v", tool.Name, tool.Annotations)
		}
	}
}

// The parameters of the seed's tools with their types and defaults, and after
// them what is added.
func TestTheParametersAreTheSeedsAndMore(t *testing.T) {
	const (
		text, list, dict = "string", "array", "object"
		number, truth    = "integer", "boolean"
	)
	tests := []struct {
		tool     string
		params   map[string]string
		required []string
		defaults map[string]any
	}{
		{
			"execute", map[string]string{
				"command": text, "side_effects": list, "cwd": text, "env": dict, "shell": text, "stdin": text,
				"close_stdin": truth, "name": text, "yield_ms": number, "timeout_ms": number, "max_output_bytes": number,
				"argv": list, "idle_timeout_ms": number,
			}, nil, map[string]any{"close_stdin": true},
		},
		{
			"read", map[string]string{
				"execution_id": text, "since_seq": number, "max_output_bytes": number, "streams": text, "tail_lines": number,
			}, []string{"execution_id"}, map[string]any{"streams": "both"},
		},
		{
			"write",
			map[string]string{"execution_id": text, "input": text, "newline": truth, "close_stdin": truth},
			[]string{"execution_id", "input"},
			map[string]any{"newline": false, "close_stdin": false},
		},
		{
			"wait", map[string]string{
				"execution_id": text, "timeout_ms": number, "max_output_bytes": number, "since_seq": number, "tail_lines": number,
			}, []string{"execution_id"}, map[string]any{"timeout_ms": 55000.0},
		},
		{
			"stop",
			map[string]string{"execution_id": text, "signal": text, "force_after_ms": number},
			[]string{"execution_id"},
			map[string]any{"signal": "SIGTERM", "force_after_ms": 10000.0},
		},
		{
			"ps",
			map[string]string{"include_completed": truth, "limit": number},
			nil,
			map[string]any{"include_completed": true, "limit": 50.0},
		},
		{
			"cleanup",
			map[string]string{"completed_older_than_ms": number, "stopped_older_than_ms": number},
			nil,
			map[string]any{"completed_older_than_ms": 3600000.0, "stopped_older_than_ms": 3600000.0},
		},
		{
			"explain",
			map[string]string{
				"command": text, "argv": list, "side_effects": list, "cwd": text, "env": dict, "shell": text, "stdin": text, "close_stdin": truth,
			},
			nil,
			map[string]any{"close_stdin": true},
		},
	}
	all := wireTools(t)
	if len(all) != len(tests) {
		t.Fatalf("%d tools, want %d", len(all), len(tests))
	}
	for i, test := range tests {
		t.Run(test.tool, func(t *testing.T) {
			got := all[i]
			params, defaults := map[string]string{}, map[string]any{}
			for name, p := range got.InputSchema.Properties {
				params[name] = p.Type
				if p.Default != nil {
					defaults[name] = p.Default
				}
				if p.Description == "" {
					t.Errorf("%s has no description", name)
				}
			}
			if diff := cmp.Diff(test.params, params); diff != "" {
				t.Errorf("parameters (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.required, got.InputSchema.Required); diff != "" {
				t.Errorf("required (-want +got):\n%s", diff)
			}
			if len(test.defaults) > 0 || len(defaults) > 0 {
				if diff := cmp.Diff(test.defaults, defaults); diff != "" {
					t.Errorf("defaults (-want +got):\n%s", diff)
				}
			}
			if closed := got.InputSchema.AdditionalProperties; got.InputSchema.Type != "object" || closed == nil || *closed {
				t.Error("the schema does not refuse unknown arguments (BO-74)")
			}
		})
	}
}

func TestSideEffectsAreTheSeeds(t *testing.T) {
	got := wireTools(t)[0].InputSchema.Properties["side_effects"].Items
	if got.Type != "string" || len(got.Enum) != 21 {
		t.Errorf("%d categories of %s", len(got.Enum), got.Type)
	}
	word := regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*$`)
	for i, category := range got.Enum {
		if !word.MatchString(category) || i > 0 && category <= got.Enum[i-1] {
			t.Errorf("%s: no category, or out of order", category)
		}
	}
}

// Sending every default that is shown must mean the same as sending nothing.
func TestDefaultsShownAreTheDefaultsUsed(t *testing.T) {
	s := &set{opts: standard()}
	for _, test := range []struct {
		tool    string
		meaning func(schema.Args) any
	}{
		{"execute", func(a schema.Args) any { r, err := executeRequest(a); return []any{r, err, s.yield(a), s.maxOutput(a)} }},
		{"read", func(a schema.Args) any { o, err := s.readOptions(a); return []any{o, err} }},
		{"wait", func(a schema.Args) any {
			ms, ok := a.Int("timeout_ms")
			return !ok || fromMilliseconds(ms) == s.opts.MaxWait
		}},
		{"stop", func(a schema.Args) any {
			name, okName := a.String("signal")
			ms, okMs := a.Int("force_after_ms")
			return []any{!okName || name == defaultSignal, !okMs || fromMilliseconds(ms) == defaultForce}
		}},
		{"cleanup", func(a schema.Args) any {
			completed, ok := a.Int("completed_older_than_ms")
			others, _ := a.Int("stopped_older_than_ms")
			return !ok || fromMilliseconds(completed) == defaultAge && fromMilliseconds(others) == defaultAge
		}},
	} {
		t.Run(test.tool, func(t *testing.T) {
			tool := toolNamed(t, test.tool)
			sent := map[string]any{}
			for _, p := range tool.Params {
				if p.Default != nil {
					sent[p.Name] = p.Default
				}
				if p.Required {
					sent[p.Name] = "x"
				}
			}
			if diff := cmp.Diff(test.meaning(decoded(t, tool, nil)), test.meaning(decoded(t, tool, sent))); diff != "" {
				t.Errorf("(-nothing sent +defaults sent):\n%s", diff)
			}
		})
	}
}

// decoded decodes arguments as a call does. Required ones that are missing are
// filled in.
func decoded(t testing.TB, tool *tool, arguments map[string]any) schema.Args {
	t.Helper()
	all := map[string]any{}
	for _, p := range tool.Params {
		if p.Required {
			all[p.Name] = "x"
		}
	}
	maps.Copy(all, arguments)
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	args, err := tool.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return args
}

// The operator's settings are part of what the model is told.
func TestDescriptionsNameTheOperatorsLimits(t *testing.T) {
	o := Options{Yield: 1234 * time.Millisecond, MaxYield: 9 * time.Second, MaxWait: 5678 * time.Millisecond, MaxOutput: 4321}
	want := map[string]string{"yield_ms": "1234", "timeout_ms": "5678", "max_output_bytes": strconv.Itoa(o.MaxOutput)}
	for _, tool := range tools(o) {
		for _, p := range tool.Params {
			number := want[p.Name]
			if tool.name == "execute" && p.Name == "timeout_ms" {
				continue // the limit of a command, not of a call
			}
			if !strings.Contains(p.Doc, number) {
				t.Errorf("%s of %s does not name %s: %s", p.Name, tool.name, number, p.Doc)
			}
			if tool.name == "wait" && p.Name == "timeout_ms" && p.Default != o.MaxWait.Milliseconds() {
				t.Errorf("default %v of wait", p.Default)
			}
		}
	}
}
