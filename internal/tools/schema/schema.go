// Package schema owns the declaration of a tool's parameters: from one Tool come
// the JSON Schema that a client is shown and the decoding of what it sends back.
//
// Words: a parameter is what a tool declares, an argument what a client sends for
// it, a fault one thing wrong with the arguments. To repair is to accept a value
// that arrived as JSON text ("5000" for 5000), which many clients send.
//
// Invariants:
//   - Repair never changes a meaning: a value is taken exactly or refused. Nothing
//     is rounded, no invalid character is replaced, no true becomes 1.
//   - All faults are reported together, each with what was expected and received.
//   - Names match byte for byte. encoding/json matches them without case and lets
//     the last one win, so what one program checked another would not run.
//
// Only tool sets call this package. It imports the standard library alone.
package schema

// Kind is the type of a parameter's value. The zero Kind is String.
type Kind uint8

const (
	// String is a JSON string; no other value is taken for one.
	String Kind = iota
	// Integer is a whole number within int64, also as text or with a zero fraction.
	Integer
	// Number is a finite number, also as text.
	Number
	// Boolean is true or false, also as text.
	Boolean
	// StringList is an array of strings, also as the JSON text of one.
	StringList
	// StringMap is an object of strings, also as the JSON text of one.
	StringMap
)

// Param declares one parameter. The zero value of every field but Name and Kind
// leaves that property out of the schema and out of the checks.
type Param struct {
	// Name is the key of the argument; Doc is its description, shown as it is.
	Name, Doc string
	Kind      Kind
	// Required makes an absent argument, and null, a fault.
	Required bool
	// NotNull makes null a fault, for the tool sets that promise to; by default it is
	// an argument that was not given.
	NotNull bool
	// OnlyStrings refuses other values in a StringMap, for the tool sets that promise
	// to; by default a number and a boolean are taken as they are written.
	OnlyStrings bool
	// Default is shown, never applied: what an absent argument means is the tool's
	// to decide. It is a string, int, int64, float64, bool, []string or map[string]string,
	// as Kind has it.
	Default any
	// Enum lists the values of a String, or of the items of a StringList.
	Enum []string
	// Min and Max bound an Integer, both inclusive.
	Min, Max *int64
}

// Tool declares the parameters of one tool, in the order in which they are shown.
// The zero value takes no arguments. A Tool that nobody changes is safe for
// concurrent use.
type Tool struct {
	Params []Param
	// Lenient ignores unknown arguments, for the tool sets that promise to; by
	// default an unknown argument is a fault, because a misspelt limit that is
	// dropped in silence is a command without that limit (BO-74).
	Lenient bool
}

// param returns the parameter called name, or nil.
func (t *Tool) param(name []byte) *Param {
	for i := range t.Params {
		if t.Params[i].Name == string(name) {
			return &t.Params[i]
		}
	}
	return nil
}

// names returns the names of all parameters in declared order.
func (t *Tool) names() []string {
	names := make([]string, len(t.Params))
	for i := range t.Params {
		names[i] = t.Params[i].Name
	}
	return names
}
