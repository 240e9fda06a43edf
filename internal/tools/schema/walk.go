package schema

import (
	"bytes"
	"iter"
	"unicode/utf16"
	"unicode/utf8"
)

// The functions of this file walk JSON text that json.Valid has accepted, so they
// check no syntax and cannot run off the end. They allocate nothing but what an
// escaped string needs: json.Decoder costs an allocation a token and hides
// duplicate keys and broken characters.

// members yields the key, as a string literal, and the value of each member of an
// object, in order and with duplicates.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		rest := skipSpace(object[1:])
		for rest[0] != '}' {
			var key, value []byte
			key, rest = cut(rest)
			rest = skipSpace(rest)[1:] // the colon
			value, rest = cut(skipSpace(rest))
			if !yield(key, value) {
				return
			}
			rest = skipComma(rest)
		}
	}
}

// elements yields the position and value of each element of an array, in order.
func elements(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(i int, value []byte) bool) {
		rest := skipSpace(array[1:])
		for i := 0; rest[0] != ']'; i++ {
			var value []byte
			value, rest = cut(rest)
			if !yield(i, value) {
				return
			}
			rest = skipComma(rest)
		}
	}
}

// cut splits the value that text begins with from what follows it: in an object or
// an array something always does.
func cut(text []byte) (value, rest []byte) {
	end := 0
	switch text[0] {
	case '"':
		end = stringEnd(text)
	case '{', '[':
		end, _ = closing(text)
	default:
		end = bytes.IndexAny(text, ",]} \t\r\n")
	}
	return text[:end], text[end:]
}

// closing returns the end of the object or array that text begins with, and how
// many levels it nests. It counts instead of recursing: no input deepens the stack.
func closing(text []byte) (end, deepest int) {
	depth := 0
	for i := 0; ; i++ {
		switch text[i] {
		case '"':
			i += stringEnd(text[i:]) - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1, deepest
			}
		}
	}
}

// stringEnd returns the end of the string literal that text begins with: the first
// quote with an even number of backslashes before it. Looking for the quotes alone
// keeps a long text of many escapes linear, and most bytes in bytes.IndexByte.
func stringEnd(text []byte) int {
	for end := 1; ; {
		end += bytes.IndexByte(text[end:], '"') + 1
		slashes := 0
		for text[end-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end
		}
	}
}

func skipSpace(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t' || text[0] == '\r' || text[0] == '\n') {
		text = text[1:]
	}
	return text
}

// skipComma moves past what separates two elements, if another follows.
func skipComma(text []byte) []byte {
	text = skipSpace(text)
	if text[0] == ',' {
		text = skipSpace(text[1:])
	}
	return text
}

// unquote returns what a string literal says: a part of the literal itself when it
// has no escapes. ok is false if it holds invalid UTF-8 or half of a surrogate
// pair; text then has U+FFFD in their place, fit to be shown and for nothing else.
func unquote(literal []byte) (text []byte, ok bool) {
	literal = literal[1 : len(literal)-1]
	ok = utf8.Valid(literal)
	if !ok {
		literal = bytes.ToValidUTF8(literal, []byte("\uFFFD"))
	}
	next := bytes.IndexByte(literal, '\\')
	if next < 0 {
		return literal, ok
	}
	text = make([]byte, 0, len(literal))
	for ; next >= 0; next = bytes.IndexByte(literal, '\\') {
		text = append(text, literal[:next]...)
		r, size := escaped(literal[next:])
		if r == unicodeFault {
			ok, r = false, utf8.RuneError
		}
		text = utf8.AppendRune(text, r)
		literal = literal[next+size:]
	}
	return append(text, literal...), ok
}

// unicodeFault stands for half of a surrogate pair, which is no character.
const unicodeFault rune = -1

// escaped returns the character that text, an escape sequence and what follows it,
// begins with, and how many bytes it takes.
func escaped(text []byte) (r rune, size int) {
	switch c := text[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r = hex4(text[2:])
	default: // a quote, a backslash or a slash
		return rune(c), 2
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(text[8:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return unicodeFault, 6
}

// hex4 reads four hexadecimal digits.
func hex4(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		r <<= 4
		switch {
		case c <= '9':
			r += rune(c - '0')
		case c <= 'F':
			r += rune(c-'A') + 10
		default:
			r += rune(c-'a') + 10
		}
	}
	return r
}
