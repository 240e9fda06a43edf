package schema

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// whole says how a text reads as a whole number.
type whole uint8

const (
	wholeExact  whole = iota // it is one, and fits
	wholeNot                 // it is not a number, or has a fraction
	wholeTooBig              // it is one, outside int64
)

// parseWhole reads the JSON number in text as a whole number: 5, 5.0 and 5e3 are
// whole, 0.5 is not. It works on the digits and never on a float64, which would
// turn 9007199254740993 into its neighbour and let a sequence position read the
// wrong byte.
func parseWhole(text string) (int64, whole) {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') || !json.Valid([]byte(text)) {
		return 0, wholeNot
	}
	mantissa, exponent := text, int64(0)
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		mantissa, exponent = text[:e], clampExponent(text[e+1:])
	}
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	units, fraction, _ := strings.Cut(mantissa, ".")
	exponent -= int64(len(fraction))
	digits := strings.TrimLeft(units+fraction, "0")
	if digits == "" {
		return 0, wholeExact
	}
	significant := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(significant))
	const most = 19 // decimal digits of the largest int64
	switch {
	case exponent < 0:
		return 0, wholeNot
	case int64(len(significant))+exponent > most:
		return 0, wholeTooBig
	}
	n, err := strconv.ParseInt(sign+significant+strings.Repeat("0", int(exponent)), 10, 64)
	if err != nil {
		return 0, wholeTooBig
	}
	return n, wholeExact
}

// clampExponent reads an exponent of any length. What does not fit int32 is past
// every number of digits that memory holds, so its size no longer matters.
func clampExponent(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil && strings.HasPrefix(text, "-") {
		return math.MinInt32
	}
	if err != nil {
		return math.MaxInt32
	}
	return n
}

// decodeInteger reads a number, or text that holds one with or without spaces
// around it (BO-70).
func decodeInteger(raw []byte, p *Param) (int64, *Fault) {
	text := raw
	if raw[0] == '"' {
		text, _ = unquote(raw)
		text = bytes.TrimSpace(text)
	}
	n, how := parseWhole(string(text))
	switch {
	case how == wholeTooBig:
		return 0, p.refuse(raw, "it is too large: the limits are "+
			strconv.FormatInt(math.MinInt64, 10)+" and "+strconv.FormatInt(math.MaxInt64, 10))
	case how == wholeNot && raw[0] != '{' && raw[0] != '[':
		return 0, p.refuse(raw, "write digits alone, such as 5000: no unit, no fraction")
	case how == wholeNot, p.Min != nil && n < *p.Min, p.Max != nil && n > *p.Max:
		return 0, p.refuse(raw, "")
	}
	return n, nil
}
