package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A JSON value of the compatibility tests is nil, bool, string, json.Number,
// []any or *object: encoding/json's own, but for the order of keys, which
// clients see.

// object is a JSON object that keeps the order of its keys.
type object struct {
	members []member
	// anyOrder is set where a key was added by hand whose place is unknown.
	anyOrder bool
}

type member struct {
	name  string
	value any
}

// get returns the value of a key, nil if there is none.
func (o *object) get(name string) any {
	v, _ := o.lookup(name)
	return v
}

func (o *object) lookup(name string) (any, bool) {
	if o == nil {
		return nil, false
	}
	for _, m := range o.members {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// set gives a key a value, in its place if it is there, else at the end.
func (o *object) set(name string, value any) *object {
	for i := range o.members {
		if o.members[i].name == name {
			o.members[i].value = value
			return o
		}
	}
	o.members = append(o.members, member{name, value})
	return o
}

func (o *object) remove(name string) {
	o.members = slices.DeleteFunc(o.members, func(m member) bool { return m.name == name })
}

func (o *object) keys() []string {
	names := make([]string, len(o.members))
	for i, m := range o.members {
		names[i] = m.name
	}
	return names
}

// text returns a string member, "" if there is none.
func (o *object) text(name string) string {
	s, _ := o.get(name).(string)
	return s
}

// parseJSON reads one JSON value, and nothing after it.
func parseJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := parseValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func parseValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Delim('{'):
		return parseMembers(d)
	}
	return t, nil
}

func parseMembers(d *json.Decoder) (any, error) {
	o := &object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		o.members = append(o.members, member{name.(string), v})
	}
	_, err := d.Token()
	return o, err
}

// MarshalJSON writes the members in their order.
func (o *object) MarshalJSON() ([]byte, error) { return []byte(compactJSON(o)), nil }

// layout says how a server writes JSON in its text items.
type layout struct {
	item, colon string // between items, and after a key
	indent      string // of each level on lines of their own, "" for one line
	ascii       bool   // everything else as \u
}

// compactJSON is the form of the recordings and of failures.
func compactJSON(v any) string { return layout{item: ",", colon: ":"}.write(v, "\n") }

// write writes a value; newline begins a line at the value's own level.
func (l layout) write(v any, newline string) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case string:
		return l.quote(v)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = l.write(v[i], newline+l.indent)
		}
		return l.enclose("[", "]", parts, newline)
	case *object:
		parts := make([]string, len(v.members))
		for i, m := range v.members {
			parts[i] = l.quote(m.name) + l.colon + l.write(m.value, newline+l.indent)
		}
		return l.enclose("{", "}", parts, newline)
	}
	panic(fmt.Sprintf("%T is no JSON value", v))
}

func (l layout) enclose(opening, closing string, parts []string, newline string) string {
	if l.indent == "" || len(parts) == 0 {
		return opening + strings.Join(parts, l.item) + closing
	}
	inner := newline + l.indent
	return opening + inner + strings.Join(parts, l.item+inner) + newline + closing
}

// quote writes a string as Python's json does: of what need not be escaped,
// only what is outside of ASCII, and only if the server wants that.
func (l layout) quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n', r == '\r', r == '\t', r == '\b', r == '\f':
			b.WriteString(map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}[r])
		case r > 0xFFFF && l.ascii:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		case r < ' ', r > '~' && l.ascii:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
