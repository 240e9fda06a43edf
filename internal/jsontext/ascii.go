package jsontext

import "unicode/utf16"

// AppendASCII appends s as a JSON string of ASCII alone, in the form of Python's
// json module: what is not printable ASCII is escaped, characters beyond U+FFFF as
// two surrogates. Each byte that is not part of valid UTF-8 becomes U+FFFD.
func AppendASCII(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r < ' ' || r == '"' || r == '\\':
			dst = appendEscape(dst, byte(r))
		case r < 0x7f:
			dst = append(dst, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = appendUnit(appendUnit(dst, high), low)
		default:
			dst = appendUnit(dst, r)
		}
	}
	return append(dst, '"')
}

// appendUnit appends one unit of UTF-16.
func appendUnit(dst []byte, unit rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[unit>>12&0xf], hex[unit>>8&0xf], hex[unit>>4&0xf], hex[unit&0xf])
}
