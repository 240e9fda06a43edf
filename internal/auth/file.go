package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"
)

const (
	// formatVersion is that of the store's file. A program that finds another
	// one does not guess: what it does not know may be a restriction.
	formatVersion = 1
	// mostTokens bounds the store: each request is compared with all of them.
	mostTokens = 1000
	// mostStoreBytes bounds the store's file, in bytes: a thousand tokens with
	// long lists fit.
	mostStoreBytes = 1 << 20
)

// record is one token as the store has it.
type record struct {
	Token

	Hash digest `json:"hash"`
}

// document is the store's file.
type document struct {
	Version int      `json:"version"`
	Tokens  []record `json:"tokens"`
}

// decode reads the store's file. Everything that is not exactly what encode
// writes is an error, whose text repeats nothing of the file.
func decode(text []byte) ([]record, error) {
	var d document
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return nil, errors.New("it is not the JSON of a token store: " + reasonOf(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON of the token store")
	}
	switch {
	case d.Version != formatVersion:
		return nil, fmt.Errorf("its version is %d, and this program knows %d", d.Version, formatVersion)
	case d.Tokens == nil:
		return nil, errors.New("it has no list of tokens")
	case len(d.Tokens) > mostTokens:
		return nil, fmt.Errorf("it has %d tokens; %d are the most", len(d.Tokens), mostTokens)
	}
	for i := range d.Tokens {
		r := &d.Tokens[i]
		if err := r.Check(); err != nil {
			return nil, fmt.Errorf("token %d: %w", i+1, err)
		}
		clash := slices.ContainsFunc(d.Tokens[:i], func(o record) bool {
			return o.ID == r.ID || o.Name == r.Name || o.Hash == r.Hash
		})
		if !idForm.MatchString(r.ID) || r.Created.IsZero() || r.Hash == (digest{}) || clash {
			return nil, fmt.Errorf("token %d has no id, date or hash of its own, or those of another", i+1)
		}
	}
	return d.Tokens, nil
}

// reasonOf says where JSON is wrong without repeating it.
func reasonOf(err error) string {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("it is broken at byte %d", e.Offset)
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("at byte %d a value has the wrong type", e.Offset)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return "a field is unknown or has a wrong value"
}

func encode(records []record) ([]byte, error) {
	if records == nil {
		records = []record{}
	}
	text, err := json.MarshalIndent(document{Version: formatVersion, Tokens: records}, "", "  ")
	return append(text, '\n'), err
}

// stamp tells one version of a file from another: any write, rename, chmod or
// chown changes it.
type stamp struct {
	device, inode    uint64
	size             int64
	modified, status time.Time
}

func stampOf(info os.FileInfo) stamp {
	s := stamp{size: info.Size(), modified: info.ModTime()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.device, s.inode, s.status = sys.Dev, sys.Ino, time.Unix(sys.Ctim.Unix())
	}
	return s
}

// trust says what a file must be.
type trust struct {
	forbidden os.FileMode // permission bits that others may not have
	rootToo   bool        // it may belong to root instead of this user
	follow    bool        // it may be a symbolic link
	most      int64       // its greatest size, in bytes
}

// readTrusted reads a file if it is what t says, checked on the open file so
// that no other can take its place meanwhile. The file is returned open if there
// is no error.
func readTrusted(path string, t trust) (text []byte, file *os.File, err error) {
	flags := os.O_RDONLY | syscall.O_NONBLOCK // a FIFO must not hold anybody
	if !t.follow {
		flags |= syscall.O_NOFOLLOW
	}
	file, err = os.OpenFile(path, flags, 0)
	if errors.Is(err, syscall.ELOOP) && !t.follow {
		return nil, nil, fmt.Errorf("%s is a symbolic link", path)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = t.check(path, info)
	}
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(file, t.most+1))
	}
	if err == nil && int64(len(text)) > t.most {
		err = fmt.Errorf("%s is longer than %d bytes", path, t.most)
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return text, file, nil
}

func (t trust) check(path string, info os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	if err := checkOwner(path, info, t.rootToo); err != nil {
		return err
	}
	if open := info.Mode().Perm() & t.forbidden; open != 0 {
		return fmt.Errorf("%s has the mode %04o, which lets others in: chmod %o it", path, info.Mode().Perm(), info.Mode().Perm()&^t.forbidden)
	}
	return nil
}

func checkOwner(path string, info os.FileInfo, rootToo bool) error {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(sys.Uid) != os.Geteuid() && (!rootToo || sys.Uid != 0) {
		return fmt.Errorf("%s belongs to another user", path)
	}
	return nil
}
