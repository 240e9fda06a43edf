package schema

import "slices"

// decodeString reads a string, one of enum if there is one; the caller sets the
// fault's path. Numbers and booleans are refused rather than spelt out: 007 or 1e3
// would come out as another text than the one meant.
func decodeString(raw []byte, enum []string) (string, *Fault) {
	hint := ""
	switch raw[0] {
	case '"':
		text, ok := unquote(raw)
		s := string(text)
		switch {
		case !ok:
			hint = "the text is not valid UTF-8: send the characters themselves, or a whole surrogate pair"
		case len(enum) == 0 || slices.Contains(enum, s):
			return s, nil
		default:
			hint = didYouMean(s, enum)
		}
	case '{', '[', 'n':
	default:
		hint = `put it in quotes: "` + shown(raw) + `"`
	}
	return "", &Fault{Expected: expectedString(enum), Received: shown(raw), Hint: hint}
}
