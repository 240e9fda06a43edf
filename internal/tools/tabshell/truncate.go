package tabshell

import (
	"unicode/utf8"
)

// mark stands where output was cut. It counts as output.
const mark = "[...truncated]"

// captured is what is left of one stream.
type captured struct {
	first []byte // the beginning of a stream that is not whole
	last  []byte // the end of it
	whole bool   // last is all there was
}

// length counts the characters of a stream. One that is not whole has more than limit,
// because so many fit into what is kept.
func (c captured) length(limit int) int {
	if !c.whole {
		return limit + 1
	}
	return length(c.last)
}

// truncate cuts two streams to at most limit characters together and tells whether
// something is missing. Standard error has a third, standard output the rest, and what
// one leaves the other takes.
func truncate(out, err captured, limit int, head bool) (stdout, stderr string, truncated bool) {
	negative := limit < 0 // less than nothing is always too much
	limit = max(limit, 0)
	outLength, errLength := out.length(limit), err.length(limit)
	if outLength+errLength <= limit && !negative {
		return decode(out.last), decode(err.last), false
	}
	forErr := limit / 3
	forOut := limit - forErr
	switch {
	case outLength <= forOut:
		forErr = limit - outLength
	case errLength <= forErr:
		forOut = limit - errLength
	}
	return out.cut(outLength, forOut, head), err.cut(errLength, forErr, head), true
}

// cut returns at most limit characters of a stream. The mark is among them, unless it
// would leave no room for anything else: then the result alone tells of the cut.
func (c captured) cut(length, limit int, head bool) string {
	if length <= limit {
		return decode(c.last)
	}
	sign := mark
	if limit <= len(mark) {
		sign = ""
	}
	room := limit - len(sign)
	switch {
	case !head:
		return sign + lastCharacters(decode(c.last), room)
	case c.whole:
		return firstCharacters(decode(c.last), room) + sign
	}
	return firstCharacters(decode(c.first), room) + sign
}

func firstCharacters(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

func lastCharacters(text string, n int) string {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[at:]
}
