package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxDepth bounds how deep an argument may nest, in levels. What a tool takes is
// two levels deep; the rest is room for arguments that a lenient tool ignores.
const maxDepth = 64

// Decode reads the arguments of one call: a JSON object, or nothing or null for
// none. A value that arrived as text is repaired; the rules stand with each Kind.
// An error is always an *Error and lists every fault; the Args are then empty.
func (t *Tool) Decode(raw json.RawMessage) (Args, error) {
	d := decoder{tool: t}
	d.arguments(raw)
	d.missing()
	if len(d.err.Faults) > 0 {
		return Args{}, &d.err
	}
	return Args{tool: t, values: d.values}, nil
}

// decoder gathers the arguments of one call and what is wrong with them.
type decoder struct {
	tool   *Tool
	values []argument
	err    Error
	// broken is set when there is no object to look for arguments in.
	broken bool
	// listed is set once a fault has named all valid names, which one does for all.
	listed bool
}

// arguments reads the whole object.
func (d *decoder) arguments(raw []byte) {
	raw = skipSpace(raw)
	if len(raw) == 0 {
		return
	}
	if !json.Valid(raw) {
		d.refuseWhole(raw, "it is not valid JSON: "+json.Unmarshal(raw, new(json.RawMessage)).Error())
		return
	}
	switch raw[0] {
	case 'n': // null
	case '{':
		d.values = make([]argument, 0, len(d.tool.Params))
		for key, value := range members(raw) {
			d.member(key, value)
		}
	default:
		d.refuseWhole(raw, `send them by name, such as {"name": "value"}`)
	}
}

func (d *decoder) refuseWhole(raw []byte, hint string) {
	d.broken = true
	d.err.add(Fault{Expected: "an object", Received: shown(raw), Hint: hint})
}

// member reads one argument.
func (d *decoder) member(key, value []byte) {
	name, ok := unquote(key)
	p := d.tool.param(name)
	switch {
	case tooDeep(value):
		d.values = append(d.values, argument{param: p})
		d.err.add(Fault{
			Path: argumentPath(name), Expected: fmt.Sprintf("at most %d levels of nesting", maxDepth),
			Received: shown(value),
		})
	case p == nil || !ok:
		d.unknown(name, value)
	case find(d.values, p) != nil:
		d.err.add(Fault{
			Path: p.Name, Expected: "each argument once", Received: "it again: " + shown(value),
			Hint: "send one value, since two readers could each take another",
		})
	default:
		d.values = append(d.values, d.value(p, value))
	}
}

// unknown records an argument that the tool does not declare.
func (d *decoder) unknown(name, value []byte) {
	switch {
	case d.tool.Lenient:
		return
	case len(d.err.Faults) == maxFaults: // spare the search for the nearest name
		d.err.Unlisted++
		return
	}
	f := Fault{Path: argumentPath(name), Expected: "a known argument", Received: shown(value)}
	f.Hint = didYouMean(string(name), d.tool.names())
	if !d.listed {
		d.listed = true
		f.Hint = strings.TrimSpace(f.Hint + " " + d.validNames())
	}
	d.err.add(f)
}

func (d *decoder) validNames() string {
	names := d.tool.names()
	if len(names) == 0 {
		return "this tool takes no arguments"
	}
	return "valid arguments: " + strings.Join(names, ", ")
}

// missing records each required argument that was not given. A required null, or a
// refused value, has its fault already.
func (d *decoder) missing() {
	if d.broken {
		return
	}
	for i := range d.tool.Params {
		p := &d.tool.Params[i]
		if p.Required && find(d.values, p) == nil {
			d.err.add(Fault{Path: p.Name, Expected: p.expected(), Received: "nothing", Hint: "it is required"})
		}
	}
}

func tooDeep(value []byte) bool {
	if value[0] != '{' && value[0] != '[' {
		return false
	}
	_, deepest := closing(value)
	return deepest > maxDepth
}

// value reads the value of p. The argument is not given if it has a fault.
func (d *decoder) value(p *Param, raw []byte) argument {
	a := argument{param: p}
	if raw[0] == 'n' { // null
		switch {
		case p.Required:
			d.err.add(*p.refuse(raw, "it is required"))
		case p.NotNull:
			d.err.add(*p.refuse(raw, "leave it out instead"))
		}
		return a
	}
	var f *Fault
	switch p.Kind {
	case Integer:
		a.number, f = decodeInteger(raw, p)
	case Number:
		a.real, f = decodeNumber(raw, p)
	case Boolean:
		a.truth, f = decodeBoolean(raw, p)
	case StringList:
		a.list, a.given = d.list(p, raw)
		return a
	case StringMap:
		a.dict, a.given = d.dict(p, raw)
		return a
	default:
		a.text, f = decodeString(raw, p.Enum)
	}
	if f != nil {
		f.Path = p.Name
		d.err.add(*f)
	}
	a.given = f == nil
	return a
}
