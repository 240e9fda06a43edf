package schema

import (
	"encoding/json"
	"strings"

	"whelk/internal/nearest"
)

// list reads an array of strings, or the JSON text of one.
func (d *decoder) list(p *Param, raw []byte) ([]string, bool) {
	array, ok := compound(raw, '[')
	if !ok {
		d.err.add(*p.refuse(raw, "write it as "+exampleList(raw, p.Enum)))
		return nil, false
	}
	list := []string{}
	for i, element := range elements(array) {
		s, f := decodeString(element, p.Enum)
		if f != nil {
			f.Path = elementPath(p.Name, i)
			d.err.add(*f)
			ok = false
		}
		list = append(list, s)
	}
	return list, ok
}

// dict reads an object of strings, or the JSON text of one.
func (d *decoder) dict(p *Param, raw []byte) (map[string]string, bool) {
	object, ok := compound(raw, '{')
	if !ok {
		d.err.add(*p.refuse(raw, `write it as {"NAME": "value"}`))
		return nil, false
	}
	dict := map[string]string{}
	for key, value := range members(object) {
		name, valid := unquote(key)
		s, f := decodeMember(value, p.OnlyStrings)
		if _, seen := dict[string(name)]; seen {
			f = &Fault{Expected: "each name once", Received: "it again: " + shown(value)}
		}
		if !valid {
			f = &Fault{Expected: "a name that is valid UTF-8", Received: shown(key)}
		}
		if f != nil {
			f.Path = memberPath(p.Name, name)
			d.err.add(*f)
			ok = false
		}
		dict[string(name)] = s
	}
	return dict, ok
}

// decodeMember reads the value of a member. A number or a boolean is taken as it
// is written: {"N": 1} is how many write an environment, and it has one spelling.
func decodeMember(raw []byte, exact bool) (string, *Fault) {
	if !exact && strings.IndexByte(`"{[n`, raw[0]) < 0 {
		return string(raw), nil
	}
	return decodeString(raw, nil)
}

// compound returns the array or object, as open says, that raw is or that it holds
// as JSON text. Clients that were told the type still send the text of it.
func compound(raw []byte, open byte) ([]byte, bool) {
	if raw[0] == '"' {
		text, ok := unquote(raw)
		if !ok || !json.Valid(text) {
			return nil, false
		}
		raw = skipSpace(text)
	}
	return raw, raw[0] == open
}

// exampleList shows the form of a list, with the name that was sent without it if
// there is one: what a model is shown it will send next.
func exampleList(raw []byte, enum []string) string {
	if len(enum) == 0 {
		return `["first", "second"]`
	}
	if text, ok := unquote(raw); ok && raw[0] == '"' {
		if near := nearest.Name(strings.TrimSpace(string(text)), enum); near != "" {
			return `["` + near + `"]`
		}
	}
	return "a list of names"
}
