package schema

import "bytes"

// decodeBoolean reads true or false, or text that says so in any case. 0, 1, yes
// and no are refused: what a client meant by them is a guess.
func decodeBoolean(raw []byte, p *Param) (bool, *Fault) {
	text := raw
	if raw[0] == '"' {
		text, _ = unquote(raw)
		text = bytes.ToLower(bytes.TrimSpace(text))
	}
	switch string(text) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, p.refuse(raw, "")
}
