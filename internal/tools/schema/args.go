package schema

import "fmt"

// Args holds the decoded arguments of one call. The zero value holds none. It
// shares no memory with the text it was decoded from and is safe for concurrent
// reading.
//
// Every getter reports whether the argument was given; null counts as not given,
// and so does a name that the tool does not declare, since one tool may be served
// in dialects of which one lacks the parameter. A getter of another kind than the
// declared one panics: that is a mistake in a tool.
type Args struct {
	tool   *Tool
	values []argument
}

// argument is the value of one parameter, in the field that its kind chooses.
type argument struct {
	param *Param
	// given is false for null and for a value that was refused.
	given  bool
	truth  bool
	number int64
	real   float64
	text   string
	list   []string
	dict   map[string]string
}

// String returns the value of a String parameter.
func (a Args) String(name string) (string, bool) {
	v := a.value(name, String)
	return v.text, v.given
}

// Int returns the value of an Integer parameter.
func (a Args) Int(name string) (int64, bool) {
	v := a.value(name, Integer)
	return v.number, v.given
}

// Float returns the value of a Number parameter.
func (a Args) Float(name string) (float64, bool) {
	v := a.value(name, Number)
	return v.real, v.given
}

// Bool returns the value of a Boolean parameter, then whether it was given.
func (a Args) Bool(name string) (value, given bool) {
	v := a.value(name, Boolean)
	return v.truth, v.given
}

// Strings returns the value of a StringList parameter: never nil when given.
func (a Args) Strings(name string) ([]string, bool) {
	v := a.value(name, StringList)
	return v.list, v.given
}

// Map returns the value of a StringMap parameter: never nil when given.
func (a Args) Map(name string) (map[string]string, bool) {
	v := a.value(name, StringMap)
	return v.dict, v.given
}

// value returns the argument called name, or a zero one when there is none.
func (a Args) value(name string, kind Kind) argument {
	if a.tool == nil {
		return argument{}
	}
	for i := range a.tool.Params {
		p := &a.tool.Params[i]
		if p.Name != name {
			continue
		}
		if p.Kind != kind {
			panic(fmt.Sprintf("schema: parameter %s is read as another kind than it declares", name))
		}
		if v := find(a.values, p); v != nil {
			return *v
		}
		break
	}
	return argument{}
}

// find returns the argument for p, or nil.
func find(values []argument, p *Param) *argument {
	for i := range values {
		if values[i].param == p {
			return &values[i]
		}
	}
	return nil
}
