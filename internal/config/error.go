package config

import (
	"fmt"
	"strings"
)

// Error is a fault in the configuration: the program says it and exits with 2.
type Error struct {
	// Option is the option's name; it is empty, and so is Value, if a place in the
	// file is faulty rather than the value of an option. Origin says where the value
	// came from, as in Value; Value is the faulty text, whole.
	Option, Origin, Value string
	// Reason says what is wrong and what to write instead.
	Reason string
}

// Error returns one line of text; a long value is cut.
func (e *Error) Error() string {
	if e.Option == "" {
		return e.Origin + ": " + e.Reason
	}
	return fmt.Sprintf("invalid value %q for option %s, from %s: %s", shown(e.Value), e.Option, e.Origin, e.Reason)
}

// shown cuts a text to what is enough to recognize it.
func shown(text string) string {
	const most = 60 // bytes
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
