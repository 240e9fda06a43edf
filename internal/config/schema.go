package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// node is a part of a JSON Schema.
type node map[string]any

// Schema returns the JSON Schema (draft 2020-12) of a configuration file, for
// editors that complete and check it. It takes what Load takes but is not as strict:
// bounds, directories and the policy are checked by the program alone.
func Schema() ([]byte, error) {
	schema := group(fileKeys(), "")
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "Configuration of whelk"
	schema["properties"].(node)[policyKey] = node{
		"type":        "object",
		"description": "rules about what commands may do, see docs/policy.md; the program checks this section",
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(text, '\n'), nil
}

// group describes a mapping: the options whose keys begin with prefix, by the rest of
// their keys, and the mappings within, by each beginning of such a rest.
func group(keys map[string]Option, prefix string) node {
	properties := node{}
	for key, o := range keys {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			properties[rest] = described(o)
		}
	}
	for key := range keys {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		for i, r := range rest {
			if r == '_' {
				addGroup(properties, rest[:i], group(keys, prefix+rest[:i+1]))
			}
		}
	}
	return node{"type": "object", "additionalProperties": false, "properties": properties}
}

// addGroup adds a mapping under a name that may be an option's as well: deny is a
// list, or holds regex for deny_regex.
func addGroup(properties node, name string, g node) {
	switch there, _ := properties[name].(node); {
	case there == nil:
		properties[name] = g
	case there["type"] == "object" || there["anyOf"] != nil: // it was added for another key
	default:
		properties[name] = node{"anyOf": []node{there, g}}
	}
}

// described is the schema of an option's value.
func described(o Option) node {
	value := valueOf(o)
	if o.Repeated {
		value = node{"type": "array", "items": value}
	}
	value["description"] = o.Doc
	switch {
	case o.Repeated && o.Default != "":
		value["default"] = lines(o.Default)
	case o.Default != "":
		value["default"] = o.Default
	}
	return value
}

// valueOf is the schema of one text of an option. A number is a text, too: 0 as a
// duration, or a command that is named 7.
func valueOf(o Option) node {
	switch {
	case o.Kind == kindSwitch:
		return node{"enum": []any{true, false, "true", "false"}}
	case strings.Contains(o.Kind, "|"):
		values := strings.Split(o.Kind, "|")
		if o.Default == "" {
			values = append(values, "")
		}
		return node{"enum": values}
	case o.Kind == "duration":
		return node{"type": []string{"string", "integer"}, "maximum": 0, "minimum": 0, "pattern": `^[-+]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`}
	case o.Kind == "size":
		return node{"type": []string{"string", "integer"}, "minimum": 0, "pattern": `^[0-9]+(B|KiB|MiB|GiB)?$`}
	case o.Kind == "number":
		return node{"type": []string{"string", "integer"}, "minimum": 0, "pattern": `^[0-9]+$`}
	}
	return node{"type": []string{"string", "number", "boolean"}}
}
