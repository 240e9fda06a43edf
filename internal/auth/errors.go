package auth

import "errors"

// The errors of a verification. There are no others, and their texts may be
// shown to the caller; the cause of ErrUnavailable is in the log.
var (
	// ErrInvalid says that the token is not accepted: it is unknown, revoked,
	// expired, for somebody else or malformed. HTTP: 401.
	ErrInvalid = errors.New("the bearer token is not valid: ask the operator of this server for one")
	// ErrScope says that the token is good and lacks the scope that this server
	// asks for. HTTP: 403, insufficient_scope (RFC 6750).
	ErrScope = errors.New("the bearer token lacks the scope that this server asks for")
	// ErrUnavailable says that tokens cannot be checked now. HTTP: 503.
	ErrUnavailable = errors.New("the server cannot check tokens now: its log says why")
)
