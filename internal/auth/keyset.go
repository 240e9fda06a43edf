package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/golang-jwt/jwt/v5"
)

const (
	// mostKeys bounds a key set; issuers have two or three.
	mostKeys = 100
	// The sizes of an RSA key, in bits: RFC 7518 section 3.3 asks for the least,
	// and larger ones than the most only take time.
	leastRSA, mostRSA = 2048, 8192
)

// key is one public key and the one algorithm that it is for.
type key struct {
	id        string // "" has none
	algorithm string
	public    jwt.VerificationKey
}

// webKey is a key as RFC 7517, RFC 7518 and RFC 8037 write it.
type webKey struct {
	Type       string   `json:"kty"`
	ID         string   `json:"kid"`
	Use        string   `json:"use"`
	Operations []string `json:"key_ops"`
	Algorithm  string   `json:"alg"`
	Curve      string   `json:"crv"`
	N          string   `json:"n"`
	E          string   `json:"e"`
	X          string   `json:"x"`
	Y          string   `json:"y"`
}

// parseKeySet reads a key set. Keys of kinds, curves or uses that are not needed
// here are left out, as RFC 7517 section 5 asks; one that is needed and is
// faulty is an error, and so is a set without any.
func parseKeySet(text []byte) ([]key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, errors.New("it is not the JSON of a key set")
	}
	if len(set.Keys) > mostKeys {
		return nil, fmt.Errorf("it has %d keys; %d are the most", len(set.Keys), mostKeys)
	}
	var keys []key
	for i, raw := range set.Keys {
		var w webKey
		if err := json.Unmarshal(raw, &w); err != nil {
			return nil, fmt.Errorf("key %d is not a JSON Web Key", i+1)
		}
		k, err := w.parse()
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", i+1, err)
		}
		if k.public != nil && w.verifies(k.algorithm) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("it has no key for RS256, ES256 or EdDSA signatures")
	}
	return keys, nil
}

// verifies tells whether the key's own words let it verify by an algorithm.
func (w *webKey) verifies(algorithm string) bool {
	return (w.Use == "" || w.Use == "sig") && (w.Algorithm == "" || w.Algorithm == algorithm) &&
		(len(w.Operations) == 0 || slices.Contains(w.Operations, "verify"))
}

// parse makes the key; of a kind that is not needed it is without one.
func (w *webKey) parse() (k key, err error) {
	k.id = w.ID
	switch {
	case w.Type == "RSA":
		k.algorithm = jwt.SigningMethodRS256.Alg()
		k.public, err = w.rsa()
	case w.Type == "EC" && w.Curve == "P-256":
		k.algorithm = jwt.SigningMethodES256.Alg()
		k.public, err = w.ecdsa()
	case w.Type == "OKP" && w.Curve == "Ed25519":
		k.algorithm = jwt.SigningMethodEdDSA.Alg()
		k.public, err = w.ed25519()
	}
	return k, err
}

func (w *webKey) rsa() (jwt.VerificationKey, error) {
	n, errN := number(w.N, mostRSA/8)
	e, errE := number(w.E, 4)
	if err := errors.Join(errN, errE); err != nil {
		return nil, err
	}
	modulus, exponent := new(big.Int).SetBytes(n), new(big.Int).SetBytes(e)
	switch {
	case modulus.BitLen() < leastRSA:
		return nil, fmt.Errorf("an RSA key of %d bits is too short: %d are the least", modulus.BitLen(), leastRSA)
	case modulus.Bit(0) == 0, exponent.Bit(0) == 0, exponent.BitLen() > 31, exponent.Cmp(big.NewInt(3)) < 0:
		return nil, errors.New("it is no RSA key")
	}
	return &rsa.PublicKey{N: modulus, E: int(exponent.Int64())}, nil
}

func (w *webKey) ecdsa() (jwt.VerificationKey, error) {
	const coordinate = 32 // bytes; RFC 7518 section 6.2.1.2 wants them all
	x, errX := number(w.X, coordinate)
	y, errY := number(w.Y, coordinate)
	if err := errors.Join(errX, errY); err != nil {
		return nil, err
	}
	point := slices.Concat([]byte{4}, x, y) // SEC 1, uncompressed
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil || len(x) != coordinate {
		return nil, errors.New("it is no point of P-256")
	}
	return public, nil
}

func (w *webKey) ed25519() (jwt.VerificationKey, error) {
	x, err := number(w.X, ed25519.PublicKeySize)
	if err != nil {
		return nil, err
	}
	if len(x) != ed25519.PublicKeySize {
		return nil, errors.New("it is no Ed25519 key")
	}
	return ed25519.PublicKey(x), nil
}

// number decodes a field of a key, of at most that many bytes.
func number(text string, most int) ([]byte, error) {
	if len(text) > base64.RawURLEncoding.EncodedLen(most) {
		return nil, fmt.Errorf("a number has more than %d bytes", most)
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("a number is not in base64url without padding")
	}
	return b, nil
}
