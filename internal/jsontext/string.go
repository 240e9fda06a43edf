package jsontext

import "unicode/utf8"

// AppendString appends s as a JSON string. Control characters, quotes and
// backslashes are escaped, everything else stays as it is: no "<" or U+2028
// needs escaping outside of HTML. Each byte that is not part of valid UTF-8
// becomes U+FFFD, as in encoding/json.
//
// See the package for why it exists.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	// Known validity makes the loop free of decoding, and is cheap to know.
	valid := utf8.ValidString(s)
	done := 0 // s[:done] is appended
	for i := 0; i < len(s); {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' && (b < utf8.RuneSelf || valid) {
			i++
			continue
		}
		if b >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			dst = append(dst, s[done:i]...)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, s[done:i]...)
			dst = appendEscape(dst, b)
		}
		i++
		done = i
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

// appendEscape appends the escape sequence of an ASCII character.
func appendEscape(dst []byte, b byte) []byte {
	const hex = "0123456789abcdef"
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\n':
		return append(dst, `\n`...)
	case '\t':
		return append(dst, `\t`...)
	case '\r':
		return append(dst, `\r`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&0xf])
}
