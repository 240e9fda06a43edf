package jsontext

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// AppendString appends s as a JSON string. Control characters, quotes and
// backslashes are escaped, everything else stays as it is: no "<" or U+2028
// needs escaping outside of HTML. Each byte that is not part of valid UTF-8
// becomes U+FFFD, as in encoding/json.
func AppendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = replaceInvalid(s)
	}
	dst = append(slices.Grow(dst, len(s)+len(s)/16+2), '"')
	for {
		plain := plainPrefix(s)
		dst = append(dst, s[:plain]...)
		if plain == len(s) {
			return append(dst, '"')
		}
		dst = appendEscape(dst, s[plain])
		s = s[plain+1:]
	}
}

// replaceInvalid returns s with each invalid byte replaced.
func replaceInvalid(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	done := 0 // s[:done] is written
	for i, r := range s {
		// The text may also contain U+FFFD itself, which is three bytes long.
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			b.WriteString(s[done:i])
			b.WriteRune(utf8.RuneError)
			done = i + 1
		}
	}
	b.WriteString(s[done:])
	return b.String()
}

// plainPrefix returns how many bytes at the start of s need no escape.
func plainPrefix(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if special := specials(load(s[i : i+8])); special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for ; i < len(s); i++ {
		if b := s[i]; b < ' ' || b == '"' || b == '\\' {
			break
		}
	}
	return i
}

// load returns eight bytes as one word, the first byte lowest.
func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// specials returns a word whose lowest bit set is the top bit of the first
// byte of w that needs an escape; 0 if there is none. Subtracting borrows from
// the next byte only where a byte is special, so the lowest bit is right and
// those above it may not be.
func specials(w uint64) uint64 {
	const (
		ones = 0x0101010101010101
		tops = 0x80 * ones
	)
	control := w - ' '*ones
	quote := (w ^ '"'*ones) - ones
	backslash := (w ^ '\\'*ones) - ones
	return (control | quote | backslash) & ^w & tops
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
