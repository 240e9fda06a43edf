package config

import (
	"encoding/json"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
)

// TestSchemaAgreesWithTheProgram tries files that are right but for one thing.
func TestSchemaAgreesWithTheProgram(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(text, schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := []string{
		"{}", "yield: 0", "yield: 30s", "yield: 1h30m", "yield: 1.5h", "max_output: 1", "max_output: '1'", "max_output: 10KiB", "max: {output: 5}",
		"max_executions: 5", "max_executions: '5'", "exit_with_parent: true", "exit_with_parent: 'true'", "exit: {with: {parent: false}}", "exit: {with_parent: false}",
		"result: both", "log: {level: debug}", "on_unknown: ''", "on: {unknown: ask, exit: stop}", "allow: [ls, true, 7]", "allow: []", "allow: {regex: a}",
		"deny: [rm]", "blocked_side_effects: []", "blocked: {side: {effects: [OTHER]}}", "policy: {rules: [{name: x}]}", "shell: 5", "cwd: ''",
	}
	bad := []string{
		"yield: 30", "yield: soon", "yield: [1s]", "yeild: 1s", "yield: {a: 1}", "yield: ~", "max_output: 1MB", "max_output: -1", "max: {outptu: 5}", "max: 5",
		"max_executions: 1.5", "max_executions: many", "exit_with_parent: yes", "exit_with_parent: 1", "result: json", "allow: ls", "allow: [[a]]", "allow: [~]",
		"allow: {regexp: a}", "allow: {regex: [a]}", "deny_regex: [a]", "policy: []", "policy: ~", "config: x", "[]", "max-output: 1", "deny: {unknown: a}",
	}
	check := func(text string, want bool) {
		t.Run(text, func(t *testing.T) {
			var value any
			if err := yaml.Unmarshal([]byte(text), &value); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(value); (err == nil) != want {
				t.Errorf("the schema says %v", err)
			}
			f := parseFile("/c", []byte(text))
			if _, _, err := load([]source{f.source}, f); (err == nil) != want {
				t.Errorf("the program says %v", err)
			}
		})
	}
	for _, text := range good {
		check(text, true)
	}
	for _, text := range bad {
		check(text, false)
	}
}
