package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/tools/schema"
)

func TestErrorTextNamesEveryFault(t *testing.T) {
	tool := sample()
	tests := []struct {
		name, raw, want string
	}{
		{
			"one fault", `{"timeout_ms":"5s"}`,
			`invalid argument: timeout_ms: expected a whole number, received "5s"; write digits alone, such as 5000: no unit, no fraction`,
		},
		{
			"two faults", `{"tty":2,"cols":0}`,
			"2 invalid arguments:\n- tty: expected true or false, received 2\n- cols: expected a whole number from 1 to 500, received 0",
		},
		{
			"whole", `7`,
			`invalid argument: the arguments: expected an object, received 7; send them by name, such as {"name": "value"}`,
		},
		{
			"many lines", "{\"tty\":[1,\n\t2]}",
			"invalid argument: tty: expected true or false, received [1,  2]",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := tool.Decode(json.RawMessage(test.raw))
			if diff := cmp.Diff(test.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultsCutLongValues(t *testing.T) {
	tool := sample()
	for shift := range utf8.UTFMax {
		raw := `{"tty":"` + strings.Repeat("a", shift) + strings.Repeat("😀", 1000) + `"}`
		_, err := tool.Decode(json.RawMessage(raw))
		received := faults(t, err)[0].Received
		if len(received) > 70 || !strings.HasSuffix(received, "😀…") || strings.Contains(received, "\uFFFD") {
			t.Errorf("after %d bytes: received is cut to %d bytes: %s", shift, len(received), received)
		}
	}
}

func TestErrorsAreBounded(t *testing.T) {
	const unknown, items = 100_000, 100
	var b strings.Builder
	fmt.Fprintf(&b, `{%q:1`, strings.Repeat("é\"", 5_000))
	for i := range unknown - 1 {
		fmt.Fprintf(&b, `,"%d":"%s"`, i, strings.Repeat("v", 10))
	}
	b.WriteString(`,"argv":[0` + strings.Repeat(`,1`, items-1) + `]}`)
	_, err := sample().Decode(json.RawMessage(b.String()))
	e, ok := err.(*schema.Error)
	if !ok {
		t.Fatalf("error is a %T", err)
	}
	if listed := len(e.Faults); listed != 32 || listed+e.Unlisted != unknown+items {
		t.Errorf("%d faults listed and %d not, want 32 of %d", listed, e.Unlisted, unknown+items)
	}
	if text := e.Error(); len(text) > 32*1024 || !strings.HasSuffix(text, fmt.Sprintf("\n- and %d more", unknown+items-32)) {
		t.Errorf("the text has %d bytes and ends %q", len(text), text[len(text)-40:])
	}
}
