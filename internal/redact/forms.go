package redact

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// maxEncoded is the longest value whose encoded forms are looked for, in bytes.
// Each value has some ten forms, and whoever starts a command may add values:
// longer ones would cost megabytes each.
const maxEncoded = 16 << 10

// encodedForms returns how a value looks inside of base64 and percent-encoded
// text. Forms may be equal to each other or to the value.
func encodedForms(v string) []string {
	if len(v) > maxEncoded {
		return nil
	}
	var forms []string
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for before := range 3 {
			forms = append(forms, base64Forms(enc, v, before)...)
		}
	}
	return append(forms, percentForms(v)...)
}

// base64Forms returns the characters that stand for v alone when before bytes,
// up to a multiple of three, precede it: as they are when something follows,
// and with the last one and the padding when v ends the text. A first character
// that stands for bits of both sides is not part of them.
func base64Forms(enc *base64.Encoding, v string, before int) []string {
	const bits = 6 // of a character
	padded := enc.EncodeToString([]byte("\x00\x00"[:before] + v))
	first := (8*before + bits - 1) / bits
	inner := padded[first : 8*(before+len(v))/bits]
	last := strings.TrimRight(padded, "=")[first:]
	return []string{inner, last, padded[first:]}
}

// percentForms returns how programs escape v for a URL: all but letters,
// digits and some marks, in upper or lower case hexadecimal, a blank as + or
// escaped.
func percentForms(v string) []string {
	query := url.QueryEscape(v)
	component := strings.ReplaceAll(query, "+", "%20")
	// JavaScript's encodeURIComponent leaves these.
	script := strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(component)
	var forms []string
	for _, form := range []string{query, component, script, url.PathEscape(v)} {
		forms = append(forms, form, lowerEscapes(form))
	}
	return forms
}

// lowerEscapes writes the digits of the escapes in lower case.
func lowerEscapes(form string) string {
	b := []byte(form)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(form[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}
