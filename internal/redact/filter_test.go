package redact

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var anyName = regexp.MustCompile("")

func TestValuesAreReplaced(t *testing.T) {
	seed := []string{"MY_TOKEN=supersecret123", "MY_TOKEN2=supersecret", "EIGHT=abcdefgh", "SHORT=abcdefg", "EMPTY="}
	for name, c := range map[string]struct {
		values []string
		text   string
		want   string
		count  int64
	}{
		"nothing":                     {seed, "plain text\n", "plain text\n", 0},
		"one":                         {seed, "a supersecret123 b", "a [REDACTED:MY_TOKEN] b", 1},
		"the longest":                 {seed, "supersecret123END", "[REDACTED:MY_TOKEN]END", 1},
		"the shorter, decided late":   {seed, "supersecret12END", "[REDACTED:MY_TOKEN2]12END", 1},
		"a beginning at the end":      {seed, "x supersecre", "x supersecre", 0},
		"eight bytes, not seven":      {seed, "abcdefg abcdefgh", "abcdefg [REDACTED:EIGHT]", 1},
		"side by side":                {seed, "supersecretsupersecret123", "[REDACTED:MY_TOKEN2][REDACTED:MY_TOKEN]", 2},
		"a false start":               {seed, "supersupersecret", "super[REDACTED:MY_TOKEN2]", 1},
		"inside of another":           {[]string{"A=xxsecret01xx", "B=secret01"}, "xxsecret01xx xxsecret01x", "[REDACTED:A] xx[REDACTED:B]x", 2},
		"several inside of one":       {[]string{"A=secret01secret02!", "B=secret01", "C=secret02"}, "secret01secret02! secret01secret02?", "[REDACTED:A] [REDACTED:B][REDACTED:C]?", 3},
		"overlapping":                 {[]string{"A=abcdefgh12", "B=gh12ijklmnop"}, "abcdefgh12ijklmnop.", "[REDACTED:B].", 1},
		"overlapping itself":          {[]string{"A=abcabcabc"}, "abcabcabcabcabc.", "[REDACTED:A].", 1},
		"a chain":                     {[]string{"A=12345678", "B=5678abcdef", "C=efghijklmno"}, "12345678abcdefghijklmno", "[REDACTED:C]", 1},
		"equal values: the first":     {[]string{"A=samevalue", "B=samevalue"}, "samevalue", "[REDACTED:A]", 1},
		"of one length: the earlier":  {[]string{"B=34567890", "A=12345678"}, "1234567890", "[REDACTED:A]", 1},
		"bytes that are no character": {[]string{"A=\xff\xfe\x00\xc3\x28\xa0\xa1\xff"}, "\xff\xfe\xff\xfe\x00\xc3\x28\xa0\xa1\xff\xff", "\xff\xfe[REDACTED:A]\xff", 1},
		"lines":                       {[]string{"A=line one\nline two"}, "> line one\nline two\n", "> [REDACTED:A]\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Options{Names: anyName}, c.values)
			if got := s.Text(c.text); got != c.want {
				t.Errorf("the text is %q, want %q", got, c.want)
			}
			for size := 1; size <= len(c.text); size++ {
				if got, n := filtered(s, c.text, size); got != c.want || n != c.count {
					t.Errorf("in pieces of %d: %q with %d marks, want %q with %d", size, got, n, c.want, c.count)
				}
			}
		})
	}
}

// TestBO82NothingOfAValueLeavesEarly splits a value at every place and looks
// what has left before the rest comes.
func TestBO82NothingOfAValueLeavesEarly(t *testing.T) {
	s := New(Options{Names: anyName}, []string{"MY_TOKEN=supersecret123"})
	const secret = "supersecret123"
	for cut := 1; cut < len(secret); cut++ {
		f := s.Filter()
		before := string(f.Write([]byte("a" + secret[:cut])))
		rest := string(f.Write([]byte(secret[cut:] + "b")))
		if before != "a" || rest != "[REDACTED:MY_TOKEN]b" {
			t.Errorf("cut at %d: %q, then %q", cut, before, rest)
		}
		f = s.Filter()
		before = string(f.Write([]byte(secret[:cut])))
		if end := string(f.End()); before != "" || end != secret[:cut] {
			t.Errorf("a lone beginning of %d bytes: %q, then at the end %q", cut, before, end)
		}
	}
}

