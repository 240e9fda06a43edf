package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tests of this file hold the comparison itself: one that finds nothing
// proves nothing.

func value(t *testing.T, text string) any {
	t.Helper()
	v, err := parseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestComparisonFindsWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		name, want, got string
		paths           []string // where they differ
	}{
		{"nothing", `{"a":[1,"x",null,true]}`, `{"a":[1.0,"x",null,true]}`, nil},
		{"a number", `{"a":1}`, `{"a":2}`, []string{"answer.a"}},
		{"a type", `{"a":1}`, `{"a":"1"}`, []string{"answer.a"}},
		{"null for a value", `{"a":null}`, `{"a":""}`, []string{"answer.a"}},
		{"a key that is missing", `{"a":1,"b":2}`, `{"a":1}`, []string{"answer.b"}},
		{"a key too many", `{"a":1}`, `{"a":1,"b":null}`, []string{"answer.b"}},
		{"the order of keys", `{"a":1,"b":2}`, `{"b":2,"a":1}`, []string{"answer, the order of its keys"}},
		{"the length of a list", `[1]`, `[1,2]`, []string{"answer"}},
		{"an item of a list", `[1,2]`, `[1,3]`, []string{"answer[1]"}},
		{"a type that holds", `{"a":{"$type":"integer"}}`, `{"a":7}`, nil},
		{"a type that does not hold", `{"a":{"$type":"integer"}}`, `{"a":7.5}`, []string{"answer.a"}},
		{"a number in its range", `{"$range":[1,2]}`, `1.5`, nil},
		{"a number out of its range", `{"$range":[1,2]}`, `2.5`, []string{"answer"}},
		{"a message with its data", `{"$says":["10","{W}/x"]}`, `"at most 10 in {W}/x"`, nil},
		{"a message without its data", `{"$says":["10"]}`, `"at most 100"`, []string{"answer"}},
		{"a message that is empty", `{"$says":[]}`, `""`, []string{"answer"}},
		{"an object that has more", `{"$has":{"a":1}}`, `{"b":2,"a":1}`, nil},
		{"an object that has less", `{"$has":{"a":1}}`, `{"b":2}`, []string{"answer"}},
		{"one of two", `{"$one_of":[null,{"$type":"string"}]}`, `"x"`, nil},
		{"none of two", `{"$one_of":[null,{"$type":"string"}]}`, `1`, []string{"answer"}},
		{"a key that may be missing", `{"a":{"$maybe":1}}`, `{}`, nil},
		{"a key that may be missing and is another", `{"a":{"$maybe":1}}`, `{"a":2}`, []string{"answer.a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var paths []string
			for _, m := range compare("answer", value(t, c.want), value(t, c.got)) {
				paths = append(paths, m.path)
			}
			if diff := cmp.Diff(c.paths, paths); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLongTextsAreComparedByTheirDigest(t *testing.T) {
	text := strings.Repeat("whelk ", 500)
	want := (&object{}).set("$text", digest(text))
	if differ := compare("", want, text); len(differ) > 0 {
		t.Errorf("%v", differ)
	}
	if differ := compare("", want, text+"."); len(differ) == 0 {
		t.Error("a longer text is the same")
	}
}

func TestOverridesChangeWhatIsWanted(t *testing.T) {
	for _, c := range []struct{ want, instead, changed string }{
		{`{"a":{"b":1,"c":2}}`, `{"a.b":3}`, `{"a":{"b":3,"c":2}}`},
		{`{"a":[{"b":1}]}`, `{"a[0].b":2}`, `{"a":[{"b":2}]}`},
		{`{"a":1,"b":2}`, `{"a":{"$absent":true}}`, `{"b":2}`},
		{`{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`},
		{`{"a":{"$has":{"b":{"$type":"string"}}}}`, `{"a.b":"x"}`, `{"a":{"$has":{"b":"x"}}}`},
	} {
		want := value(t, c.want)
		if got := compactJSON(override(want, value(t, c.instead).(*object))); got != c.changed {
			t.Errorf("%s instead of %s: %s, want %s", c.instead, c.want, got, c.changed)
		}
		if compactJSON(want) != c.want {
			t.Errorf("the recording itself has become %s", compactJSON(want))
		}
	}
}

func TestRecordingsKeepDataAndNoWords(t *testing.T) {
	g := &group{line: value(t, `{"group":"g","env":{"LIMIT":"10"}}`).(*object)}
	for _, c := range []struct{ name, line, answer, want string }{
		{
			"handles, times and processes", `{"with":{"command":"echo x"}}`,
			`{"json":{"execution_id":"0a1b2c","process_id":7,"duration_ms":1.5,"ended_at":null,"started_at":1.5,"stdout":"x\n"}}`,
			`{"json":{"execution_id":{"$type":"string"},"process_id":{"$type":"integer"},"duration_ms":{"$range":[0,5005]},"ended_at":null,"started_at":{"$type":"number"},"stdout":"x\n"}}`,
		},
		{
			"a handle that the caller gave", `{"with":{"execution_id":"none"}}`,
			`{"json":{"execution_id":"none","error":"there is no none"}}`,
			`{"json":{"execution_id":"none","error":{"$says":["none"]}}}`,
		},
		{
			"a message with data of the call and the environment", `{"with":{"cwd":"/srv/x"}}`,
			`{"text":["limit (10): /srv/x is not there"],"error":true}`,
			`{"text":[{"$says":["/srv/x","10"]}],"error":true}`,
		},
		{
			"data named by hand", `{"with":{"cwd":"/srv/x"},"says":["7"]}`,
			`{"text":["7 and /srv/x"],"error":true}`,
			`{"text":[{"$says":["7"]}],"error":true}`,
		},
		{
			"the faulty argument of a list of faults", `{"with":{"command":"echo x"}}`,
			`{"text":["2 validation errors for X\nside_effects.0\n  Input should be\ncommand\n  Field required"],"error":true}`,
			`{"text":[{"$says":["side_effects","command"]}],"error":true}`,
		},
		{
			"output is data", `{"with":{"command":"echo x"}}`,
			`{"text":["one","two"]}`, `{"text":["one","two"]}`,
		},
		{
			"a range named by hand", `{"ranges":{"json.waited_ms":[5,50]}}`,
			`{"json":{"waited_ms":7.0}}`, `{"json":{"waited_ms":{"$range":[5,50]}}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := value(t, c.line).(*object)
			got := compactJSON(newRecorder(g, line).want(value(t, c.answer)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
			if differ := compare("", value(t, got), value(t, c.answer)); len(differ) > 0 {
				t.Errorf("the recording does not hold for what was recorded: %v", differ)
			}
		})
	}
}

func TestLayoutsAreThoseOfTheServers(t *testing.T) {
	texts := map[string]string{
		seedYieldShell: "{\n  \"a\": [\n    1,\n    \"ä\\u0001\"\n  ],\n  \"b\": [],\n  \"c\": {}\n}",
		seedTabShell:   `{"a": [1, "\u00e4\u0001"], "b": [], "c": {}}`,
	}
	for _, s := range seedServers() {
		if s.json == nil {
			continue
		}
		result := (&object{}).set("content", []any{(&object{}).set("type", "text").set("text", texts[s.name])})
		if got := resultOf(s, result); got.get("layout") != nil || got.get("json") == nil {
			t.Errorf("%s: %s is read as %s", s.name, texts[s.name], compactJSON(got))
		}
		result = (&object{}).set("content", []any{(&object{}).set("type", "text").set("text", `{"a":1}`)})
		if got := resultOf(s, result); got.get("layout") == nil {
			t.Errorf("%s: another layout is not seen", s.name)
		}
	}
}

func TestRecordingsAreReadStrictly(t *testing.T) {
	for _, text := range []string{
		`{"case":"a","call":"x"}`,
		`{"group":"g"}` + "\n" + `{"case":"a"}` + "\n" + `{"case":"a"}`,
		`{"group":"g"}` + "\n" + `{"case":"a","cal":"x"}`,
		`{"group":"g","evn":{}}`,
		`{"group":"g"`,
	} {
		if _, err := parseRecording([]byte(text)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

func TestRowsOfPagesAreRead(t *testing.T) {
	rows, err := docRows("# Page\n\n| id | subject | a | b | kind | cases |\n|---|---|---|---|---|---|\n| `Y2` | x `a\\|b` | y | z | better | `a.*` `TestB` |\n")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]docRow{"Y2": {id: "Y2", kind: "better", shows: []string{"a.*", "TestB"}}}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(docRow{})); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for _, page := range []string{"| `a` | b |", "| `a` | b | c | d | kept | `e` |\n| `a` | b | c | d | kept | `e` |"} {
		if _, err := docRows(page); err == nil {
			t.Errorf("%s is read", page)
		}
	}
}
