package redact

// format is what a kind of key looks like: parts that follow one another. The
// class of the last part holds all that may follow the first literal; what is
// of that class belongs to the key, however long.
type format struct {
	name  string
	parts []part
	// word formats begin only where no word goes on: what they begin with is
	// found in ordinary words, too.
	word bool
}

// part is a literal and the characters after it. Of the last part of a format
// the least number decides; the others end before the next literal.
type part struct {
	literal string
	class   class
	least   int // characters
	most    int // characters; 0 in a last part, which has no end of its own
}

// class is a set of bytes.
type class uint16

const (
	upper class = 1 << iota
	lower
	digit
	underscore
	hyphen
	dot
	blank // line ends, also written \n
	pad   // + / =

	letters = upper | lower
	alnum   = letters | digit
	url64   = alnum | underscore | hyphen
	word    = url64 | dot
	pem     = alnum | pad | blank
)

// longestHeader bounds the first part of a JSON Web Token, in characters; usual
// ones have 36 to 200. So much of a stream is withheld while it may be one.
const longestHeader = 1024

// formats are the well-known ones, the more particular first. The names are
// those that scanners for secrets use; the shapes are from the documents of
// those who issue the keys. Lengths are minima: issuers lengthen their keys.
func formats() []format {
	token := func(name, literal string, c class, least int) format {
		return format{name: name, parts: []part{{literal: literal, class: c, least: least}}}
	}
	list := []format{
		token("aws-access-key-id", "AKIA", upper|digit, 16),
		token("aws-access-key-id", "ASIA", upper|digit, 16),
		token("google-api-key", "AIza", url64, 35),
		token("gitlab-token", "glpat-", url64, 20),
		token("github-token", "github_pat_", alnum|underscore, 36),
		token("npm-token", "npm_", alnum, 36),
		token("pypi-token", "pypi-AgE", url64, 32),
		token("huggingface-token", "hf_", alnum, 34),
		token("digitalocean-token", "dop_v1_", alnum, 64),
		token("anthropic-api-key", "sk-ant-", url64, 20),
		token("openai-api-key", "sk-proj-", url64, 20),
		token("pgp-private-key", "-----BEGIN PGP PRIVATE KEY BLOCK-----", pem, 16),
		{name: "openai-api-key", word: true, parts: []part{{literal: "sk-", class: alnum, least: 32}}},
		{name: "jwt", word: true, parts: []part{
			{literal: "eyJ", class: url64, least: 8, most: longestHeader},
			{literal: ".eyJ", class: word, least: 8},
		}},
	}
	for _, kind := range []string{"p", "o", "u", "s", "r"} {
		list = append(list, token("github-token", "gh"+kind+"_", alnum, 36))
	}
	for _, kind := range []string{"b", "a", "p", "r", "s", "e"} {
		list = append(list, token("slack-token", "xox"+kind+"-", alnum|hyphen, 10))
	}
	for _, kind := range []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_"} {
		list = append(list, token("stripe-key", kind, alnum, 16))
	}
	// Of a block, the line that ends it stays.
	for _, kind := range []string{"", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "} {
		list = append(list, token("private-key", "-----BEGIN "+kind+"PRIVATE KEY-----", pem, 16))
	}
	return list
}

// formatTable holds the formats by their first byte, and the pairs of bytes
// with which they begin.
type formatTable struct {
	begins [256][]format
	pairs  [1 << 16]bool
}

func newFormatTable() *formatTable {
	t := new(formatTable)
	for _, f := range formats() {
		literal := f.parts[0].literal
		t.begins[literal[0]] = append(t.begins[literal[0]], f)
		t.pairs[pair(literal[0], literal[1])] = true
	}
	return t
}

// leap returns the first position from i on where a key may begin, as far as p
// tells.
func (t *formatTable) leap(p []byte, i int) int {
	for i+1 < len(p) && !t.pairs[pair(p[i], p[i+1])] {
		i++
	}
	return i
}

// classOf returns the one class that a byte belongs to, 0 if to none.
func classOf(b byte) class {
	switch {
	case b >= 'a' && b <= 'z':
		return lower
	case b >= 'A' && b <= 'Z':
		return upper
	case b >= '0' && b <= '9':
		return digit
	}
	switch b {
	case '_':
		return underscore
	case '-':
		return hyphen
	case '.':
		return dot
	case '\n', '\r', '\\':
		return blank
	case '+', '/', '=':
		return pad
	}
	return 0
}

// run returns how many bytes at the beginning of b are of the class.
func (c class) run(b []byte) int {
	n := 0
	for n < len(b) && classOf(b[n])&c != 0 {
		n++
	}
	return n
}

// verdict says whether a text begins with a key.
type verdict uint8

const (
	no verdict = iota
	more
	yes // and all that follows of the last class belongs to it
)

// match says whether b begins with a key of the format.
func (f *format) match(b []byte) verdict {
	for i, p := range f.parts {
		if len(b) < len(p.literal) {
			if p.literal[:len(b)] == string(b) {
				return more
			}
			return no
		}
		if string(b[:len(p.literal)]) != p.literal {
			return no
		}
		b = b[len(p.literal):]
		if i == len(f.parts)-1 {
			b = b[:min(len(b), p.least)]
			return decide(p.class.run(b), len(b), p.least, p.least)
		}
		n := p.class.run(b[:min(len(b), p.most+1)])
		if v := decide(n, len(b), p.least, p.most); v != yes {
			return v
		}
		if n == len(b) {
			return more
		}
		b = b[n:]
	}
	return no
}

// decide says whether n characters of the class, among so many bytes, are
// between least and most.
func decide(n, among, least, most int) verdict {
	switch {
	case n > most:
		return no
	case n >= least:
		return yes
	case n == among:
		return more
	}
	return no
}
