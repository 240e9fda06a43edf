package command

import "strings"

// sedOptions are the options of sed that change nothing of what runs.
const sedOptions optionTable = "-n -E -r -s -u -z -l: -e:!script -i?!inplace --quiet --silent --regexp-extended --separate --unbuffered --null-data --line-length= --expression=!script --in-place?!inplace --posix --sandbox --debug --help!info --version!info"

// sed judges sed: its scripts may run commands, and read and write files.
func (a *analyser) sed(c call) {
	p := sedOptions.parse(c.args(), permuted)
	if len(p.strange) > 0 {
		a.strangeOptions(c, p)
		return
	}
	scripts, operands := p.sedScripts()
	if _, ok := p.tagged("info"); ok || len(scripts) == 0 {
		return
	}
	list, static := texts(scripts)
	if !static {
		a.unknown(KindInlineCode, "the sed script is known only when it runs", c.text(), c.pos)
		return
	}
	if reason := sedRuns(strings.Join(list, "\n")); reason != "" {
		a.unknown(KindInlineCode, "the sed script "+reason, c.text(), c.pos)
	}
	if _, ok := p.tagged("inplace"); ok {
		for _, file := range operands {
			if file.static() {
				a.writesOperand(file, c)
			}
		}
	}
}

// sedScripts returns the scripts and the files of sed.
func (p parsed) sedScripts() (scripts, files []word) {
	for _, o := range p.options {
		if o.tag == "script" && o.hasValue {
			scripts = append(scripts, o.value)
		}
	}
	if len(scripts) == 0 && len(p.operands) > 0 {
		return p.operands[:1], p.operands[1:]
	}
	return scripts, p.operands
}

// sedRuns returns what a script does besides editing, or "".
func sedRuns(script string) string {
	p := sedParser{text: script}
	for p.next() {
		if reason := p.command(); reason != "" {
			return reason
		}
	}
	return ""
}

// sedParser reads a script of sed. What it does not know is not understood.
type sedParser struct {
	text string
}

const (
	sedUnclear = "is not understood"
	sedWrites  = "writes a file"
	sedReads   = "reads another file"
	sedCalls   = "runs a command"
)

// next skips what stands between commands, and says whether there is one.
func (p *sedParser) next() bool {
	p.text = strings.TrimLeft(p.text, " \t\n;}")
	return p.text != ""
}

// blanks skips blanks.
func (p *sedParser) blanks() { p.text = strings.TrimLeft(p.text, " \t") }

// take returns the next byte, or 0 at the end.
func (p *sedParser) take() byte {
	if p.text == "" {
		return 0
	}
	c := p.text[0]
	p.text = p.text[1:]
	return c
}

// line skips the rest of the line.
func (p *sedParser) line() { _, p.text, _ = strings.Cut(p.text, "\n") }

// command reads one command with its addresses.
func (p *sedParser) command() string {
	if !p.addresses() {
		return sedUnclear
	}
	switch c := p.take(); c {
	case '{', '}':
		return ""
	case '#', ':', 'b', 't', 'T':
		if c == '#' {
			p.line()
			return ""
		}
		return p.label()
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		return p.end()
	case 'l', 'L', 'q', 'Q':
		p.blanks()
		p.text = strings.TrimLeft(p.text, "0123456789")
		return p.end()
	case 's':
		return p.substitute()
	case 'y':
		return p.transliterate()
	case 'a', 'i', 'c':
		return p.insert()
	case 'w', 'W':
		return sedWrites
	case 'r', 'R':
		return sedReads
	case 'e':
		return sedCalls
	}
	return sedUnclear
}

// label reads a label. It ends at a semicolon or a blank to some, at the line
// to others, for whom less of the script is commands.
func (p *sedParser) label() string {
	p.blanks()
	end := strings.IndexAny(p.text, "; \t\n")
	if end < 0 {
		end = len(p.text)
	}
	label := strings.TrimSuffix(p.text[:end], "}")
	p.text = p.text[end:]
	if strings.Contains(label, "}") {
		return sedUnclear
	}
	return ""
}

