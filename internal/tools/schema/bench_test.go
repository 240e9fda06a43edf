package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
)

var decodeCalls = []struct {
	name, raw string
}{
	{"read", `{"command":"a97e81c9034f","timeout_ms":2049}`},
	{"execute", `{"command":"go test ./... 2>&1 | tail -n 20","timeout_ms":600000,"tty":false,` +
		`"env":{"CGO_ENABLED":"0"},"side_effects":["NONE"]}`},
	{"repaired", `{"argv":"[\"go\",\"vet\"]","timeout_ms":"600000","tty":"true"}`},
	{"script 64 KiB", `{"command":"` + strings.Repeat(`echo \"line of a script\"\n`, 64*1024/26) + `"}`},
	{"faults", `{"comand":"ls","timeout_ms":"5s"}`},
}

func BenchmarkDecode(b *testing.B) {
	tool := sample()
	for _, call := range decodeCalls {
		b.Run(call.name, func(b *testing.B) {
			raw := json.RawMessage(call.raw)
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				_, _ = tool.Decode(raw)
			}
		})
	}
}

// BenchmarkEncodingJSON is what a struct and encoding/json cost for the same calls,
// without any of the repairs and checks.
func BenchmarkEncodingJSON(b *testing.B) {
	type arguments struct {
		Command     string            `json:"command"`
		TimeoutMS   *int64            `json:"timeout_ms"`
		TTY         *bool             `json:"tty"`
		Env         map[string]string `json:"env"`
		SideEffects []string          `json:"side_effects"`
	}
	for _, call := range decodeCalls {
		if call.name == "repaired" || call.name == "faults" {
			continue
		}
		b.Run(call.name, func(b *testing.B) {
			raw := json.RawMessage(call.raw)
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				var a arguments
				if err := json.Unmarshal(raw, &a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkInputSchema(b *testing.B) {
	tool := sample()
	b.ReportAllocs()
	for b.Loop() {
		_ = tool.InputSchema()
	}
}
