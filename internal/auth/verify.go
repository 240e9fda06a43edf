package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"os"
	"sync"
	"time"

	"whelk/internal/policy"
	"whelk/internal/principal"
)

// TokensOptions configures [NewTokens].
type TokensOptions struct {
	// Dir is the state directory.
	Dir string
	// Base is what the policies of tokens have in common with the server's:
	// Home and Agent. Lists and rules in it would count too.
	Base policy.Options
	// Logger gets the causes of [ErrUnavailable]; nil: nothing is logged.
	Logger *slog.Logger
}

// Tokens verifies the tokens of a store while others may change it. The zero
// value is not usable.
type Tokens struct {
	store    Store
	policies policies
	log      *slog.Logger

	mu      sync.Mutex // guards the fields below
	records []record
	// file is what records were read from, nil if they were not. It stays open
	// because a number of an open inode is not given to another file, so that
	// stamp cannot be that of a newer store.
	file   *os.File
	stamp  stamp
	logged time.Time // when a fault was last written to the log
}

// NewTokens reads the store and the policies of its tokens once: any fault is an
// error, and the caller must not serve then. Close must be called.
func NewTokens(o TokensOptions) (*Tokens, error) {
	t := &Tokens{store: NewStore(o.Dir), policies: policies{base: o.Base, known: make(map[string]loaded)}, log: o.Logger}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	records, err := t.current()
	for i := 0; err == nil && i < len(records); i++ {
		_, err = t.policies.get(records[i].Policy)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Close releases the store's file.
func (t *Tokens) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
}

// Verify returns the principal of a token. Errors are those of this package.
func (t *Tokens) Verify(_ context.Context, token string) (principal.Principal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	records, err := t.current()
	if err != nil {
		return principal.Principal{}, t.unavailable(err)
	}
	r := find(records, token)
	if r == nil || r.expired(time.Now()) {
		return principal.Principal{}, ErrInvalid
	}
	restriction, err := t.policies.get(r.Policy)
	if err != nil {
		return principal.Principal{}, t.unavailable(err)
	}
	return principal.Principal{
		ID: r.ID, Name: r.Name, MaxExecutions: r.MaxExecutions, Tools: r.Tools, Policy: restriction,
	}, nil
}

// find compares a token's hash with that of all records, in a time that does not
// depend on which it is or how much of it is right.
func find(records []record, token string) *record {
	if len(token) > mostSecret {
		return nil
	}
	hash := sha256.Sum256([]byte(token))
	found := -1
	for i := range records {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(hash[:], records[i].Hash[:]), i, found)
	}
	if found < 0 {
		return nil
	}
	return &records[found]
}

// current returns the records of the store as it is now. t.mu is held, or
// nobody else knows t.
func (t *Tokens) current() ([]record, error) {
	if t.file != nil {
		if info, err := os.Lstat(t.store.path(storeFile)); err == nil && stampOf(info) == t.stamp {
			return t.records, nil
		}
	}
	t.forget()
	records, file, err := t.store.load()
	if err != nil || file == nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	t.records, t.file, t.stamp = records, file, stampOf(info)
	return records, nil
}

func (t *Tokens) forget() {
	if t.file != nil {
		_ = t.file.Close()
	}
	t.records, t.file = nil, nil
}

// logPause is the least time between two lines of the log: a caller can repeat a
// request as often as it likes.
const logPause = 10 * time.Second

// unavailable writes the cause to the log. t.mu is held.
func (t *Tokens) unavailable(err error) error {
	if now := time.Now(); now.Sub(t.logged) >= logPause {
		t.logged = now
		t.log.Error("a bearer token cannot be checked", "error", err)
	}
	return ErrUnavailable
}
