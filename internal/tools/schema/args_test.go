package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/tools/schema"
)

func TestDecodedArgumentsShareNoMemoryWithTheText(t *testing.T) {
	raw := json.RawMessage(`{"command":"echo","argv":["ls"],"env":{"A":"x","N":1}}`)
	tool := sample()
	args, err := tool.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	clear(raw)
	want := map[string]any{"command": "echo", "argv": []string{"ls"}, "env": map[string]string{"A": "x", "N": "1"}}
	if diff := cmp.Diff(want, given(tool, args)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGettersOfWhatIsNotThere(t *testing.T) {
	if _, ok := (schema.Args{}).String("command"); ok {
		t.Error("the zero Args has a command")
	}
	args, err := sample().Decode(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := args.Strings("in_another_dialect"); ok {
		t.Error("an undeclared argument is given")
	}
	defer func() {
		if recover() == nil {
			t.Error("a getter of the wrong kind did not panic")
		}
	}()
	args.Int("command")
}
