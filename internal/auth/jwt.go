package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"whelk/internal/principal"
)

const (
	// mostJWT is the longest JSON Web Token that is looked at, in bytes. Servers
	// of HTTP take about as much in all headers.
	mostJWT = 16 << 10
	// leeway is how far the clocks of the issuer and of this machine may be
	// apart.
	leeway = 30 * time.Second
	// mostSubject is the longest subject, in bytes (OpenID Connect Core, section
	// 2: 255 ASCII characters).
	mostSubject = 255
)

// JWTOptions configures [NewJWT].
type JWTOptions struct {
	// Issuer and Audience are what iss must be, and what aud must be or contain:
	// the identity provider, and this server as it knows it. Required: a token
	// for another server must not open this one.
	Issuer, Audience string
	// Keys is the issuer's key set (RFC 7517): the path of a file, or an https
	// URL; http is for loopback alone. Required.
	Keys string
	// Scope must be among the token's; "" asks for none.
	Scope string
	// Logger gets the causes of [ErrUnavailable]; nil: nothing is logged.
	Logger *slog.Logger
}

// JWT verifies JSON Web Tokens of one issuer. The zero value is not usable.
type JWT struct {
	issuer, scope string
	parser        *jwt.Parser
	keys          *keySource
}

// NewJWT checks the options. A key set in a file is read once and must be good; a
// URL is asked with the first token, because the issuer may start later than
// this server.
func NewJWT(ctx context.Context, o JWTOptions) (*JWT, error) {
	switch {
	case o.Issuer == "":
		return nil, errors.New("JSON Web Tokens need the issuer that they must be from")
	case o.Audience == "":
		return nil, errors.New("JSON Web Tokens need the audience that they must be for: this server's name at the issuer")
	case strings.ContainsAny(o.Scope, " \t\r\n"):
		return nil, fmt.Errorf("the scope %q is several; one is asked for", o.Scope)
	}
	keys, err := newKeySource(ctx, o.Keys, o.Logger)
	if err != nil {
		return nil, err
	}
	return &JWT{
		issuer: o.Issuer, scope: o.Scope, keys: keys,
		parser: jwt.NewParser(
			jwt.WithValidMethods(algorithms()), jwt.WithStrictDecoding(),
			jwt.WithIssuer(o.Issuer), jwt.WithAudience(o.Audience),
			jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(leeway),
		),
	}, nil
}

// algorithms are the signatures that are accepted: one for each kind of key, so
// that no token chooses how a key is used (RFC 8725, section 3.1). none and the
// symmetric ones are not among them.
func algorithms() []string {
	return []string{jwt.SigningMethodRS256.Alg(), jwt.SigningMethodES256.Alg(), jwt.SigningMethodEdDSA.Alg()}
}

// Verify returns the principal of a token: its subject. Errors are those of this
// package.
func (j *JWT) Verify(ctx context.Context, token string) (principal.Principal, error) {
	if len(token) > mostJWT {
		return principal.Principal{}, ErrInvalid
	}
	// A map, because fields of a structure would take claims whose names differ
	// in case, and users of some providers can add claims.
	claims := jwt.MapClaims{}
	_, err := j.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) { return j.key(ctx, t) })
	switch {
	case errors.Is(err, ErrUnavailable):
		return principal.Principal{}, ErrUnavailable
	case err != nil:
		return principal.Principal{}, ErrInvalid
	}
	subject, err := claims.GetSubject()
	if err != nil || !printable(subject) {
		return principal.Principal{}, ErrInvalid
	}
	if j.scope != "" && !slices.Contains(scopes(claims), j.scope) {
		return principal.Principal{}, ErrScope
	}
	// A blank separates them: an issuer is a URL and has none.
	return principal.Principal{ID: j.issuer + " " + subject, Name: subject}, nil
}

// key returns the keys that a token may be signed with.
func (j *JWT) key(ctx context.Context, t *jwt.Token) (any, error) {
	if _, critical := t.Header["crit"]; critical {
		return nil, ErrInvalid // extensions that must be understood (RFC 7515, section 4.1.11), and none is
	}
	id, named := t.Header["kid"]
	kid, ok := id.(string)
	if named && !ok {
		return nil, ErrInvalid
	}
	keys, err := j.keys.find(ctx, kid, t.Method.Alg())
	if err != nil {
		return nil, err
	}
	return jwt.VerificationKeySet{Keys: keys}, nil
}

// printable tells whether a subject can stand in lists and records as it is.
func printable(subject string) bool {
	return subject != "" && len(subject) <= mostSubject && utf8.ValidString(subject) &&
		strings.IndexFunc(subject, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// scopes returns the scopes of a token: scope is a list with blanks (RFC 8693),
// scp what some providers have instead, a list of either form.
func scopes(claims jwt.MapClaims) []string {
	var list []string
	for _, name := range []string{"scope", "scp"} {
		switch value := claims[name].(type) {
		case string:
			list = append(list, strings.Fields(value)...)
		case []any:
			for _, one := range value {
				if text, ok := one.(string); ok {
					list = append(list, text)
				}
			}
		}
	}
	return list
}
