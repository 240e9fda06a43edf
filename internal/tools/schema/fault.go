package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"whelk/internal/nearest"
)

// maxFaults bounds the faults of one answer: more than anyone mends at once, and
// few enough that no request, however large, makes a large answer.
const maxFaults = 32

// maxShown is how many bytes of a received value, or of a name, a fault shows:
// enough to recognize it, without sending a whole script back.
const maxShown = 60

// Error reports everything that is wrong with the arguments of one call.
type Error struct {
	// Faults come in the order of the arguments, then the missing ones in declared
	// order. There is at least one.
	Faults []Fault
	// Unlisted counts the faults past the first 32, which Faults leaves out.
	Unlisted int
}

// Error returns text for a model or a person: one line, or one line a fault.
func (e *Error) Error() string {
	if len(e.Faults) == 1 && e.Unlisted == 0 {
		return "invalid argument: " + e.Faults[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d invalid arguments:", len(e.Faults)+e.Unlisted)
	for _, f := range e.Faults {
		b.WriteString("\n- " + f.String())
	}
	if e.Unlisted > 0 {
		fmt.Fprintf(&b, "\n- and %d more", e.Unlisted)
	}
	return b.String()
}

func (e *Error) add(f Fault) {
	if len(e.Faults) == maxFaults {
		e.Unlisted++
		return
	}
	e.Faults = append(e.Faults, f)
}

// Fault is one thing wrong with the arguments. All its texts are valid UTF-8 and
// bounded.
type Fault struct {
	// Path is the argument, or a place in it: "yield_ms", "argv[2]", "env.PATH". It
	// is empty when the arguments as a whole are at fault.
	Path string
	// Expected says what the argument takes; Received shows the JSON that came, cut
	// at about 60 bytes, or "nothing".
	Expected, Received string
	// Hint says what to do next; it may be empty.
	Hint string
}

// String returns the fault as one line of text.
func (f Fault) String() string {
	path := f.Path
	if path == "" {
		path = "the arguments"
	}
	line := path + ": expected " + f.Expected + ", received " + f.Received
	if f.Hint != "" {
		line += "; " + f.Hint
	}
	return line
}

// refuse returns the fault of a value that is not what p takes.
func (p *Param) refuse(raw []byte, hint string) *Fault {
	return &Fault{Path: p.Name, Expected: p.expected(), Received: shown(raw), Hint: hint}
}

// expected says in words what p takes.
func (p *Param) expected() string {
	switch p.Kind {
	case Integer:
		return expectedInteger(p.Min, p.Max)
	case Number:
		return "a number"
	case Boolean:
		return "true or false"
	case StringList:
		return "an array of strings"
	case StringMap:
		return "an object of strings"
	default:
		return expectedString(p.Enum)
	}
}

func expectedInteger(least, most *int64) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf("a whole number from %d to %d", *least, *most)
	case least != nil:
		return fmt.Sprintf("a whole number, %d or more", *least)
	case most != nil:
		return fmt.Sprintf("a whole number, %d or less", *most)
	default:
		return "a whole number"
	}
}

func expectedString(enum []string) string {
	if len(enum) == 0 {
		return "a string"
	}
	return "one of " + strings.Join(enum, ", ")
}

// shown returns JSON text fit for a line of a message: cut, valid, on one line.
func shown(raw []byte) string {
	text := string(raw[:min(len(raw), maxShown)])
	if len(raw) > maxShown {
		text = cutRune(text) + "…"
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// cutRune drops the character that a cut left incomplete at the end of text.
func cutRune(text string) string {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}

// memberPath names a member of an argument: env.PATH, or env["a b"] for a name
// that would blur into the rest of the line.
func memberPath(name string, key []byte) string {
	if isPlain(key) {
		return name + "." + string(key)
	}
	return name + "[" + strconv.Quote(shown(key)) + "]"
}

func elementPath(name string, i int) string {
	return name + "[" + strconv.Itoa(i) + "]"
}

// argumentPath names an argument that the tool does not know.
func argumentPath(key []byte) string {
	if isPlain(key) {
		return string(key)
	}
	return strconv.Quote(shown(key))
}

// isPlain reports whether key can stand in a message as it is.
func isPlain(key []byte) bool {
	for _, c := range key {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		if !letter && !digit && c != '_' && c != '-' {
			return false
		}
	}
	return len(key) > 0 && len(key) <= maxShown
}

// didYouMean returns a question that names the nearest of names, or "".
func didYouMean(guess string, names []string) string {
	near := nearest.Name(guess, names)
	if near == "" {
		return ""
	}
	return "did you mean " + near + "?"
}
