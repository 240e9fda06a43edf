package command

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// decodeANSI returns the value of $'…' in bash. ok is false for what bash
// versions read differently.
func decodeANSI(value string) (text string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' || i+1 == len(value) {
			b.WriteByte(value[i])
			continue
		}
		i++
		n, known := decodeEscape(&b, value[i:])
		if !known {
			return "", false
		}
		i += n - 1
	}
	text = b.String()
	// A NUL would end the word early.
	return text, !strings.Contains(text, "\x00")
}

// simpleEscapes are the escapes of one letter, and their values.
const (
	simpleEscapes = `abeEfnrtv\'"?`
	simpleValues  = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
)

// decodeEscape writes the value of an escape without its backslash, and
// returns how many bytes it has.
func decodeEscape(b *strings.Builder, escape string) (n int, ok bool) {
	if i := strings.IndexByte(simpleEscapes, escape[0]); i >= 0 {
		b.WriteByte(simpleValues[i])
		return 1, true
	}
	switch c := escape[0]; {
	case c >= '0' && c <= '7':
		n = digits(escape, 0, 3, 8)
		return n, writeByte(b, escape[:n], 8)
	case c == 'x':
		n = digits(escape, 1, 2, 16)
		return n, n > 1 && writeByte(b, escape[1:n], 16)
	case c == 'u' || c == 'U':
		n = digits(escape, 1, map[byte]int{'u': 4, 'U': 8}[c], 16)
		r, err := strconv.ParseUint(escape[1:n], 16, 31)
		if err != nil || !utf8.ValidRune(rune(r)) {
			return n, false
		}
		b.WriteRune(rune(r))
		return n, r < 0x80 // others depend on the locale
	case c == 'c':
		return 1, false
	}
	b.WriteByte('\\')
	b.WriteByte(escape[0])
	return 1, true
}

// digits returns the end of at most limit digits of a base, from start.
func digits(text string, start, limit, base int) int {
	end := start
	for end < len(text) && end < start+limit {
		if _, err := strconv.ParseUint(text[end:end+1], base, 8); err != nil {
			break
		}
		end++
	}
	return end
}

// writeByte writes the byte that the digits say, if they say one.
func writeByte(b *strings.Builder, number string, base int) bool {
	n, err := strconv.ParseUint(number, base, 16)
	b.WriteByte(byte(n))
	return err == nil
}
