package redact

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The keys of this file are made up, and put together while the tests run so
// that scanners of source text do not find them.
func madeUp(literal string, n int) string {
	const body = "A1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q7R8S9T0U1V2W3X4Y5Z6A7B8C9D0E1F2G3"
	return literal + body[:n]
}

func TestKeysOfKnownFormatsAreReplaced(t *testing.T) {
	token := "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	block := "-----BEGIN " + "RSA PRIVATE KEY-----\n" + strings.Repeat(madeUp("", 64)+"\n", 20) + "-----END RSA PRIVATE KEY-----\n"
	for name, c := range map[string]struct{ text, want string }{
		"access key":             {"id " + madeUp("AKI"+"A", 16) + "\n", "id [REDACTED:aws-access-key-id]\n"},
		"too short":              {madeUp("AKI"+"A", 15) + "\n", madeUp("AKI"+"A", 15) + "\n"},
		"too short at the end":   {madeUp("AKI"+"A", 15), madeUp("AKI"+"A", 15)},
		"forge":                  {"url=https://x:" + madeUp("ghp"+"_", 36) + "@h/", "url=https://x:[REDACTED:github-token]@h/"},
		"another forge":          {madeUp("glpat"+"-", 20), "[REDACTED:gitlab-token]"},
		"longer than it must be": {madeUp("xoxb"+"-", 60) + "-1-2 x", "[REDACTED:slack-token] x"},
		"one after the other":    {madeUp("gho"+"_", 36) + "," + madeUp("AIz"+"a", 35), "[REDACTED:github-token],[REDACTED:google-api-key]"},
		"the more particular":    {madeUp("sk-"+"ant-", 40), "[REDACTED:anthropic-api-key]"},
		"general":                {"k=" + madeUp("s"+"k-", 40), "k=[REDACTED:openai-api-key]"},
		"in the middle of words": {madeUp("ri"+"sk-", 40), madeUp("ri"+"sk-", 40)},
		"web token":              {"Bearer " + token + "\r\n", "Bearer [REDACTED:jwt]\r\n"},
		"no web token":           {"eyJhbGciOiJIUzI1NiJ9 eyJhbGciOiJIUzI1NiJ9.abc", "eyJhbGciOiJIUzI1NiJ9 eyJhbGciOiJIUzI1NiJ9.abc"},
		"no web token's length":  {"eyJ" + strings.Repeat("a", 3000) + ".eyJaaaaaaaaaa", "eyJ" + strings.Repeat("a", 3000) + ".eyJaaaaaaaaaa"},
		"a key in no web token":  {"eyJhbGciO" + madeUp("ghp"+"_", 36), "eyJhbGciO[REDACTED:github-token]"},
		"block":                  {"$ cat key\n" + block, "$ cat key\n[REDACTED:private-key]-----END RSA PRIVATE KEY-----\n"},
		"a block's first line":   {"-----BEGIN " + "PRIVATE KEY-----\n$ ls\n", "-----BEGIN " + "PRIVATE KEY-----\n$ ls\n"},
		"escaped block":          {`"-----BEGIN ` + `PRIVATE KEY-----\nMIIEvQIBADANBgkqh\n", "x"`, `"[REDACTED:private-key]", "x"`},
		"a public key":           {"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n", "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Options{Formats: true}, nil)
			for _, size := range []int{1, 2, 3, 7, 50, 5000} {
				if got, n := filtered(s, c.text, size); got != c.want || n != int64(strings.Count(c.want, "[REDACTED:")) {
					t.Errorf("in pieces of %d: %q with %d marks, want %q", size, got, n, c.want)
				}
			}
		})
	}
}

func TestEveryFormatHoldsItsOwnText(t *testing.T) {
	for _, f := range formats() {
		last := f.parts[len(f.parts)-1]
		for i, p := range f.parts {
			if i > 0 && last.class.run([]byte(p.literal)) != len(p.literal) || p.class&^last.class != 0 {
				t.Errorf("%s: the last class does not hold part %d", f.name, i)
			}
			if i < len(f.parts)-1 && (p.most == 0 || p.class&classOf(f.parts[i+1].literal[0]) != 0) {
				t.Errorf("%s: part %d does not end before the next", f.name, i)
			}
		}
	}
}

func TestFormatsDoNotDependOnPieces(t *testing.T) {
	s := New(Options{Formats: true, Names: anyName}, []string{"T=supersecret"})
	pieces := []string{"eyJ", "aaaaaaaa", ".eyJ", "bbbbbbbbb", "gh" + "p_", madeUp("", 36), "sk" + "-", "ant-", " ", "\n", "AKI" + "A", "supersecret", "super", "-----BEGIN ", "PRIVATE KEY-----"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "text"), "")
		whole, count := filtered(s, text)
		split, n := filtered(s, text, rapid.SliceOfN(rapid.IntRange(1, 30), 1, 6).Draw(t, "sizes")...)
		if split != whole || n != count {
			t.Errorf("in pieces %q with %d marks, as a whole %q with %d", split, n, whole, count)
		}
		unmarked(t, text, whole)
	})
}