// end reads the end of a command.
func (p *sedParser) end() string {
	p.blanks()
	if p.text == "" || strings.IndexByte(";\n}#", p.text[0]) >= 0 {
		return ""
	}
	return sedUnclear
}

// addresses reads up to two addresses and exclamation marks.
func (p *sedParser) addresses() bool {
	if !p.address() {
		return false
	}
	p.blanks()
	if strings.HasPrefix(p.text, ",") {
		p.take()
		p.blanks()
		p.text = strings.TrimLeft(p.text, "+~")
		if !p.address() {
			return false
		}
	}
	p.text = strings.TrimLeft(p.text, " \t!")
	return true
}

// address reads one address, if there is one.
func (p *sedParser) address() bool {
	if p.text == "" {
		return true
	}
	switch c := p.text[0]; {
	case c >= '0' && c <= '9':
		p.text = strings.TrimLeft(p.text, "0123456789~")
	case c == '$':
		p.take()
	case c == '/':
		p.take()
		if !p.delimited('/') {
			return false
		}
		p.text = strings.TrimLeft(p.text, "IM")
	case c == '\\':
		p.take()
		if !p.delimited(p.take()) {
			return false
		}
		p.text = strings.TrimLeft(p.text, "IM")
	}
	return true
}

// delimited skips a regular expression up to its delimiter, which is a plain
// character within brackets.
func (p *sedParser) delimited(delimiter byte) bool {
	if delimiter == 0 || delimiter == '\n' || delimiter == '\\' {
		return false
	}
	for p.text != "" {
		switch c := p.take(); c {
		case '\\':
			p.take()
		case '\n':
			return false
		case delimiter:
			return true
		case '[':
			if !p.brackets() {
				return false
			}
		}
	}
	return false
}

// brackets skips a bracket expression after its opening bracket.
func (p *sedParser) brackets() bool {
	p.text = strings.TrimPrefix(p.text, "^")
	p.text = strings.TrimPrefix(p.text, "]")
	for p.text != "" {
		if rest, ok := strings.CutPrefix(p.text, "[:"); ok {
			_, p.text, ok = strings.Cut(rest, ":]")
			if !ok {
				return false
			}
			continue
		}
		switch p.take() {
		case ']':
			return true
		case '\n', '[':
			return false
		}
	}
	return false
}

// substitute reads s/pattern/replacement/flags.
func (p *sedParser) substitute() string {
	delimiter := p.take()
	if !p.delimited(delimiter) || !p.replacement(delimiter) {
		return sedUnclear
	}
	for p.text != "" {
		switch c := p.text[0]; {
		case strings.IndexByte("gpiImM0123456789", c) >= 0:
			p.take()
		case c == 'e':
			return sedCalls
		case c == 'w':
			return sedWrites
		default:
			return p.end()
		}
	}
	return ""
}

// replacement skips a text in which brackets mean nothing.
func (p *sedParser) replacement(delimiter byte) bool {
	for p.text != "" {
		switch p.take() {
		case '\\':
			p.take()
		case '\n':
			return false
		case delimiter:
			return true
		}
	}
	return false
}

// transliterate reads y/abc/xyz/.
func (p *sedParser) transliterate() string {
	delimiter := p.take()
	if delimiter == 0 || delimiter == '\\' || delimiter == '\n' || !p.replacement(delimiter) || !p.replacement(delimiter) {
		return sedUnclear
	}
	return p.end()
}

// insert reads the text of a, i and c: it goes on after a backslash at the end
// of a line.
func (p *sedParser) insert() string {
	for p.text != "" {
		switch p.take() {
		case '\\':
			p.take()
		case '\n':
			return ""
		}
	}
	return ""
}
