package schema_test

import (
	"strings"
	"testing"

	"whelk/internal/tools/schema"
)

func numbers() *schema.Tool {
	return &schema.Tool{Params: []schema.Param{{Name: "timeout", Kind: schema.Number, Default: 30.0, Doc: "Seconds."}}}
}

func TestNumbers(t *testing.T) {
	tests := []struct {
		raw   string
		want  float64
		given bool
	}{
		{"5", 5, true},
		{"0.25", 0.25, true},
		{"-1", -1, true},
		{"1e3", 1000, true},
		{`"2.5"`, 2.5, true},
		{`" 7 "`, 7, true},
		{"null", 0, false},
	}
	for _, tt := range tests {
		args, err := numbers().Decode([]byte(`{"timeout":` + tt.raw + `}`))
		if got, given := args.Float("timeout"); err != nil || got != tt.want || given != tt.given {
			t.Errorf("%s: %v, %v, %v; want %v, %v", tt.raw, got, given, err, tt.want, tt.given)
		}
	}
	for _, raw := range []string{"true", `"abc"`, `"1s"`, `"NaN"`, `"Inf"`, `"0x1p3"`, `"1_0"`, `""`, "1e999", "[]", "{}"} {
		if _, err := numbers().Decode([]byte(`{"timeout":` + raw + `}`)); err == nil || !strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: error %v does not name the argument", raw, err)
		}
	}
}

func TestTheSchemaOfANumber(t *testing.T) {
	want := `{"type":"object","properties":{"timeout":{"type":"number","description":"Seconds.","default":30}},"additionalProperties":false}`
	if got := string(numbers().InputSchema()); got != want {
		t.Errorf("schema %s\nwant %s", got, want)
	}
}
