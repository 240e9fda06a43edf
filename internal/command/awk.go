package command

import (
	"strings"
)

// awkOptions are the options of the awks that change nothing of what runs.
const awkOptions optionTable = "-F: -v: -W: -b -c -C!info -h!info -n -N -r -s -S -t -M -O -P -V!info --field-separator= --assign= --re-interval --posix --traditional --sandbox --characters-as-bytes --version!info --help!info --csv -k"

// awk judges an awk program: it may run commands, and read and write files.
func (a *analyser) awk(c call) {
	p := awkOptions.parse(c.args(), leading)
	for _, o := range p.options {
		if o.tag == "info" {
			return
		}
		if o.name == "-W" {
			p.strange = append(p.strange, o.value)
		}
	}
	if len(p.strange) > 0 && !p.hidden() {
		a.strangeOptions(c, p)
		return
	}
	if len(p.operands) == 0 {
		return
	}
	program := p.operands[0]
	if !program.static() {
		a.unknown(KindInlineCode, "the awk program is known only when it runs", c.text(), c.pos)
		return
	}
	if reason := awkRuns(program.Text); reason != "" {
		a.unknown(KindInlineCode, "the awk program "+reason, c.text(), c.pos)
	}
}

// awkCalls are words of awk that run commands or load code. A comment or a
// string that has one is not told apart: a wrong guess would hide a command.
var awkCalls = pattern(`system|getline|@`)

// awkRuns returns what an awk program does besides computing, or "".
func awkRuns(program string) string {
	if awkCalls().MatchString(program) {
		return "runs commands, or reads or loads other files"
	}
	printing := false
	for i := 0; i < len(program); {
		token, ok := awkToken(program, i)
		switch {
		case !ok:
			return "is not understood"
		case token == "print" || token == "printf":
			printing = true
		case token == ";" || token == "}" || token == "{" || token == "\n":
			printing = false
		case token == "|" || token == "|&":
			return "pipes to a command"
		case token == ">" && printing || token == ">>":
			return "writes a file"
		}
		i += len(token)
	}
	return ""
}

var awkWord = pattern(`^[A-Za-z_][A-Za-z0-9_]*`)

// awkToken returns the token at a place: a string, a regular expression, a
// comment, a word, an operator, or one byte. ok is false where awks differ.
func awkToken(program string, at int) (token string, ok bool) {
	text := program[at:]
	switch text[0] {
	case '"':
		return awkString(text)
	case '#':
		line, _, _ := strings.Cut(text, "\n")
		return line, true
	case '/':
		switch awkBefore(program[:at]) {
		case awkExpectsOperand:
			return awkPattern(text)
		case awkAmbiguous:
			return "/", false
		}
		return "/", true
	case '\\':
		return "\\", strings.HasPrefix(text, "\\\n")
	case '\'':
		return "'", false
	}
	for _, operator := range []string{"||", "|&", ">>", ">="} {
		if strings.HasPrefix(text, operator) {
			return operator, true
		}
	}
	if word := awkWord().FindString(text); word != "" {
		return word, true
	}
	return text[:1], true
}

// awkString returns a string with its quotes.
func awkString(text string) (string, bool) {
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[:i+1], true
		}
	}
	return text, false
}

// awkPattern returns a regular expression with its slashes. Whether a slash
// within brackets ends it is different from awk to awk.
func awkPattern(text string) (string, bool) {
	brackets := false
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch c := text[i]; {
		case brackets && strings.HasPrefix(text[i:], "[:"):
			end := strings.Index(text[i:], ":]")
			if end < 0 {
				return text, false
			}
			i += end + 1
		case brackets && (c == '/' || c == '\\' || c == '['):
			return text, false
		case brackets:
			brackets = c != ']'
		case c == '\\':
			i++
		case c == '[':
			brackets = true
			rest := strings.TrimPrefix(text[i+1:], "^")
			if strings.HasPrefix(rest, "]") {
				return text, false
			}
		case c == '/':
			return text[:i+1], true
		}
	}
	return text, false
}

// awkPlace says what a slash means at a place of a program.
type awkPlace uint8

const (
	// awkExpectsOperand: it begins a regular expression.
	awkExpectsOperand awkPlace = iota
	// awkHasOperand: it divides.
	awkHasOperand
	// awkAmbiguous: the grammar decides.
	awkAmbiguous
)

// awkKeywords are words after which an operand is expected.
const awkKeywords = " print printf return in case if while else do BEGIN END exit delete "

// awkBefore says what a slash means after a part of a program.
func awkBefore(before string) awkPlace {
	before = strings.TrimRight(before, " \t")
	if before == "" {
		return awkExpectsOperand
	}
	last := before[len(before)-1]
	isWord := func(r rune) bool {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	switch {
	case isWord(rune(last)):
		start := strings.LastIndexFunc(before, func(r rune) bool { return !isWord(r) }) + 1
		if contains(awkKeywords, before[start:]) && !strings.HasSuffix(before[:start], "$") {
			return awkExpectsOperand
		}
		return awkHasOperand
	case strings.IndexByte("])\"./+-", last) >= 0:
		if last == ']' || last == '"' || last == '.' {
			return awkHasOperand
		}
		return awkAmbiguous
	}
	return awkExpectsOperand
}
