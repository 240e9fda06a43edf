package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/tools/schema"
)

// sample has a parameter of each kind, and of each constraint.
func sample() *schema.Tool {
	least, most := int64(1), int64(500)
	return &schema.Tool{Params: []schema.Param{
		{Name: "command", Kind: schema.String, Doc: "The command."},
		{Name: "timeout_ms", Kind: schema.Integer, Doc: "Limit in milliseconds; 0 is none.", Default: 3_600_000},
		{Name: "cols", Kind: schema.Integer, Min: &least, Max: &most},
		{Name: "tty", Kind: schema.Boolean, Default: false},
		{Name: "argv", Kind: schema.StringList},
		{Name: "env", Kind: schema.StringMap},
		{Name: "view", Kind: schema.String, Enum: []string{"clean", "raw"}, Default: "clean"},
		{Name: "side_effects", Kind: schema.StringList, Enum: []string{"NONE", "DELETES_FILES"}},
	}}
}

// given returns all arguments that args has, by name.
func given(t *schema.Tool, args schema.Args) map[string]any {
	all := map[string]any{}
	add := func(name string, value any, ok bool) {
		if ok {
			all[name] = value
		}
	}
	for _, p := range t.Params {
		switch p.Kind {
		case schema.String:
			v, ok := args.String(p.Name)
			add(p.Name, v, ok)
		case schema.Integer:
			v, ok := args.Int(p.Name)
			add(p.Name, v, ok)
		case schema.Boolean:
			v, ok := args.Bool(p.Name)
			add(p.Name, v, ok)
		case schema.StringList:
			v, ok := args.Strings(p.Name)
			add(p.Name, v, ok)
		case schema.StringMap:
			v, ok := args.Map(p.Name)
			add(p.Name, v, ok)
		}
	}
	return all
}