func TestNames(t *testing.T) {
	environ := []string{"MY_TOKEN=supersecret", "my_token=lowercase!", "OTHER=othervalue9", "no variable", "TOKEN=short"}
	s := New(Options{Names: regexp.MustCompile("TOKEN")}, environ)
	const text = "supersecret lowercase! othervalue9 short overlaysecret"
	for name, c := range map[string]struct {
		set  *Set
		want string
	}{
		"searched, and in its case": {s, "[REDACTED:MY_TOKEN] lowercase! othervalue9 short overlaysecret"},
		"with more":                 {s.With(map[string]string{"NEW_TOKEN": "overlaysecret", "NEW": "lowercase!"}), "[REDACTED:MY_TOKEN] lowercase! othervalue9 short [REDACTED:NEW_TOKEN]"},
		"no option":                 {New(Options{Encoded: true}, environ), text},
		"no name that matches":      {New(Options{Names: regexp.MustCompile("^$")}, environ), text},
		"formats alone":             {New(Options{Formats: true}, environ), text},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.set.Text(text); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if s.With(map[string]string{"OTHER": "othervalue8"}) != s {
		t.Error("a set was made anew for nothing")
	}
}

func TestANilSetAndFilterReplaceNothing(t *testing.T) {
	var s *Set
	f := s.With(map[string]string{"A": "supersecret"}).Filter()
	if got := string(f.Write([]byte("x"))) + string(f.End()) + s.Text("y"); got != "xy" || f.Count() != 0 {
		t.Errorf("%q, %d marks", got, f.Count())
	}
}

// drawn are values, and a text that is rich in them and their pieces.
func drawn(t *rapid.T) (values []string, text string) {
	letters := rapid.StringMatching(`[ab]{8,14}|[a-c]{8,20}|sk-[a-z%+/ ]{6,9}`)
	var pieces []string
	for i, v := range rapid.SliceOfN(letters, 1, 5).Draw(t, "values") {
		values = append(values, string(rune('A'+i))+"="+v)
		pieces = append(pieces, append(encodedForms(v), v, v[:len(v)/2], v[len(v)/2:], v[1:], v[:len(v)-1])...)
	}
	pieces = append(pieces, "a", "b", "c", " ", "\xff", "=", "%20")
	return values, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "text"), "")
}

func TestAFilterReplacesWhatTheModelReplaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values, text := drawn(t)
		encoded := rapid.Bool().Draw(t, "encoded")
		s := New(Options{Names: anyName, Encoded: encoded}, values)
		want, count := replaced(text, s.values, encoded)
		got, n := filtered(s, text, rapid.SliceOfN(rapid.IntRange(1, 9), 0, 6).Draw(t, "sizes")...)
		if diff := cmp.Diff(want, got); diff != "" || n != count {
			t.Errorf("%d marks, want %d (-want +got):\n%s", n, count, diff)
		}
		for _, v := range s.values {
			if strings.Contains(got, v.text) {
				t.Errorf("%q is in %q", v.text, got)
			}
		}
		unmarked(t, text, got)
	})
}

// unmarked checks that what stands between the marks of got stands in text, in
// that order, from its beginning to its end.
func unmarked(t interface{ Errorf(string, ...any) }, text, got string) {
	kept := regexp.MustCompile(`\[REDACTED:[\w-]+\]`).Split(got, -1)
	if !strings.HasPrefix(text, kept[0]) || !strings.HasSuffix(text, kept[len(kept)-1]) {
		t.Errorf("%q is not the text %q with marks", got, text)
	}
	for _, k := range kept {
		_, rest, ok := strings.Cut(text, k)
		if !ok {
			t.Errorf("%q of %q is not in the rest of the text", k, got)
		}
		text = rest
	}
}

// FuzzFilter splits a text anywhere: it leaves as in one piece, and shows no
// value.
func FuzzFilter(f *testing.F) {
	f.Add("supersecret123", "secret12", "a supersecret123 b", []byte{3}, true)
	f.Add("aaaaaaaa", "aaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaa", []byte{1, 5}, true)
	f.Add("\xff\x00\xff\x00\xff\x00\xff\x00", "%2520%2520", "%252520%2520eyJhbGciOiJ9", []byte{2}, false)
	f.Fuzz(func(t *testing.T, one, two, text string, sizes []byte, formats bool) {
		s := New(Options{Names: anyName, Encoded: true, Formats: formats}, []string{"A=" + one, "B=" + two})
		pieces := make([]int, len(sizes))
		for i, n := range sizes {
			pieces[i] = 1 + int(n)
		}
		whole := s.Text(text)
		split, _ := filtered(s, text, pieces...)
		if whole != split {
			t.Errorf("in pieces %q, as a whole %q", split, whole)
		}
		if formats {
			return // the model knows values alone
		}
		if want, _ := replaced(text, s.values, true); want != whole {
			t.Errorf("%q, want %q", whole, want)
		}
	})
}
