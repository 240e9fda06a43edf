package policy

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"whelk/internal/command"
)

// mostPattern is how many bytes a path pattern may have.
const mostPattern = 1024

// pattern matches absolute paths: * and ? stand for anything but a slash, **
// for anything, and a directory means what is below it too. A relative pattern
// matches at any depth; ~ is the home directory.
type pattern struct {
	text string
	re   *regexp.Regexp
	// prefix is the directory that is written without wildcards; "" for a
	// relative pattern, which may match anywhere.
	prefix string
}

func parsePattern(text, home string) (pattern, error) {
	p := pattern{text: text}
	glob := text
	switch {
	case strings.TrimSpace(text) == "":
		return p, errors.New("a path pattern is empty")
	case len(text) > mostPattern:
		return p, fmt.Errorf("the path pattern %q is longer than %d bytes", shown(text), mostPattern)
	case glob == "~" || strings.HasPrefix(glob, "~/"):
		if home == "" {
			return p, fmt.Errorf("the path pattern %q needs a home directory, and there is none: write it out", shown(text))
		}
		glob = home + glob[1:]
	case strings.HasPrefix(glob, "~"):
		return p, fmt.Errorf("the path pattern %q names a user's home: write the directory out", shown(text))
	}
	if trimmed, ok := strings.CutSuffix(glob, "/**"); ok && trimmed != "" {
		glob = trimmed
	}
	glob = path.Clean(glob)
	expression := globExpression(strings.TrimSuffix(glob, "/"))
	if !path.IsAbs(glob) {
		expression = "(?:.*/)?" + strings.TrimPrefix(expression, `\./`)
	}
	re, err := regexp.Compile(`(?s)\A` + expression + `(?:/.*)?\z`)
	if err != nil {
		return p, fmt.Errorf("the path pattern %q is not valid: %w", shown(text), err)
	}
	p.re = re
	if path.IsAbs(glob) {
		literal := glob
		if i := strings.IndexAny(glob, "*?"); i >= 0 {
			literal = path.Dir(glob[:i] + "x")
		}
		p.prefix = literal
	}
	return p, nil
}

// globExpression turns the wildcards into a regular expression.
func globExpression(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		default:
			end := i + 1 // a character of more than one byte stays whole
			for end < len(glob) && glob[end]&0xc0 == 0x80 {
				end++
			}
			b.WriteString(regexp.QuoteMeta(glob[i:end]))
			i = end - 1
		}
	}
	return b.String()
}

// matches tells whether a path, or the file that it leads to through symbolic
// links, is meant.
func (p pattern) matches(file string) (asWritten, asResolved bool) {
	asWritten = p.re.MatchString(file)
	if resolved := resolve(file); resolved != file {
		return asWritten, p.re.MatchString(resolved)
	}
	return asWritten, asWritten
}

// meets tells whether a file is, or could be, one that the pattern means.
func (p pattern) meets(t target) certainty {
	if t.exact {
		if written, resolved := p.matches(t.path); written || resolved {
			return yes
		}
		return no
	}
	if t.open || t.path == "" || p.prefix == "" || below(p.prefix, t.path) || p.re.MatchString(path.Join(t.path, "x")) {
		return maybe
	}
	return no
}

// holds tells whether the pattern means a file for certain.
func (p pattern) holds(t target) bool {
	written, resolved := p.matches(t.path)
	return t.exact && t.path != "" && written && resolved
}

// target is a file that a word names.
type target struct {
	path string // absolute and clean, or "" if it is not known at all
	// exact says that the file is this one. Otherwise path is the part that
	// is known: the directory in which the file is, or begins.
	exact bool
	// open says that it may be anywhere: a variable can hold "../..".
	open bool
}

// targetOf reads a word as the name of a file, from a directory that may be
// unknown.
func (p *places) targetOf(w *command.Word, dir string) target {
	text, exact := w.Text, w.Known && !w.Glob
	if !w.Known {
		text, exact = p.expandHome(strings.Trim(text, `"`))
	}
	open := !exact && !w.Known
	if !exact {
		if i := strings.IndexAny(text, "$`*?[{<>(\"'\\"); i >= 0 {
			text = text[:i]
		}
		text = text[:strings.LastIndexByte(text, '/')+1]
	}
	t := p.join(text, dir, exact)
	t.open = open
	return t
}

// expandHome replaces the usual ways to write the home directory at the
// beginning of a word, and tells whether nothing unknown is left.
func (p *places) expandHome(text string) (string, bool) {
	for _, written := range []string{"~", "$HOME", "${HOME}"} {
		rest, ok := strings.CutPrefix(text, written)
		if !ok || rest != "" && rest[0] != '/' && rest[0] != '"' {
			continue
		}
		rest = strings.TrimPrefix(rest, `"`)
		return p.home + rest, !strings.ContainsAny(rest, "$`*?[{~\"'\\")
	}
	return text, false
}

func (p *places) join(text, dir string, exact bool) target {
	switch {
	case path.IsAbs(text):
		return target{path: path.Clean(text), exact: exact}
	case dir == "" || text == "" && exact:
		return target{}
	}
	return target{path: path.Join(dir, text), exact: exact}
}
