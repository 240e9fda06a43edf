package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	// secretPrefix begins every token, so that people and secret scanners
	// recognise one: whelk_[a-z2-7]{52}.
	secretPrefix = "whelk_"
	// secretBytes is the entropy of a token, 256 bits.
	secretBytes = 32
	// mostSecret is the longest text that is looked up, in bytes; a token has 58.
	mostSecret = 128
)

// newSecret makes a token. Letters and digits alone: it survives every shell,
// and a double click selects all of it.
func newSecret() string {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return secretPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// digest is the SHA-256 of a token, in hexadecimal in the store. A slow hash
// makes guessable passwords dear to guess; 256 random bits cannot be guessed
// however fast the hash is, and it is computed for every request.
type digest [sha256.Size]byte

func (d digest) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(d[:])), nil }

// UnmarshalText repeats nothing of the text in its error.
func (d *digest) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(d[:], text[:min(len(text), 2*len(d))]); err != nil || n != len(d) || len(text) != 2*len(d) {
		return errors.New("a hash has 64 hexadecimal digits")
	}
	return nil
}

// Token is what is known of one token. The token itself is not kept.
type Token struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"` // of the principal
	Created time.Time `json:"created"`
	// Expires is when it stops being valid; zero is never.
	Expires time.Time `json:"expires,omitzero"`
	// Tools are the tool sets that it may use; nil is all that are served.
	Tools []string `json:"tools,omitempty"`
	// Policy is the absolute path of a policy file that restricts the server's
	// own policy further; "" is none.
	Policy string `json:"policy,omitempty"`
	// MaxExecutions is the most executions alive at once in a tool set; zero is
	// the server's limit alone.
	MaxExecutions int `json:"max_executions,omitempty"`
}

// expired tells whether the token has stopped being valid.
func (t *Token) expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// maxName is the longest name, in bytes; names stand in lists and in records.
const maxName = 64

// What a name looks like, and what an id does: no name is taken for an id.
var (
	nameForm = regexp.MustCompile(`\A[A-Za-z0-9][A-Za-z0-9._@-]*\z`)
	idForm   = regexp.MustCompile(`\A[0-9a-f]{16}\z`)
)

// Check reports what is wrong with the fields that a person has written: Name,
// Tools, Policy and MaxExecutions.
func (t *Token) Check() error {
	switch {
	case len(t.Name) > maxName || !nameForm.MatchString(t.Name):
		return fmt.Errorf("a token's name has 1 to %d letters, digits and . _ @ -, and begins with a letter or a digit", maxName)
	case idForm.MatchString(t.Name):
		return fmt.Errorf("the name %q looks like an id: choose another", t.Name)
	case t.MaxExecutions < 0:
		return fmt.Errorf("max-executions is not negative: %d", t.MaxExecutions)
	case t.Policy != "" && !filepath.IsAbs(t.Policy):
		return errors.New("the policy file is named by its absolute path")
	case t.Tools != nil && len(t.Tools) == 0:
		return errors.New("the tool sets are an empty list: name one, or leave them out for all")
	}
	for _, set := range t.Tools {
		if !nameForm.MatchString(set) {
			return errors.New("a tool set has no name")
		}
	}
	return nil
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
