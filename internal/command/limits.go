package command

import (
	"fmt"
	"strings"
)

const (
	// maxTextBytes is the longest text that is analysed: what Linux takes as
	// one argument (MAX_ARG_STRLEN is 131,072 bytes with the final NUL).
	maxTextBytes = 128<<10 - 1

	// maxNesting is how deep brackets may nest. The parser recurses, and a
	// Go stack past its limit ends the process, so this is counted before
	// the parser sees the text. Compound commands and operators need no
	// count: 128 KiB of them stay below a tenth of the stack's limit.
	maxNesting = 200

	// maxScripts is how deep scripts may hold scripts: sh -c 'eval "…"'.
	maxScripts = 8

	// maxScriptBytes bounds the text of all scripts of one input together,
	// so that scripts within scripts cannot multiply the work.
	maxScriptBytes = 1 << 20

	// maxWrappers is how deep a command may wrap a command. Each level holds
	// the remaining words again, so that the work grows with the square.
	maxWrappers = 32

	// maxBraceWords is how many words one word's braces may give.
	maxBraceWords = 64

	// maxSpanBytes is how much of the text an unknown shows.
	maxSpanBytes = 80
)

// readable returns the text that will be analysed and run, or why it may not
// be: what the shell and its judge could read differently is refused here. A
// text that is only too large is returned all the same.
func readable(text string) (string, *Refusal) {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return "", &Refusal{
			Reason:  fmt.Sprintf("the text has a NUL byte at offset %d: a shell would see only what stands before it", i),
			Suggest: "send the text without NUL bytes",
		}
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if i := strings.IndexByte(text, '\r'); i >= 0 {
		return "", &Refusal{
			Reason:  fmt.Sprintf("the text has a carriage return at offset %d that ends no line: a shell takes it for a part of a word, a reader for a blank", i),
			Suggest: `remove it, or write it as $'\r' (bash) or with printf '\r'`,
		}
	}
	if len(text) > maxTextBytes {
		return text, &Refusal{
			TooLarge: true,
			Reason:   fmt.Sprintf("the text has %d bytes; at most %d are analysed", len(text), maxTextBytes),
			Suggest:  "put the data or the script in a file, or split the command",
		}
	}
	if nesting(text) > maxNesting {
		return text, &Refusal{
			TooLarge: true,
			Reason:   fmt.Sprintf("the text nests deeper than %d levels, where brackets inside of quotes count too", maxNesting),
			Suggest:  "put nested data in a file, or split the command",
		}
	}
	return text, nil
}

// nesting returns how deep the brackets of the text could nest. It is an upper
// bound: what is quoted is not known before parsing.
func nesting(text string) int {
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', '}', ']':
			// A closer without an opener is not credited to later ones.
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// span returns what an unknown shows of a text: one line of bounded length.
func span(text string) string {
	text, _, cut := strings.Cut(strings.TrimSpace(text), "\n")
	if len(text) > maxSpanBytes {
		text, cut = strings.ToValidUTF8(text[:maxSpanBytes], ""), true
	}
	if cut {
		text += "…"
	}
	return text
}
