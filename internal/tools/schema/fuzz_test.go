package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whelk/internal/tools/schema"
)

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `"{}"`, `{"command":"ls"}`, `{"COMMAND":"ls"}`, `{"command":"a","command":"b"}`,
		`{"timeout_ms":"5e3","cols":1.0,"tty":"True"}`, `{"timeout_ms":-9223372036854775808}`, `{"timeout_ms":1e999999999999}`,
		`{"argv":["ls","-l"],"side_effects":["NONE"]}`, `{"argv":"[\"ls\"]","env":"{\"A\":\"x\"}"}`,
		`{"env":{"A":"x","N":1,"T":true},"view":"raw"}`, `{"env":{"A":"x","\u0041":"y"}}`, `{"env":{"A":null}}`,
		`{"command":"\ud83d\ude00\\\"\/\b\f\n\r\t"}`, `{"command":"\ud800"}`, `{"command":"\udc00\ud800"}`, "{\"command\":\"\xff\"}",
		"{\"\xff\":1}", ` { "command" : "x" , "tty" : true } `, `{"x":[[[[{"y":"]"}]]]]}`, `{"command":"\\"}`, `{"argv":[}`,
	} {
		f.Add([]byte(seed))
	}
	tool := sample()
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, err := tool.Decode(raw)
		if want, ok := plain(tool, raw); ok {
			if err != nil {
				t.Fatalf("%q is plain JSON of the right types, but: %v", raw, err)
			}
			if diff := cmp.Diff(want, given(tool, args)); diff != "" {
				t.Fatalf("%q (-encoding/json +Decode):\n%s", raw, diff)
			}
		}
		if err != nil {
			checkError(t, raw, err)
			return
		}
		again, err := json.Marshal(given(tool, args))
		if err != nil {
			t.Fatal(err)
		}
		args2, err := tool.Decode(again)
		if err != nil {
			t.Fatalf("%q decodes, but what it decodes to, %s, does not: %v", raw, again, err)
		}
		if diff := cmp.Diff(given(tool, args), given(tool, args2)); diff != "" {
			t.Fatalf("%q then %s:\n%s", raw, again, diff)
		}
	})
}

func checkError(t *testing.T, raw []byte, err error) {
	t.Helper()
	var e *schema.Error
	if !errors.As(err, &e) || len(e.Faults) == 0 {
		t.Fatalf("%q: the error is %#v", raw, err)
	}
	if text := err.Error(); !utf8.ValidString(text) || strings.Count(text, "\n") > len(e.Faults)+1 {
		t.Fatalf("%q: the text of the error is %q", raw, text)
	}
}

// plain decodes raw with encoding/json alone. It reports false for anything that
// encoding/json refuses or is known to blur: other types, unknown, inexact or
// repeated names, and text with a replacement character.
func plain(tool *schema.Tool, raw []byte) (map[string]any, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object == nil || repeats(raw) {
		return nil, false
	}
	all := map[string]any{}
	for _, p := range tool.Params {
		value, ok := object[p.Name]
		delete(object, p.Name)
		if !ok || string(value) == "null" {
			continue
		}
		if all[p.Name], ok = plainValue(p, value); !ok {
			return nil, false
		}
	}
	return all, len(object) == 0
}

func plainValue(p schema.Param, raw []byte) (any, bool) {
	blurred := bytes.ContainsRune(raw, utf8.RuneError) || bytes.Contains(raw, []byte(`\u`)) || !utf8.Valid(raw)
	if blurred || bytes.Contains(raw, []byte("null")) {
		return nil, false
	}
	allowed := func(s string) bool {
		return len(p.Enum) == 0 || strings.Contains(" "+strings.Join(p.Enum, " ")+" ", " "+s+" ")
	}
	switch p.Kind {
	case schema.String:
		var s string
		ok := json.Unmarshal(raw, &s) == nil
		return s, ok && allowed(s)
	case schema.Integer:
		var n int64
		ok := json.Unmarshal(raw, &n) == nil
		return n, ok && (p.Min == nil || n >= *p.Min) && (p.Max == nil || n <= *p.Max)
	case schema.Boolean:
		var b bool
		ok := json.Unmarshal(raw, &b) == nil
		return b, ok
	case schema.StringList:
		list := []string{}
		ok := json.Unmarshal(raw, &list) == nil
		for _, s := range list {
			ok = ok && allowed(s)
		}
		return list, ok
	default:
		dict := map[string]string{}
		ok := json.Unmarshal(raw, &dict) == nil && !repeats(raw)
		return dict, ok
	}
}

// repeats reports whether the object in raw has a key twice.
func repeats(raw []byte) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	seen := map[json.Token]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil || seen[key] {
			return true
		}
		seen[key] = true
		if err := d.Decode(new(json.RawMessage)); err != nil {
			return true
		}
	}
	return false
}

func TestIntegersAreExact(t *testing.T) {
	tool := sample()
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,8})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		text := number.Draw(t, "number")
		raw := `{"timeout_ms":` + text + `}`
		if rapid.Bool().Draw(t, "as text") {
			raw = `{"timeout_ms":"` + text + `"}`
		}
		args, err := tool.Decode([]byte(raw))
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%s is no number", text)
		}
		if want := exact.IsInt() && exact.Num().IsInt64(); want != (err == nil) {
			t.Fatalf("%s: whole and in range is %v, but the error is %v", raw, want, err)
		}
		if got, _ := args.Int("timeout_ms"); err == nil && got != exact.Num().Int64() {
			t.Fatalf("%s decodes as %d", raw, got)
		}
	})
}
