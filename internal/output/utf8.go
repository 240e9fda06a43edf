package output

import "unicode/utf8"

// maxIncomplete is how many bytes of a character there can be at most while one
// is still missing.
const maxIncomplete = utf8.UTFMax - 1

// incompleteTail returns how many bytes at the end of p, at most three, begin a
// character that bytes to come may complete.
func incompleteTail(p []byte) int {
	for n := 1; n <= min(maxIncomplete, len(p)); n++ {
		tail := p[len(p)-n:]
		if !utf8.RuneStart(tail[0]) {
			continue
		}
		if utf8.FullRune(tail) {
			return 0 // a whole character, or one that cannot become valid
		}
		return n
	}
	return 0
}

// charAround returns where the valid character of p begins and ends that a cut
// before p[i] would part; both are i if it parts none. UTF-8 marks the first
// byte of a character, so three bytes back tell for sure.
func charAround(p []byte, i int) (start, end int) {
	for start = i - 1; start >= max(0, i-maxIncomplete); start-- {
		if !utf8.RuneStart(p[start]) {
			continue
		}
		if _, n := utf8.DecodeRune(p[start:]); start+n > i {
			return start, start + n
		}
		break
	}
	return i, i
}
