package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"whelk/internal/jsontext"
)

// InputSchema returns the JSON Schema of t's arguments: compact, and the same
// bytes every time, with the properties in declared order. Callers that need it
// often keep it.
//
// It uses only what every known client takes: one type a value, items,
// properties, required, additionalProperties, enum, default, minimum, maximum and
// description. Some clients drop the whole session over a type array, anyOf, $ref
// or a boolean sub-schema.
//
// It panics if a Default does not fit its Kind: that is a mistake in a declaration.
func (t *Tool) InputSchema() json.RawMessage {
	b := []byte(`{"type":"object","properties":{`)
	for i := range t.Params {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, t.Params[i].Name)
		b = append(b, ':')
		b = t.Params[i].appendSchema(b)
	}
	b = append(b, '}')
	b = t.appendRequired(b)
	if !t.Lenient {
		b = append(b, `,"additionalProperties":false`...)
	}
	return append(b, '}')
}

// appendRequired leaves the key out when nothing is required: older drafts of JSON
// Schema refuse an empty list.
func (t *Tool) appendRequired(b []byte) []byte {
	var required []string
	for i := range t.Params {
		if t.Params[i].Required {
			required = append(required, t.Params[i].Name)
		}
	}
	if len(required) == 0 {
		return b
	}
	return appendStrings(append(b, `,"required":`...), required)
}

func (p *Param) appendSchema(b []byte) []byte {
	switch p.Kind {
	case String:
		b = p.appendEnum(append(b, `{"type":"string"`...))
	case Integer:
		b = p.appendBounds(append(b, `{"type":"integer"`...))
	case Number:
		b = append(b, `{"type":"number"`...)
	case Boolean:
		b = append(b, `{"type":"boolean"`...)
	case StringList:
		b = append(p.appendEnum(append(b, `{"type":"array","items":{"type":"string"`...)), '}')
	case StringMap:
		b = append(b, `{"type":"object","additionalProperties":{"type":"string"}`...)
	default:
		panic(fmt.Sprintf("schema: parameter %s has the unknown kind %d", p.Name, p.Kind))
	}
	if p.Doc != "" {
		b = jsontext.AppendString(append(b, `,"description":`...), p.Doc)
	}
	if p.Default != nil {
		b = p.appendDefault(append(b, `,"default":`...))
	}
	return append(b, '}')
}

func (p *Param) appendEnum(b []byte) []byte {
	if len(p.Enum) == 0 {
		return b
	}
	return appendStrings(append(b, `,"enum":`...), p.Enum)
}

func (p *Param) appendBounds(b []byte) []byte {
	if p.Min != nil {
		b = strconv.AppendInt(append(b, `,"minimum":`...), *p.Min, 10)
	}
	if p.Max != nil {
		b = strconv.AppendInt(append(b, `,"maximum":`...), *p.Max, 10)
	}
	return b
}

func (p *Param) appendDefault(b []byte) []byte {
	switch v := p.Default.(type) {
	case string:
		if p.Kind == String {
			return jsontext.AppendString(b, v)
		}
	case int:
		if p.Kind == Integer {
			return strconv.AppendInt(b, int64(v), 10)
		}
	case int64:
		if p.Kind == Integer {
			return strconv.AppendInt(b, v, 10)
		}
	case float64:
		if p.Kind == Number {
			return strconv.AppendFloat(b, v, 'f', -1, 64)
		}
	case bool:
		if p.Kind == Boolean {
			return strconv.AppendBool(b, v)
		}
	case []string:
		if p.Kind == StringList {
			return appendStrings(b, v)
		}
	case map[string]string:
		if p.Kind == StringMap {
			return appendMap(b, v)
		}
	}
	panic(fmt.Sprintf("schema: the default of parameter %s has type %T, which does not fit its kind", p.Name, p.Default))
}

func appendMap(b []byte, m map[string]string) []byte {
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, key)
		b = append(b, ':')
		b = jsontext.AppendString(b, m[key])
	}
	return append(b, '}')
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, s)
	}
	return append(b, ']')
}