func TestDecodeTakesWhatIsMeant(t *testing.T) {
	none := map[string]any{}
	tests := []struct {
		name, raw string
		want      map[string]any
	}{
		{"nothing", "", none},
		{"spaces", " \n", none},
		{"null", " null ", none},
		{"empty object", " { } ", none},
		{"null argument", `{"command":null,"timeout_ms":null,"tty":null,"argv":null,"env":null}`, none},

		{"string", `{"command":"echo hi"}`, map[string]any{"command": "echo hi"}},
		{"empty string", `{"command":""}`, map[string]any{"command": ""}},
		{"string escapes", `{"command":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC"}`, map[string]any{"command": "\"\\/\b\f\n\r\tAé€"}},
		{"surrogate pair", `{"command":"a\uD83D\uDE00b"}`, map[string]any{"command": "a😀b"}},
		{"escaped backslash before u", `{"command":"\\ud800"}`, map[string]any{"command": `\ud800`}},
		{"string that ends in a backslash", `{"command":"\\","tty":true}`, map[string]any{"command": `\`, "tty": true}},
		{"string of brackets", `{"command":"}]{[\"","tty":true}`, map[string]any{"command": `}]{["`, "tty": true}},
		{"replacement character itself", `{"command":"\ufffd�"}`, map[string]any{"command": "\ufffd\ufffd"}},
		{"escaped key", `{"comm\u0061nd":"x"}`, map[string]any{"command": "x"}},
		{"space everywhere", "{ \"command\" :\t\"x\" ,\r\n \"tty\" : true }", map[string]any{"command": "x", "tty": true}},

		{"integer", `{"timeout_ms":5000}`, map[string]any{"timeout_ms": int64(5000)}},
		{"integer with zero fraction", `{"timeout_ms":5000.0}`, map[string]any{"timeout_ms": int64(5000)}},
		{"integer with exponent", `{"timeout_ms":5e3}`, map[string]any{"timeout_ms": int64(5000)}},
		{"integer with negative exponent", `{"timeout_ms":500.0E-2}`, map[string]any{"timeout_ms": int64(5)}},
		{"integer as text", `{"timeout_ms":"5000"}`, map[string]any{"timeout_ms": int64(5000)}},
		{"integer as text in spaces", `{"timeout_ms":" 5000 "}`, map[string]any{"timeout_ms": int64(5000)}},
		{"integer as text with zero fraction", `{"timeout_ms":"5.0"}`, map[string]any{"timeout_ms": int64(5)}},
		{"negative integer", `{"timeout_ms":-1}`, map[string]any{"timeout_ms": int64(-1)}},
		{"negative zero", `{"timeout_ms":-0.0e9}`, map[string]any{"timeout_ms": int64(0)}},
		{"zero with a huge exponent", `{"timeout_ms":0e99999999999999999999}`, map[string]any{"timeout_ms": int64(0)}},
		{"integer past float64", `{"timeout_ms":9007199254740993}`, map[string]any{"timeout_ms": int64(9007199254740993)}},
		{"integer past float64 with exponent", `{"timeout_ms":9007199254740.993e3}`, map[string]any{"timeout_ms": int64(9007199254740993)}},
		{"largest integer", `{"timeout_ms":9223372036854775807}`, map[string]any{"timeout_ms": int64(9223372036854775807)}},
		{"smallest integer", `{"timeout_ms":"-9223372036854775808"}`, map[string]any{"timeout_ms": int64(-9223372036854775808)}},
		{"integer at its bounds", `{"cols":500}`, map[string]any{"cols": int64(500)}},

		{"true", `{"tty":true}`, map[string]any{"tty": true}},
		{"false", `{"tty":false}`, map[string]any{"tty": false}},
		{"boolean as text", `{"tty":"TRUE"}`, map[string]any{"tty": true}},
		{"boolean as text in Python's case", `{"tty":"False"}`, map[string]any{"tty": false}},

		{"list", `{"argv":["ls","-l"]}`, map[string]any{"argv": []string{"ls", "-l"}}},
		{"empty list", `{"argv":[ ]}`, map[string]any{"argv": []string{}}},
		{"list as text", `{"argv":" [\"ls\", \"a\\\"b\"] "}`, map[string]any{"argv": []string{"ls", `a"b`}}},
		{"list of an enum", `{"side_effects":["NONE"]}`, map[string]any{"side_effects": []string{"NONE"}}},

		{"map", `{"env":{"A":"x","B C":"two\nlines"}}`, map[string]any{"env": map[string]string{"A": "x", "B C": "two\nlines"}}},
		{"empty map", `{"env":{}}`, map[string]any{"env": map[string]string{}}},
		{"map as text", `{"env":"{\"A\":\"x\"}"}`, map[string]any{"env": map[string]string{"A": "x"}}},
		{
			"map of numbers and booleans", `{"env":{"N":1,"F":1.50,"T":true,"E":1e3}}`,
			map[string]any{"env": map[string]string{"N": "1", "F": "1.50", "T": "true", "E": "1e3"}},
		},

		{"enum", `{"view":"raw"}`, map[string]any{"view": "raw"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := sample()
			args, err := tool.Decode(json.RawMessage(test.raw))
			if err != nil {
				t.Fatalf("Decode(%s): %v", test.raw, err)
			}
			if diff := cmp.Diff(test.want, given(tool, args)); diff != "" {
				t.Errorf("Decode(%s) (-want +got):\n%s", test.raw, diff)
			}
		})
	}
}

func TestDecodeRefusesWhatIsNotMeant(t *testing.T) {
	const (
		digits   = "write digits alone, such as 5000: no unit, no fraction"
		tooLarge = "it is too large: the limits are -9223372036854775808 and 9223372036854775807"
		notUTF8  = "the text is not valid UTF-8: send the characters themselves, or a whole surrogate pair"
		list     = `write it as ["first", "second"]`
		dict     = `write it as {"NAME": "value"}`
		names    = "valid arguments: command, timeout_ms, cols, tty, argv, env, view, side_effects"
	)
	integer := func(received, hint string) []schema.Fault {
		return []schema.Fault{{Path: "timeout_ms", Expected: "a whole number", Received: received, Hint: hint}}
	}
	boolean := func(received string) []schema.Fault {
		return []schema.Fault{{Path: "tty", Expected: "true or false", Received: received}}
	}
	one := func(path, expected, received, hint string) []schema.Fault {
		return []schema.Fault{{Path: path, Expected: expected, Received: received, Hint: hint}}
	}
	tests := []struct {
		name, raw string
		want      []schema.Fault
	}{
		{"array of arguments", `["ls"]`, one("", "an object", `["ls"]`, `send them by name, such as {"name": "value"}`)},
		{"text of an object", `"{}"`, one("", "an object", `"{}"`, `send them by name, such as {"name": "value"}`)},
		{"broken JSON", `{"command":}`, one("", "an object", `{"command":}`, "it is not valid JSON: invalid character '}' looking for beginning of value")},

		{"fraction", `{"timeout_ms":0.5}`, integer("0.5", digits)},
		{"fraction by exponent", `{"timeout_ms":5e-1}`, integer("5e-1", digits)},
		{"tiny exponent", `{"timeout_ms":1e-99999999999}`, integer("1e-99999999999", digits)},
		{"true for an integer", `{"timeout_ms":true}`, integer("true", digits)},
		{"false for an integer", `{"timeout_ms":false}`, integer("false", digits)},
		{"unit", `{"timeout_ms":"5s"}`, integer(`"5s"`, digits)},
		{"empty text for an integer", `{"timeout_ms":""}`, integer(`""`, digits)},
		{"text of NaN", `{"timeout_ms":"NaN"}`, integer(`"NaN"`, digits)},
		{"text of a boolean for an integer", `{"timeout_ms":"true"}`, integer(`"true"`, digits)},
		{"hexadecimal", `{"timeout_ms":"0x10"}`, integer(`"0x10"`, digits)},
		{"plus", `{"timeout_ms":"+5"}`, integer(`"+5"`, digits)},
		{"two numbers in text", `{"timeout_ms":"5 6"}`, integer(`"5 6"`, digits)},
		{"array for an integer", `{"timeout_ms":[]}`, integer("[]", "")},
		{"object for an integer", `{"timeout_ms":{}}`, integer("{}", "")},
		{"past int64", `{"timeout_ms":1e30}`, integer("1e30", tooLarge)},
		{"just past int64", `{"timeout_ms":9223372036854775808}`, integer("9223372036854775808", tooLarge)},
		{"huge exponent", `{"timeout_ms":1e99999999999}`, integer("1e99999999999", tooLarge)},
		{"below the minimum", `{"cols":0}`, one("cols", "a whole number from 1 to 500", "0", "")},
		{"above the maximum", `{"cols":"501"}`, one("cols", "a whole number from 1 to 500", `"501"`, "")},

		{"0 for a boolean", `{"tty":0}`, boolean("0")},
		{"1 for a boolean", `{"tty":1}`, boolean("1")},
		{"text of 1 for a boolean", `{"tty":"1"}`, boolean(`"1"`)},
		{"yes", `{"tty":"yes"}`, boolean(`"yes"`)},
		{"empty text for a boolean", `{"tty":""}`, boolean(`""`)},
		{"array for a boolean", `{"tty":[true]}`, boolean("[true]")},

		{"number for a string", `{"command":007}`, one("", "an object", `{"command":007}`, "it is not valid JSON: invalid character '0' after object key:value pair")},
		{"valid number for a string", `{"command":7}`, one("command", "a string", "7", `put it in quotes: "7"`)},
		{"boolean for a string", `{"command":true}`, one("command", "a string", "true", `put it in quotes: "true"`)},
		{"array for a string", `{"command":["ls"]}`, one("command", "a string", `["ls"]`, "")},
		{"object for a string", `{"command":{}}`, one("command", "a string", `{}`, "")},
		{"invalid UTF-8", "{\"command\":\"rm \xff\"}", one("command", "a string", "\"rm \uFFFD\"", notUTF8)},
		{"lone high surrogate", `{"command":"rm \ud800"}`, one("command", "a string", `"rm \ud800"`, notUTF8)},
		{"lone low surrogate", `{"command":"\udc00 x"}`, one("command", "a string", `"\udc00 x"`, notUTF8)},
		{"surrogates the wrong way round", `{"command":"\udc00\ud800"}`, one("command", "a string", `"\udc00\ud800"`, notUTF8)},
		{"high surrogate before a character", `{"command":"\ud800\u0041"}`, one("command", "a string", `"\ud800\u0041"`, notUTF8)},

		{"enum in the wrong case", `{"view":"RAW"}`, one("view", "one of clean, raw", `"RAW"`, "did you mean raw?")},
		{"enum misspelt", `{"view":"claen"}`, one("view", "one of clean, raw", `"claen"`, "did you mean clean?")},
		{"enum of nothing like it", `{"view":"dirty"}`, one("view", "one of clean, raw", `"dirty"`, "")},
		{"enum of items", `{"side_effects":["NONE","none"]}`, one("side_effects[1]", "one of NONE, DELETES_FILES", `"none"`, "did you mean NONE?")},

		{"bare string for a list", `{"argv":"ls -l"}`, one("argv", "an array of strings", `"ls -l"`, list)},
		{"bare string for a list of an enum", `{"side_effects":"NONE"}`, one("side_effects", "an array of strings", `"NONE"`, `write it as ["NONE"]`)},
		{"object for a list", `{"argv":{}}`, one("argv", "an array of strings", `{}`, list)},
		{"text of an object for a list", `{"argv":"{}"}`, one("argv", "an array of strings", `"{}"`, list)},
		{"text of a broken array", `{"argv":"[\"ls\""}`, one("argv", "an array of strings", `"[\"ls\""`, list)},
		{"number in a list", `{"argv":["a","b",3]}`, one("argv[2]", "a string", "3", `put it in quotes: "3"`)},
		{"null in a list", `{"argv":[null]}`, one("argv[0]", "a string", "null", "")},
		{"list in a list", `{"argv":[["a"]]}`, one("argv[0]", "a string", `["a"]`, "")},
		{"number in the text of a list", `{"argv":"[\"a\",1]"}`, one("argv[1]", "a string", "1", `put it in quotes: "1"`)},
		{"lone surrogate in the text of a list", `{"argv":"[\"\\ud800\"]"}`, one("argv[0]", "a string", `"\ud800"`, notUTF8)},

		{"array for a map", `{"env":["A=x"]}`, one("env", "an object of strings", `["A=x"]`, dict)},
		{"string for a map", `{"env":"A=x"}`, one("env", "an object of strings", `"A=x"`, dict)},
		{"null in a map", `{"env":{"N":null}}`, one("env.N", "a string", "null", "")},
		{"object in a map", `{"env":{"N":{}}}`, one("env.N", "a string", "{}", "")},
		{"array in a map", `{"env":{"A b":[]}}`, one(`env["A b"]`, "a string", "[]", "")},
		{"name twice in a map", `{"env":{"N":"1","\u004e":"2"}}`, one("env.N", "each name once", `it again: "2"`, "")},
		{"broken name in a map", `{"env":{"\ud800":"1"}}`, one(`env["`+"\uFFFD"+`"]`, "a name that is valid UTF-8", `"\ud800"`, "")},
		{"broken value in the text of a map", `{"env":"{\"N\":null}"}`, one("env.N", "a string", "null", "")},

		{
			"argument twice", `{"command":"ls","comm\u0061nd":"rm"}`,
			one("command", "each argument once", `it again: "rm"`, "send one value, since two readers could each take another"),
		},
		{
			"argument after its null", `{"command":null,"command":"rm"}`,
			one("command", "each argument once", `it again: "rm"`, "send one value, since two readers could each take another"),
		},
		{"another case", `{"COMMAND":"rm"}`, one("COMMAND", "a known argument", `"rm"`, "did you mean command? "+names)},
		{"misspelt", `{"timeout_msec":5}`, one("timeout_msec", "a known argument", "5", "did you mean timeout_ms? "+names)},
		{"shortened", `{"timeout":5}`, one("timeout", "a known argument", "5", "did you mean timeout_ms? "+names)},
		{"nothing like it", `{"zzz":5}`, one("zzz", "a known argument", "5", names)},
		{"empty name", `{"":5}`, one(`""`, "a known argument", "5", names)},
		{"odd name", "{\"a\\nb\":5}", one(`"a b"`, "a known argument", "5", names)},
		{
			"all faults together", `{"cmd":1,"timeout_ms":"x","Tty":true,"tty":2}`,
			[]schema.Fault{
				{Path: "cmd", Expected: "a known argument", Received: "1", Hint: names},
				{Path: "timeout_ms", Expected: "a whole number", Received: `"x"`, Hint: digits},
				{Path: "Tty", Expected: "a known argument", Received: "true", Hint: "did you mean tty?"},
				{Path: "tty", Expected: "true or false", Received: "2"},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := sample()
			args, err := tool.Decode(json.RawMessage(test.raw))
			if diff := cmp.Diff(test.want, faults(t, err)); diff != "" {
				t.Errorf("Decode(%s) (-want +got):\n%s", test.raw, diff)
			}
			if got := given(tool, args); len(got) > 0 {
				t.Errorf("Decode(%s) gave arguments next to an error: %v", test.raw, got)
			}
		})
	}
}

// faults returns the faults of an error that must be an *Error.
func faults(t *testing.T, err error) []schema.Fault {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	e, ok := err.(*schema.Error)
	if !ok {
		t.Fatalf("error is a %T: %v", err, err)
	}
	return e.Faults
}

func TestDecodeMissesRequiredArguments(t *testing.T) {
	tool := &schema.Tool{Params: []schema.Param{
		{Name: "execution_id", Kind: schema.String, Required: true},
		{Name: "side_effects", Kind: schema.StringList, Required: true},
	}}
	missing := []schema.Fault{
		{Path: "execution_id", Expected: "a string", Received: "nothing", Hint: "it is required"},
		{Path: "side_effects", Expected: "an array of strings", Received: "nothing", Hint: "it is required"},
	}
	tests := []struct {
		name, raw string
		want      []schema.Fault
	}{
		{"nothing", "", missing},
		{"null", "null", missing},
		{"empty object", "{}", missing},
		{"null argument", `{"side_effects":["x"],"execution_id":null}`, []schema.Fault{
			{Path: "execution_id", Expected: "a string", Received: "null", Hint: "it is required"},
		}},
		{"refused argument is not also missing", `{"side_effects":["x"],"execution_id":7}`, []schema.Fault{
			{Path: "execution_id", Expected: "a string", Received: "7", Hint: `put it in quotes: "7"`},
		}},
		{"no object to miss them in", `[]`, []schema.Fault{
			{Expected: "an object", Received: "[]", Hint: `send them by name, such as {"name": "value"}`},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := tool.Decode(json.RawMessage(test.raw))
			if diff := cmp.Diff(test.want, faults(t, err)); diff != "" {
				t.Errorf("Decode(%s) (-want +got):\n%s", test.raw, diff)
			}
		})
	}
}

func TestLenientToolIgnoresUnknownArguments(t *testing.T) {
	tool := sample()
	tool.Lenient = true
	args, err := tool.Decode(json.RawMessage(`{"x":{"y":["]",{"command":"no"}]},"x":1,"command":"ls"}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"command": "ls"}, given(tool, args)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNullIsAFaultWhereItIsRefused(t *testing.T) {
	tool := sample()
	for i := range tool.Params {
		tool.Params[i].NotNull = tool.Params[i].Name != "tty"
	}
	_, err := tool.Decode(json.RawMessage(`{"command": null, "cols": null, "tty": null}`))
	want := "2 invalid arguments:\n" +
		"- command: expected a string, received null; leave it out instead\n" +
		"- cols: expected a whole number from 1 to 500, received null; leave it out instead"
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

func TestAMapMayTakeStringsAlone(t *testing.T) {
	tool := &schema.Tool{Params: []schema.Param{{Name: "env", Kind: schema.StringMap, OnlyStrings: true}}}
	_, err := tool.Decode(json.RawMessage(`{"env": {"A": 1, "B": "x", "C": true}}`))
	if err == nil || !strings.Contains(err.Error(), "env.A") || !strings.Contains(err.Error(), "env.C") || strings.Contains(err.Error(), "env.B") {
		t.Errorf("the error is %v", err)
	}
}

func TestDecodeRefusesDeepNesting(t *testing.T) {
	nested := func(levels int) string {
		return strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels)
	}
	lenient := sample()
	lenient.Lenient = true
	tests := []struct {
		name, raw, want string
	}{
		{"at the limit, ignored", `{"x":` + nested(64) + `}`, ""},
		{"past the limit, ignored", `{"x":` + nested(65) + `}`, "x: expected at most 64 levels of nesting"},
		{"past the limit, declared", `{"argv":` + nested(65) + `}`, "argv: expected at most 64 levels of nesting"},
		{"past what the parser takes", `{"x":` + nested(1_000_000) + `}`, "it is not valid JSON: invalid character '[' exceeded max depth"},
		{"in text", `{"argv":"` + nested(9_000) + `"}`, "argv[0]: expected a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := lenient.Decode(json.RawMessage(test.raw))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("error %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
}

func TestFaultsSayWhatTheToolTakes(t *testing.T) {
	zero, ten := int64(0), int64(10)
	tool := &schema.Tool{Params: []schema.Param{
		{Name: "least", Kind: schema.Integer, Min: &zero},
		{Name: "most", Kind: schema.Integer, Max: &ten},
	}}
	_, err := tool.Decode(json.RawMessage(`{"least":-1,"most":11}`))
	want := []schema.Fault{
		{Path: "least", Expected: "a whole number, 0 or more", Received: "-1"},
		{Path: "most", Expected: "a whole number, 10 or less", Received: "11"},
	}
	if diff := cmp.Diff(want, faults(t, err)); diff != "" {
		t.Errorf("bounds (-want +got):\n%s", diff)
	}

	_, err = (&schema.Tool{}).Decode(json.RawMessage(`{"x":1}`))
	want = []schema.Fault{{Path: "x", Expected: "a known argument", Received: "1", Hint: "this tool takes no arguments"}}
	if diff := cmp.Diff(want, faults(t, err)); diff != "" {
		t.Errorf("no parameters (-want +got):\n%s", diff)
	}
}
