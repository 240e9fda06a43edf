package auth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	testIssuer   = "https://id.example.org"
	testAudience = "https://whelk.example.org/mcp"
)

// issuer is an identity provider with a key of each kind.
type issuer struct {
	rsa   *rsa.PrivateKey
	ecdsa *ecdsa.PrivateKey
	ed    ed25519.PrivateKey
}

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &issuer{r, e, ed}
}

func base64url(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// webKeyOf writes a public key as key sets do.
func webKeyOf(t testing.TB, kid string, public crypto.PublicKey) map[string]any {
	t.Helper()
	switch k := public.(type) {
	case *rsa.PublicKey:
		return map[string]any{"kty": "RSA", "kid": kid, "use": "sig", "alg": "RS256", "n": base64url(k.N.Bytes()), "e": base64url(big.NewInt(int64(k.E)).Bytes())}
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return map[string]any{"kty": "EC", "kid": kid, "crv": "P-256", "x": base64url(point[1:33]), "y": base64url(point[33:])}
	case ed25519.PublicKey:
		return map[string]any{"kty": "OKP", "kid": kid, "crv": "Ed25519", "x": base64url(k)}
	}
	t.Fatalf("no such key: %T", public)
	return nil
}

func keySetOf(t testing.TB, keys ...map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// keySet holds the three keys, and two that are nobody's business here.
func (i *issuer) keySet(t testing.TB) []byte {
	t.Helper()
	encrypting := webKeyOf(t, "enc", &i.rsa.PublicKey)
	encrypting["use"] = "enc"
	return keySetOf(
		t, webKeyOf(t, "r", &i.rsa.PublicKey), webKeyOf(t, "e", &i.ecdsa.PublicKey), webKeyOf(t, "d", i.ed.Public()),
		encrypting, map[string]any{"kty": "oct", "kid": "h", "k": "c2VjcmV0"},
	)
}

// claims are those of a good token, changed; nil takes one away.
func claims(changes map[string]any) jwt.MapClaims {
	now := time.Now()
	c := jwt.MapClaims{
		"iss": testIssuer, "aud": testAudience, "sub": "ann", "scope": "openid whelk",
		"exp": now.Add(time.Hour).Unix(), "nbf": now.Unix(), "iat": now.Unix(),
	}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

func sign(t testing.TB, method jwt.SigningMethod, key any, header map[string]any, c jwt.Claims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, c)
	maps.Copy(token.Header, header)
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// verifier trusts an issuer's keys.
func verifier(t testing.TB, i *issuer, scope string) *JWT {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, i.keySet(t), 0o644); err != nil {
		t.Fatal(err)
	}
	j, err := NewJWT(t.Context(), JWTOptions{Issuer: testIssuer, Audience: testAudience, Keys: file, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJWTOfTheIssuerIsAccepted(t *testing.T) {
	i := newIssuer(t)
	j := verifier(t, i, "whelk")
	ago := func(d time.Duration) int64 { return time.Now().Add(-d).Unix() }
	for name, token := range map[string]string{
		"RS256":                 sign(t, jwt.SigningMethodRS256, i.rsa, map[string]any{"kid": "r"}, claims(nil)),
		"ES256":                 sign(t, jwt.SigningMethodES256, i.ecdsa, map[string]any{"kid": "e"}, claims(nil)),
		"EdDSA":                 sign(t, jwt.SigningMethodEdDSA, i.ed, map[string]any{"kid": "d"}, claims(nil)),
		"no key id":             sign(t, jwt.SigningMethodES256, i.ecdsa, nil, claims(nil)),
		"an access token":       sign(t, jwt.SigningMethodES256, i.ecdsa, map[string]any{"typ": "at+jwt"}, claims(nil)),
		"several audiences":     sign(t, jwt.SigningMethodES256, i.ecdsa, nil, claims(map[string]any{"aud": []string{"x", testAudience}})),
		"no times but the end":  sign(t, jwt.SigningMethodES256, i.ecdsa, nil, claims(map[string]any{"nbf": nil, "iat": nil})),
		"clocks apart":          sign(t, jwt.SigningMethodES256, i.ecdsa, nil, claims(map[string]any{"nbf": ago(-20 * time.Second), "iat": ago(-20 * time.Second)})),
		"over a moment ago":     sign(t, jwt.SigningMethodES256, i.ecdsa, nil, claims(map[string]any{"exp": ago(20 * time.Second)})),
		"scopes in a list":      sign(t, jwt.SigningMethodES256, i.ecdsa, nil, claims(map[string]any{"scope": nil, "scp": []string{"x", "whelk"}})),
		"claims of other names": sign(t, jwt.SigningMethodES256, i.ecdsa, nil, claims(map[string]any{"Sub": "root", "SUB": "root", "ISS": "x"})),
	} {
		p, err := j.Verify(t.Context(), token)
		if err != nil || p.Name != "ann" || p.ID != testIssuer+" ann" {
			t.Errorf("%s: %+v, %v", name, p.Identity(), err)
		}
	}
}

func TestJWTThatIsNotForThisServerIsRefused(t *testing.T) {
	i, other := newIssuer(t), newIssuer(t)
	j := verifier(t, i, "whelk")
	es := func(header map[string]any, c map[string]any) string {
		return sign(t, jwt.SigningMethodES256, i.ecdsa, header, claims(c))
	}
	at := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	good := es(nil, nil)
	parts := strings.Split(good, ".")
	der, err := i.ecdsa.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	modulus := i.rsa.N.Bytes()
	cases := map[string]string{
		"none":                              sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil, claims(nil)),
		"none of a good one":                base64url([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + ".",
		"HS256 with an EC key":              sign(t, jwt.SigningMethodHS256, der, map[string]any{"kid": "e"}, claims(nil)),
		"HS256 with a modulus":              sign(t, jwt.SigningMethodHS256, modulus, map[string]any{"kid": "r"}, claims(nil)),
		"HS256 with a key of the set":       sign(t, jwt.SigningMethodHS256, []byte("secret"), map[string]any{"kid": "h"}, claims(nil)),
		"RS512":                             sign(t, jwt.SigningMethodRS512, i.rsa, map[string]any{"kid": "r"}, claims(nil)),
		"PS256":                             sign(t, jwt.SigningMethodPS256, i.rsa, map[string]any{"kid": "r"}, claims(nil)),
		"another's key":                     sign(t, jwt.SigningMethodES256, other.ecdsa, map[string]any{"kid": "e"}, claims(nil)),
		"another's key without an id":       sign(t, jwt.SigningMethodRS256, other.rsa, nil, claims(nil)),
		"a key that comes along":            sign(t, jwt.SigningMethodES256, other.ecdsa, map[string]any{"jwk": webKeyOf(t, "x", &other.ecdsa.PublicKey), "jku": "https://evil.example"}, claims(nil)),
		"an unknown key id":                 es(map[string]any{"kid": "x"}, nil),
		"a key id of another kind":          es(map[string]any{"kid": "r"}, nil),
		"a key for encryption":              sign(t, jwt.SigningMethodRS256, i.rsa, map[string]any{"kid": "enc"}, claims(nil)),
		"a key id that is a number":         es(map[string]any{"kid": 1}, nil),
		"an extension that must be known":   es(map[string]any{"crit": []string{"b64"}, "b64": false}, nil),
		"no issuer":                         es(nil, map[string]any{"iss": nil}),
		"another issuer":                    es(nil, map[string]any{"iss": testIssuer + "/"}),
		"no audience":                       es(nil, map[string]any{"aud": nil}),
		"another audience":                  es(nil, map[string]any{"aud": "https://other.example.org"}),
		"a part of the audience":            es(nil, map[string]any{"aud": strings.TrimSuffix(testAudience, "/mcp")}),
		"an empty list of audiences":        es(nil, map[string]any{"aud": []string{}}),
		"an audience that is a number":      es(nil, map[string]any{"aud": 1}),
		"no end":                            es(nil, map[string]any{"exp": nil}),
		"over":                              es(nil, map[string]any{"exp": at(-time.Minute)}),
		"an end that is a text":             es(nil, map[string]any{"exp": "never"}),
		"an end of null":                    sign(t, jwt.SigningMethodES256, i.ecdsa, nil, jwt.MapClaims{"iss": testIssuer, "aud": testAudience, "sub": "ann", "exp": nil}),
		"not yet":                           es(nil, map[string]any{"nbf": at(time.Minute)}),
		"issued in the future":              es(nil, map[string]any{"iat": at(time.Minute)}),
		"no subject":                        es(nil, map[string]any{"sub": nil}),
		"an empty subject":                  es(nil, map[string]any{"sub": ""}),
		"a subject that is a number":        es(nil, map[string]any{"sub": 1}),
		"a subject with control characters": es(nil, map[string]any{"sub": "ann\x1b[31m"}),
		"a long subject":                    es(nil, map[string]any{"sub": strings.Repeat("a", mostSubject+1)}),
		"a cut signature":                   good[:len(good)-2],
		"no signature":                      parts[0] + "." + parts[1] + ".",
		"claims of another":                 parts[0] + "." + base64url([]byte(`{"sub":"root"}`)) + "." + parts[2],
		"four parts":                        good + ".x",
		"two parts":                         parts[0] + "." + parts[1],
		"padding":                           good + "=",
		"a token of the store":              newSecret(),
		"empty":                             "",
		"large":                             strings.Repeat("a", mostJWT+1),
		"deep":                              parts[0] + "." + base64url([]byte(strings.Repeat("[", 8000))) + "." + parts[2],
	}
	for name, token := range cases {
		if p, err := j.Verify(t.Context(), token); err != ErrInvalid || p.Name != "" {
			t.Errorf("%s: %+v, %v", name, p.Identity(), err)
		}
	}
	for name, scope := range map[string]any{"no scope": nil, "another scope": "openid", "a longer scope": "whelk:admin", "a number": 1} {
		if p, err := j.Verify(t.Context(), es(nil, map[string]any{"scope": scope})); err != ErrScope || p.Name != "" {
			t.Errorf("%s: %+v, %v", name, p.Identity(), err)
		}
	}
	if p, err := verifier(t, i, "").Verify(t.Context(), es(nil, map[string]any{"scope": nil})); err != nil {
		t.Errorf("no scope is asked for: %+v, %v", p, err)
	}
}

func TestKeysAreUsedForTheirOwnKindAlone(t *testing.T) {
	i := newIssuer(t)
	r, e, d := webKeyOf(t, "r", &i.rsa.PublicKey), webKeyOf(t, "e", &i.ecdsa.PublicKey), webKeyOf(t, "d", i.ed.Public())
	with := func(k map[string]any, field string, value any) map[string]any {
		k = maps.Clone(k)
		k[field] = value
		return k
	}
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text []byte
		want int // keys; -1 is an error
	}{
		"the three":            {keySetOf(t, r, e, d), 3},
		"other uses":           {keySetOf(t, d, with(r, "use", "enc"), with(r, "alg", "RS512"), with(e, "alg", "ECDH-ES"), with(d, "key_ops", []string{"sign"})), 1},
		"other curves":         {keySetOf(t, d, map[string]any{"kty": "EC", "crv": "P-521"}, map[string]any{"kty": "OKP", "crv": "X25519"}, map[string]any{"kty": "new"}), 1},
		"nothing of use":       {keySetOf(t, with(r, "use", "enc")), -1},
		"no keys":              {keySetOf(t), -1},
		"no set":               {[]byte("{}"), -1},
		"no JSON":              {[]byte("<html>"), -1},
		"keys that are none":   {[]byte(`{"keys":[1]}`), -1},
		"a short RSA key":      {keySetOf(t, d, webKeyOf(t, "s", &short.PublicKey)), -1},
		"an even modulus":      {keySetOf(t, d, with(r, "n", base64url(append(i.rsa.N.Bytes()[:255], 2)))), -1},
		"exponent 1":           {keySetOf(t, d, with(r, "e", base64url([]byte{1}))), -1},
		"a large exponent":     {keySetOf(t, d, with(r, "e", base64url([]byte{255, 255, 255, 255}))), -1},
		"a huge modulus":       {keySetOf(t, d, with(r, "n", strings.Repeat("A", 20000))), -1},
		"not on the curve":     {keySetOf(t, d, with(e, "y", e["x"])), -1},
		"a short coordinate":   {keySetOf(t, d, with(e, "x", base64url([]byte{1}))), -1},
		"a short Ed25519 key":  {keySetOf(t, r, with(d, "x", base64url([]byte{1}))), -1},
		"not in base64":        {keySetOf(t, r, with(d, "x", "%%")), -1},
		"more than there are":  {keySetOf(t, make([]map[string]any, mostKeys+1)...), -1},
		"a private key's part": {keySetOf(t, with(d, "d", "AAAA")), 1},
	} {
		keys, err := parseKeySet(c.text)
		if c.want < 0 && err == nil || c.want >= 0 && (err != nil || len(keys) != c.want) {
			t.Errorf("%s: %d keys, %v", name, len(keys), err)
		}
	}
}

func TestOptionsOfJWTThatOpenTheGateAreFaults(t *testing.T) {
	i := newIssuer(t)
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, i.keySet(t), 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(t.TempDir(), "open.json")
	if err := os.WriteFile(open, i.keySet(t), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o666); err != nil {
		t.Fatal(err)
	}
	good := JWTOptions{Issuer: testIssuer, Audience: testAudience, Keys: file}
	if _, err := NewJWT(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*JWTOptions){
		"no issuer":        func(o *JWTOptions) { o.Issuer = "" },
		"no audience":      func(o *JWTOptions) { o.Audience = "" },
		"no keys":          func(o *JWTOptions) { o.Keys = "" },
		"a missing file":   func(o *JWTOptions) { o.Keys = file + "x" },
		"an open file":     func(o *JWTOptions) { o.Keys = open },
		"another kind":     func(o *JWTOptions) { o.Keys = "/etc/passwd" },
		"http":             func(o *JWTOptions) { o.Keys = "http://id.example.org/keys" },
		"http, like local": func(o *JWTOptions) { o.Keys = "http://localhost.example.org/keys" },
		"ftp":              func(o *JWTOptions) { o.Keys = "ftp://id.example.org/keys" },
		"no host":          func(o *JWTOptions) { o.Keys = "https:///keys" },
		"a password":       func(o *JWTOptions) { o.Keys = "https://a:b@id.example.org/keys" },
		"two scopes":       func(o *JWTOptions) { o.Scope = "a b" },
	} {
		o := good
		change(&o)
		if j, err := NewJWT(t.Context(), o); err == nil || j != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, url := range []string{"https://id.example.org/keys", "http://localhost:1/keys", "http://127.0.0.1:1/keys", "http://[::1]:1/keys"} {
		o := good
		o.Keys = url
		if _, err := NewJWT(t.Context(), o); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// Whatever is made of a good token, only what its issuer has signed is accepted.
// Fuzzing runs in several processes, so keys and times are the same in all.
func FuzzJWT(f *testing.F) {
	i := newIssuer(f)
	i.ed = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	var err error
	if i.ecdsa, err = ecdsa.ParseRawPrivateKey(elliptic.P256(), bytes.Repeat([]byte{7}, 32)); err != nil {
		f.Fatal(err)
	}
	j := verifier(f, i, "")
	c := claims(map[string]any{"exp": 4102444800, "nbf": nil, "iat": 1}) // until the year 2100
	signed := map[string]bool{}
	for _, token := range []string{
		sign(f, jwt.SigningMethodES256, i.ecdsa, map[string]any{"kid": "e"}, c),
		sign(f, jwt.SigningMethodEdDSA, i.ed, map[string]any{"kid": "d"}, c),
		sign(f, jwt.SigningMethodEdDSA, i.ed, nil, c),
	} {
		signed[token[:strings.LastIndex(token, ".")]] = true
		f.Add(token)
	}
	f.Add(base64url([]byte(`{"alg":"none"}`)) + "." + base64url([]byte(`{"sub":"x"}`)) + ".")
	f.Add("..")
	f.Fuzz(func(t *testing.T, token string) {
		p, err := j.Verify(t.Context(), token)
		switch {
		case err == ErrInvalid && p.Name == "":
		case err == nil && p.Name == "ann" && signed[token[:strings.LastIndex(token, ".")]]:
		default:
			t.Errorf("%q: %+v, %v", token, p.Identity(), err)
		}
	})
}

func FuzzKeySet(f *testing.F) {
	f.Add(newIssuer(f).keySet(f))
	f.Add([]byte(`{"keys":[{"kty":"RSA","n":"AA","e":"Aw"},{"kty":"EC","crv":"P-256"},{"kty":"OKP","crv":"Ed25519"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		keys, err := parseKeySet(text)
		if (err == nil) != (len(keys) > 0) {
			t.Errorf("%d keys, %v", len(keys), err)
		}
		for _, k := range keys {
			if r, ok := k.public.(*rsa.PublicKey); ok && (r.N.BitLen() < leastRSA || r.E < 3) {
				t.Errorf("an RSA key of %d bits, exponent %d", r.N.BitLen(), r.E)
			}
		}
	})
}
