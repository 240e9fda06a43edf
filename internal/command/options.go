package command

import "strings"

// optionTable lists the options of a program that are known to be safe, or
// known to the analysis, one field each:
//
//	-a        a flag of one letter; letters may stand together: -ab
//	-o:       one letter with a value: -ovalue, -o value
//	-i?       one letter with an optional value, attached: -ivalue
//	--long    a long flag
//	--out=    a long option with a value: --out=value, --out value
//	--color?  a long option with an optional value: --color=value
//
// A field may end with !tag, which says what the option means to the analysis.
// Everything else is an unknown, abbreviations of long options included: those
// that are safe are not worth knowing apart.
type optionTable string

// An optionStyle says how a program reads its options.
type optionStyle uint8

const (
	// permuted: options may follow operands, as GNU programs have it.
	permuted optionStyle = iota
	// leading: the first operand ends the options, as for commands that run
	// a command.
	leading
	// singleDash: as permuted, and long options have one dash or two.
	singleDash
	// singleDashLeading: as leading, and long options have one dash or two.
	singleDashLeading
)

func (s optionStyle) leading() bool { return s == leading || s == singleDashLeading }
func (s optionStyle) single() bool  { return s == singleDash || s == singleDashLeading }

// option is an option that was given.
type option struct {
	name, tag string
	value     word
	hasValue  bool
	// attached says that the value is in the option's own word.
	attached bool
}

// parsed is a command's words after the table was laid over them.
type parsed struct {
	options  []option
	operands []word
	// strange holds words that are options outside of the table, or may be.
	strange []word
}

// tagged returns the first option with a tag.
func (p parsed) tagged(tag string) (option, bool) {
	for _, o := range p.options {
		if o.tag == tag {
			return o, true
		}
	}
	return option{}, false
}

// hidden says that all that is strange is a first operand which is known only
// when it runs: what takes operands reports it better.
func (p parsed) hidden() bool {
	return len(p.strange) == 1 && len(p.operands) > 0 && !p.strange[0].static() && p.strange[0] == p.operands[0]
}

// find returns the field of the table for an option: what follows its name,
// and its tag.
func (t optionTable) find(name string) (mode, tag string, ok bool) {
	if name == "" || strings.ContainsAny(name, " \n:?=!") {
		return "", "", false // no option is named so, and nothing would be searched for for ever
	}
	for from := 0; ; {
		at := strings.Index(string(t[from:]), name)
		if at < 0 {
			return "", "", false
		}
		start, end := from+at, from+at+len(name)
		from = end
		if start > 0 && !isBlank(t[start-1]) || end < len(t) && !isBlank(t[end]) && strings.IndexByte(":?=!", t[end]) < 0 {
			continue // a part of another name
		}
		for from < len(t) && !isBlank(t[from]) {
			from++
		}
		mode, tag, _ = strings.Cut(string(t[end:from]), "!")
		return mode, tag, true
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

// parse lays the table over the words after a command's name.
func (t optionTable) parse(words []word, style optionStyle) parsed {
	p := optionParser{table: t, style: style, words: words}
	for len(p.words) > 0 {
		w := p.words[0]
		p.words = p.words[1:]
		switch {
		case w.static() && w.Text == "--":
			p.rest()
		case len(w.prefix) > 1 && w.prefix[0] == '-':
			p.option(w)
		case w.hidesOption():
			p.strange = append(p.strange, w)
			if style.leading() {
				p.operands = append(p.operands, w)
				p.rest()
			}
		default:
			p.operands = append(p.operands, w)
			if style.leading() {
				p.rest()
			}
		}
	}
	return p.parsed
}

// optionParser is a parse in progress.
type optionParser struct {
	parsed
	table optionTable
	style optionStyle
	words []word
}

// rest takes what remains for operands.
func (p *optionParser) rest() {
	p.operands = append(p.operands, p.words...)
	p.words = nil
}

// option takes a word that is one option or several, or begins so: --name="$x"
// is a known option with an unknown value.
func (p *optionParser) option(w word) {
	switch {
	case w.many:
		p.strange = append(p.strange, w)
	case strings.HasPrefix(w.prefix, "--") || p.style.single():
		p.long(w)
	default:
		p.letters(w)
	}
}

// tail returns the value that is attached to an option in a word.
func tail(w word, prefix string) word {
	if w.static() {
		return known(prefix, w.pos)
	}
	return word{Word: Word{Text: w.Text}, prefix: prefix, pos: w.pos}
}

// letters takes a word of options of one letter.
func (p *optionParser) letters(w word) {
	for i := 1; i < len(w.prefix); i++ {
		name := "-" + w.prefix[i:i+1]
		mode, tag, ok := p.table.find(name)
		if !ok || mode == "=" {
			p.strange = append(p.strange, w)
			return
		}
		o := option{name: name, tag: tag}
		if mode == "" {
			p.options = append(p.options, o)
			continue
		}
		if rest := w.prefix[i+1:]; rest != "" || !w.static() {
			o.value, o.hasValue, o.attached = tail(w, rest), true, true
		} else if mode == ":" {
			p.value(&o)
		}
		p.options = append(p.options, o)
		return
	}
	if !w.static() {
		p.strange = append(p.strange, w) // the next letter is not known
	}
}

// long takes an option that has a word of its own.
func (p *optionParser) long(w word) {
	name, value, attached := strings.Cut(w.prefix, "=")
	mode, tag, ok := p.table.find(name)
	if double, found := strings.CutPrefix(name, "--"); !ok && found && p.style.single() {
		mode, tag, ok = p.table.find("-" + double) // one dash and two are the same
	}
	if !ok || attached && mode == "" || !attached && !w.static() {
		p.strange = append(p.strange, w)
		return
	}
	o := option{name: name, tag: tag}
	if attached {
		o.value, o.hasValue, o.attached = tail(w, value), true, true
	} else if mode == "=" || mode == ":" {
		p.value(&o)
	}
	p.options = append(p.options, o)
}

// value gives an option the next word. Words of unknown number cannot be
// assigned to options.
func (p *optionParser) value(o *option) {
	if len(p.words) == 0 {
		return
	}
	o.value, o.hasValue = p.words[0], true
	if o.tag == "module" {
		defer p.rest() // python -m: the others are the module's
	}
	if o.value.many {
		p.strange = append(p.strange, o.value)
	}
	p.words = p.words[1:]
}
