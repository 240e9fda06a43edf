package auth

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// The files in the state directory.
const (
	storeFile   = "tokens.json"
	newFile     = "tokens.json.new" // being written, by the holder of the lock
	lockFile    = "tokens.lock"
	defaultFile = "token" // the text of the token that the first start makes
)

// DefaultName is the name of the token that the first start makes.
const DefaultName = "default"

// Store is the tokens of one state directory: a file that is replaced as a
// whole, under a lock of its own, so that no reader sees half of it and no
// writer loses what another has written. It holds nothing open; several
// programs may use it at once.
type Store struct {
	dir string
}

// NewStore returns the store in a state directory, which need not exist yet.
func NewStore(dir string) Store { return Store{dir: dir} }

// List returns all tokens, those that have expired too, in the order in which
// they were made. A store that does not exist is empty; one that cannot be
// trusted or understood is an error.
func (s Store) List() ([]Token, error) {
	records, file, err := s.load()
	if err != nil {
		return nil, err
	}
	if file != nil {
		_ = file.Close()
	}
	tokens := make([]Token, len(records))
	for i := range records {
		tokens[i] = records[i].Token
	}
	return tokens, nil
}

// Add makes a token as t says, with an ID and a date of its own, and returns it
// with its secret, which cannot be had again.
func (s Store) Add(t Token) (added Token, secret string, err error) {
	secret = newSecret()
	err = s.update(func(records []record) ([]record, error) {
		records, err := appended(records, t, secret)
		if err == nil {
			added = records[len(records)-1].Token
		}
		return records, err
	})
	if err != nil {
		return Token{}, "", err
	}
	return added, secret, nil
}

// appended returns the records with one more.
func appended(records []record, t Token, secret string) ([]record, error) {
	t.ID, t.Created = newID(), time.Now().UTC().Truncate(time.Second)
	t.Expires = t.Expires.UTC().Truncate(time.Second)
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.expired(t.Created) {
		return nil, errors.New("the token would have expired already")
	}
	if slices.ContainsFunc(records, func(r record) bool { return r.Name == t.Name }) {
		return nil, fmt.Errorf("there is a token named %s already: revoke it first, or choose another name", t.Name)
	}
	if len(records) >= mostTokens {
		return nil, fmt.Errorf("there are %d tokens, which is the most: revoke those that are not used", len(records))
	}
	return append(records, record{Token: t, Hash: sha256.Sum256([]byte(secret))}), nil
}

// Revoke removes the token with that name or ID and returns what it was.
func (s Store) Revoke(nameOrID string) (revoked Token, err error) {
	err = s.update(func(records []record) ([]record, error) {
		i := slices.IndexFunc(records, func(r record) bool { return r.ID == nameOrID || r.Name == nameOrID })
		if i < 0 {
			return nil, errors.New("there is no token with that name or id: whelk token list shows them")
		}
		revoked = records[i].Token
		if revoked.Name == DefaultName {
			if err := os.Remove(s.path(defaultFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		return slices.Delete(records, i, i+1), nil
	})
	return revoked, err
}

// EnsureDefault makes a token named default if the store in dir is empty, and
// writes its secret into a file that nobody else can read. It returns the path
// of that file, also at later starts, or "" if there is none because the tokens
// in the store are others.
func EnsureDefault(dir string) (path string, err error) {
	s := NewStore(dir)
	file := s.path(defaultFile)
	err = s.update(func(records []record) ([]record, error) {
		if slices.ContainsFunc(records, func(r record) bool { return r.Name == DefaultName }) {
			path, err = checkDefault(file)
			return nil, err
		}
		if len(records) > 0 {
			return nil, nil
		}
		secret := newSecret()
		records, err := appended(nil, Token{Name: DefaultName}, secret)
		if err != nil {
			return nil, err
		}
		// First the file: a secret that the store does not know opens nothing.
		path = file
		return records, replace(file, file+".new", []byte(secret+"\n"))
	})
	if err != nil {
		return "", err
	}
	return path, nil
}

// checkDefault returns the path of the file with the default token's secret, or
// "" if somebody has taken the file away. It is an error if others can have read
// it.
func checkDefault(path string) (string, error) {
	_, file, err := readTrusted(path, trust{forbidden: 0o077, most: mostSecret})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("the default token may be known to others: %w, or revoke it by whelk token revoke %s", err, DefaultName)
	}
	return path, file.Close()
}

func (s Store) path(name string) string { return filepath.Join(s.dir, name) }

// load reads the store's file. It returns the file open, or nil if there is no
// store yet.
func (s Store) load() ([]record, *os.File, error) {
	if err := s.checkDir(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
		return nil, nil, err
	}
	text, file, err := readTrusted(s.path(storeFile), trust{forbidden: 0o077, most: mostStoreBytes})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the token store: %w", err)
	}
	records, err := decode(text)
	if err != nil {
		_ = file.Close()
		return nil, nil, fmt.Errorf("the token store %s: %w", s.path(storeFile), err)
	}
	return records, file, nil
}

// checkDir reports why the state directory cannot be trusted: whoever may write
// to it can put another store there.
func (s Store) checkDir() error {
	info, err := os.Stat(s.dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("the state directory %s is not a directory", s.dir)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("the state directory %s may be changed by other users: chmod 700 it", s.dir)
	}
	return checkOwner("the state directory "+s.dir, info, false)
}

// update replaces the records by what change makes of them; nil leaves them.
// Between reading and writing no other program writes.
func (s Store) update(change func([]record) ([]record, error)) error {
	if s.dir == "" {
		return errors.New("there is no state directory: neither XDG_STATE_HOME nor HOME says where it would be; name one by --state-dir")
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := s.checkDir(); err != nil {
		return err
	}
	unlock, err := lock(s.path(lockFile))
	if err != nil {
		return err
	}
	defer unlock()
	records, file, err := s.load()
	if err != nil {
		return err
	}
	if file != nil {
		defer func() { _ = file.Close() }()
	}
	if records, err = change(records); err != nil || records == nil {
		return err
	}
	text, err := encode(records)
	if err != nil {
		return err
	}
	return replace(s.path(storeFile), s.path(newFile), text)
}

// lockPatience is how long another program may hold the lock; it needs
// milliseconds.
const lockPatience = 10 * time.Second

// lock takes the lock that a file stands for.
func lock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for end := time.Now().Add(lockPatience); ; <-ticks.C {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { _ = file.Close() }, nil // and with it the lock
		case errors.Is(err, syscall.EWOULDBLOCK) && time.Now().Before(end), errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			err = fmt.Errorf("another program has held the lock %s for %v", path, lockPatience)
		}
		_ = file.Close()
		return nil, err
	}
}

// replace writes a file by another name first, so that path is never half
// written, whatever happens. The caller holds the lock.
func replace(path, temporary string, text []byte) error {
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close()) // the rename, too, survives a crash
}
