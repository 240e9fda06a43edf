package tabshell

import (
	"strings"
	"unicode/utf8"
)

// decode returns output as text. As in Python and on the web, what begins a character
// and does not complete it becomes one U+FFFD, and so does each other byte that is not
// valid (The Unicode Standard, chapter 3, "U+FFFD Substitution of Maximal Subparts").
func decode(p []byte) string {
	if utf8.Valid(p) {
		return string(p)
	}
	var b strings.Builder
	b.Grow(len(p))
	for len(p) > 0 {
		n := characterSize(p)
		if r, size := utf8.DecodeRune(p); r == utf8.RuneError && size == 1 {
			b.WriteRune(utf8.RuneError)
		} else {
			b.Write(p[:n])
		}
		p = p[n:]
	}
	return b.String()
}

// length counts the characters that decode makes of p.
func length(p []byte) int {
	if utf8.Valid(p) {
		return utf8.RuneCount(p)
	}
	count := 0
	for ; len(p) > 0; count++ {
		p = p[characterSize(p):]
	}
	return count
}

// characterSize returns how many bytes at the beginning of p are one character, or take
// the place of one.
func characterSize(p []byte) int {
	if r, size := utf8.DecodeRune(p); r != utf8.RuneError || size > 1 {
		return size
	}
	n := 1
	for n < len(p) && !utf8.FullRune(p[:n+1]) {
		n++
	}
	return n
}
