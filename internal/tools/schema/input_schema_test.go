package schema_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/tools/schema"
)

func TestInputSchemaIsExact(t *testing.T) {
	strict := sample()
	strict.Params[0].Required = true
	strict.Params[4].Required = true
	strict.Params[0].Doc = "A \"shell\" text,\n<not> a\tpath & é\x01."
	tests := []struct {
		name string
		tool *schema.Tool
		want string
	}{
		{"no parameters", &schema.Tool{}, `{"type":"object","properties":{},"additionalProperties":false}`},
		{"no parameters, lenient", &schema.Tool{Lenient: true}, `{"type":"object","properties":{}}`},
		{"all kinds", strict, `{"type":"object","properties":{` +
			`"command":{"type":"string","description":"A \"shell\" text,\n<not> a\tpath & é\u0001."},` +
			`"timeout_ms":{"type":"integer","description":"Limit in milliseconds; 0 is none.","default":3600000},` +
			`"cols":{"type":"integer","minimum":1,"maximum":500},` +
			`"tty":{"type":"boolean","default":false},` +
			`"argv":{"type":"array","items":{"type":"string"}},` +
			`"env":{"type":"object","additionalProperties":{"type":"string"}},` +
			`"view":{"type":"string","enum":["clean","raw"],"default":"clean"},` +
			`"side_effects":{"type":"array","items":{"type":"string","enum":["NONE","DELETES_FILES"]}}` +
			`},"required":["command","argv"],"additionalProperties":false}`},
		{"defaults of every type", &schema.Tool{Params: []schema.Param{
			{Name: "a", Kind: schema.Integer, Default: int64(-1)},
			{Name: "b", Kind: schema.StringList, Default: []string{"x", "y"}},
			{Name: "c", Kind: schema.StringMap, Default: map[string]string{"z": "1", "y": "2"}},
		}}, `{"type":"object","properties":{` +
			`"a":{"type":"integer","default":-1},` +
			`"b":{"type":"array","items":{"type":"string"},"default":["x","y"]},` +
			`"c":{"type":"object","additionalProperties":{"type":"string"},"default":{"y":"2","z":"1"}}` +
			`},"additionalProperties":false}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := test.tool.InputSchema()
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !json.Valid(got) {
				t.Error("it is not valid JSON")
			}
			var compact bytes.Buffer
			if err := json.Compact(&compact, got); err != nil || !bytes.Equal(compact.Bytes(), got) {
				t.Errorf("it is not compact: %v", err)
			}
		})
	}
}

// TestInputSchemaUsesTheSafeSubset walks the schema as a schema: the words of the
// subset may stand where a schema stands, any others may not.
func TestInputSchemaUsesTheSafeSubset(t *testing.T) {
	tool := sample()
	tool.Params[0].Required = true
	var root any
	if err := json.Unmarshal(tool.InputSchema(), &root); err != nil {
		t.Fatal(err)
	}
	checkSubset(t, "#", root)
}

func checkSubset(t *testing.T, at string, node any) {
	t.Helper()
	s, ok := node.(map[string]any)
	if !ok {
		t.Errorf("%s: the schema is %v, not an object", at, node)
		return
	}
	if kind, ok := s["type"].(string); !ok || !strings.Contains(" object string integer boolean array ", " "+kind+" ") {
		t.Errorf("%s: type is %v", at, s["type"])
	}
	for word, value := range s {
		switch word {
		case "type", "description", "enum", "default", "minimum", "maximum", "required":
		case "items":
			checkSubset(t, at+"/items", value)
		case "additionalProperties":
			if value != false {
				checkSubset(t, at+"/additionalProperties", value)
			}
		case "properties":
			for name, property := range value.(map[string]any) {
				checkSubset(t, at+"/properties/"+name, property)
			}
		default:
			t.Errorf("%s: the word %q is outside the subset", at, word)
		}
	}
	if s["type"] == "array" && s["items"] == nil {
		t.Errorf("%s: an array without items", at)
	}
}

func TestInputSchemaPanicsOnAMistakenDeclaration(t *testing.T) {
	tests := []struct {
		name  string
		param schema.Param
	}{
		{"default of another kind", schema.Param{Name: "a", Kind: schema.Integer, Default: "5"}},
		{"default of no kind", schema.Param{Name: "a", Kind: schema.Integer, Default: 0.5}},
		{"unknown kind", schema.Param{Name: "a", Kind: 99}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			(&schema.Tool{Params: []schema.Param{test.param}}).InputSchema()
		})
	}
}
