package server

import (
	"iter"
	"strings"
)

// members yields the names and raw values of a JSON object's members, in
// order. The object must be valid JSON without white space before it; anything
// that is not an object has no members.
//
// It exists because encoding/json matches names without regard to case, and
// because finding an id does not need the params decoded.
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		if len(object) == 0 || object[0] != '{' {
			return
		}
		for at := 1; ; {
			at = skip(object, at, " \t\r\n,")
			if object[at] == '}' {
				return
			}
			nameEnd := stringEnd(object, at)
			name := unquote(object[at:nameEnd])
			at = skip(object, nameEnd, " \t\r\n:")
			end := valueEnd(object, at)
			if !yield(name, object[at:end]) {
				return
			}
			at = end
		}
	}
}

// skip returns the first index from at whose byte is not in set.
func skip(data []byte, at int, set string) int {
	for strings.IndexByte(set, data[at]) >= 0 {
		at++
	}
	return at
}

// valueEnd returns the index after the JSON value that starts at at.
func valueEnd(data []byte, at int) int {
	switch data[at] {
	case '"':
		return stringEnd(data, at)
	case '{', '[':
		return compositeEnd(data, at)
	}
	for at < len(data) && strings.IndexByte(" \t\r\n,}]", data[at]) < 0 {
		at++
	}
	return at
}

// compositeEnd returns the index after the object or array that starts at at.
func compositeEnd(data []byte, at int) int {
	for depth := 0; ; {
		switch data[at] {
		case '"':
			at = stringEnd(data, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
}

// stringEnd returns the index after the JSON string that starts at at.
func stringEnd(data []byte, at int) int {
	for at++; data[at] != '"'; at++ {
		if data[at] == '\\' {
			at++
		}
	}
	return at + 1
}
