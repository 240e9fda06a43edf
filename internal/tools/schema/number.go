package schema

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// decodeNumber reads a number, or text that holds one with or without spaces
// around it (BO-70). One that no float64 can hold is refused.
func decodeNumber(raw []byte, p *Param) (float64, *Fault) {
	text := raw
	if raw[0] == '"' {
		text, _ = unquote(raw)
		text = bytes.TrimSpace(text)
	}
	// ParseFloat also takes Inf, NaN, hexadecimal digits and underscores.
	if len(text) == 0 || text[0] != '-' && (text[0] < '0' || text[0] > '9') || !json.Valid(text) {
		return 0, p.refuse(raw, "write a number such as 5 or 0.5: no unit")
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, p.refuse(raw, "it is too large")
	}
	return n, nil
}
