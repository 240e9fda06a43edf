// Package auth finds out who calls over HTTP: it turns the text behind
// "Authorization: Bearer" into a [principal.Principal], or refuses it. It owns
// the store of tokens that operators give out, and the checks of JSON Web
// Tokens that an identity provider gives out.
//
// Words:
//
//   - token: the secret that a caller shows. It is returned once, when it is
//     made, and kept nowhere; the store has its SHA-256.
//   - store: the file of tokens in the state directory, see [Store].
//   - issuer, audience, key set: of JSON Web Tokens, as RFC 7519 and RFC 7517
//     have them.
//
// Invariants:
//
//   - Whatever is wrong with a file, a key set or a token refuses the caller. No
//     fault opens the gate, and none is taken for an empty store.
//   - A caller learns one of three things: [ErrInvalid], [ErrScope] or
//     [ErrUnavailable]. Why a token is invalid is not among them.
//   - A revoked token is refused by the next request: the file is looked at for
//     each.
//   - No token, and no hash of one, is in an error or a log.
//
// [Tokens.Verify] and [JWT.Verify] may be called from any goroutine. The
// protocol's words stay above: a transport wraps either of them.
package auth
