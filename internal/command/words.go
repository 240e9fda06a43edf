package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word with what the judges of options need to know of it.
type word struct {
	Word
	// prefix is what the word begins with whatever its expansions give.
	prefix string
	// many says that it may give no word, or several. loose says that only
	// the first of them begins with prefix, as after word splitting.
	many, loose bool
	// process says that the word is a process substitution: the file that it
	// names holds the output of a program.
	process bool
	pos     Pos
}

// known returns a word whose text is known.
func known(text string, pos Pos) word {
	return word{Word: Word{Text: text, Known: true}, prefix: text, pos: pos}
}

// static says that the program gets exactly this one word.
func (w word) static() bool { return w.Known && !w.Glob }

// mayBeOption says that the word, or one that it gives, may begin with a dash.
func (w word) mayBeOption() bool {
	return w.loose || strings.HasPrefix(w.prefix, "-") || w.prefix == "" && !w.static()
}

// hidesOption says that the word may be an option that is not in sight.
func (w word) hidesOption() bool { return !w.static() && w.mayBeOption() }

// publish returns the words without what only the judges need.
func publish(words []word) []Word {
	out := make([]Word, len(words))
	for i, w := range words {
		out[i] = w.Word
	}
	return out
}

// texts returns the texts of words, and whether all of them are static.
func texts(words []word) ([]string, bool) {
	out := make([]string, len(words))
	for i, w := range words {
		if !w.static() {
			return nil, false
		}
		out[i] = w.Text
	}
	return out, true
}

// words visits and resolves the words of a command.
func (a *analyser) words(list []*syntax.Word, s *scope) []word {
	out := make([]word, 0, len(list))
	for _, w := range list {
		a.visit(w.Parts, s, plain)
		out = append(out, expandBraces(w, s)...)
	}
	return out
}

// word visits and resolves one word that the shell does not split: a value, a
// target, the text of a here-document.
func (a *analyser) word(w *syntax.Word, s *scope) word {
	if w == nil {
		return known("", Pos{})
	}
	a.visit(w.Parts, s, plain)
	return resolve(w, s)
}

// resolve returns what a word becomes, as far as it is known. It visits
// nothing: a word's parts may be resolved many times, but run once.
func resolve(w *syntax.Word, s *scope) word {
	r := resolver{known: true, open: true}
	for i, part := range w.Parts {
		r.part(part, i == 0)
	}
	out := word{
		Word:    Word{Text: r.text.String(), Known: r.known, Glob: r.glob && r.known},
		prefix:  r.text.String()[:r.prefix],
		many:    r.glob || r.many,
		loose:   r.loose,
		process: r.process,
		pos:     s.at(w),
	}
	if !r.known {
		out.Text = s.source(w)
	}
	return out
}

// resolver builds the text of a word.
type resolver struct {
	text strings.Builder
	// prefix is how much of text the word begins with whatever it becomes;
	// open says that all of it was literal so far, so that prefix grows.
	prefix int
	open   bool
	// bracket says that an unquoted [ was seen, which a ] makes a pattern.
	bracket                           bool
	known, glob, many, loose, process bool
}

// write appends literal text.
func (r *resolver) write(text string) {
	r.text.WriteString(text)
	if r.open {
		r.prefix = r.text.Len()
	}
}

// unknown appends something that is known only when it runs.
func (r *resolver) unknown() { r.known, r.open = false, false }

func (r *resolver) part(part syntax.WordPart, first bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		r.literal(part.Value, first)
	case *syntax.SglQuoted:
		text, ok := part.Value, true
		if part.Dollar {
			text, ok = decodeANSI(part.Value)
		}
		if !ok {
			r.unknown()
			return
		}
		r.write(text)
	case *syntax.DblQuoted:
		r.quoted(part)
	case *syntax.ProcSubst:
		r.write("/dev/fd/")
		r.unknown()
		r.process = true
	case *syntax.ExtGlob:
		r.unknown()
		r.many = true
	case *syntax.ArithmExp:
		r.unknown() // a number, which is not split
	case *syntax.ParamExp:
		r.parameter(part)
	default:
		r.unknown()
		r.many, r.loose = true, true
	}
}

// parameter appends an expansion without quotes. What the shell's own counters
// give is a number: it has no blanks, and its digits begin no option.
func (r *resolver) parameter(p *syntax.ParamExp) {
	if p.Length || p.Short && contains(" ? # $ ! ", p.Param.Value) {
		r.write("0")
		r.unknown()
		return
	}
	r.unknown()
	r.many, r.loose = true, true
}

// quoted appends a part within double quotes.
func (r *resolver) quoted(q *syntax.DblQuoted) {
	if q.Dollar {
		r.unknown() // translated by the message catalogue of the moment
	}
	for _, part := range q.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			r.write(unescapeQuoted(part.Value, "$`\"\\"))
		case *syntax.ParamExp:
			r.unknown()
			if givesMany(part) {
				r.many, r.loose = true, true
			}
		default:
			r.unknown()
		}
	}
}

// givesMany says that an expansion gives several words within quotes, too.
func givesMany(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "@" || p.Names == syntax.NamesPrefixWords {
		return true
	}
	index, ok := p.Index.(*syntax.Word)
	return ok && index.Lit() == "@"
}

// literal appends unquoted text: it removes backslashes, and finds tildes and
// patterns.
func (r *resolver) literal(value string, first bool) {
	if first && strings.HasPrefix(value, "~") {
		r.write("/") // a home is absolute
		r.unknown()
	}
	if strings.Contains(value, "=~") || strings.Contains(value, ":~") {
		r.known = false // bash expands a tilde there in what looks like an assignment
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '\\' && i+1 < len(value):
			i++
			if value[i] != '\n' {
				r.write(value[i : i+1])
			}
			continue
		case c == '*' || c == '?' || c == ']' && r.bracket:
			r.glob, r.open = true, false
		case c == '[':
			r.bracket, r.open = true, r.open && !strings.Contains(value[i:], "]")
		}
		r.write(value[i : i+1])
	}
}

// unescapeQuoted removes the backslashes that mean something within double
// quotes or a here-document: those before one of the given characters, and
// those that continue a line.
func unescapeQuoted(text, escapable string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			switch next := text[i+1]; {
			case next == '\n':
				i++
				continue
			case strings.IndexByte(escapable, next) >= 0:
				i++
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
