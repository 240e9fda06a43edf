package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Size bounds a file of settings, in bytes: thousands of rules fit, and a file
// that was named by mistake does not.
const Size = 1 << 20

// Read returns the content of a file of settings, and what is doubtful about who may
// change it. The error says what is wrong without the path, which the caller names.
func Read(path string) (text []byte, warnings []string, err error) {
	if path == "" {
		return nil, nil, errors.New("it is empty; write the path of a file")
	}
	// O_NONBLOCK: a named pipe without a writer would hold up the start for ever.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case missing(err):
		return nil, nil, errors.New("there is no such file")
	case err != nil:
		return nil, nil, fmt.Errorf("it cannot be read: %w", withoutPath(err))
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("it cannot be read: %w", withoutPath(err))
	}
	if !info.Mode().IsRegular() && path != os.DevNull { // the way to say: no file
		return nil, nil, errors.New("it is not a file with text; write the path of one")
	}
	text, err = io.ReadAll(io.LimitReader(f, Size+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("it cannot be read: %w", withoutPath(err))
	case len(text) > Size:
		return nil, nil, fmt.Errorf("it is too large; a configuration has %dMiB or less", Size>>20)
	}
	return text, writers(path, info), nil
}

// Clean returns the text of a file as the parser should see it. A mark of the byte
// order would count as a part of the first key, and a lone carriage return is a line
// break to YAML, but to nobody who counts lines. An error is at the line.
func Clean(text []byte) (clean string, line int, err error) {
	if at := invalidUTF8(text); at >= 0 {
		line = 1 + bytes.Count(text[:at], []byte("\n"))
		return "", line, errors.New("a byte is not UTF-8; save the file in that encoding")
	}
	clean = strings.TrimPrefix(string(text), "\ufeff")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(clean), 0, nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// missing reports whether err says that there is no such file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// withoutPath returns what is wrong alone; the path stands in the Error already.
func withoutPath(err error) error {
	if full, ok := errors.AsType[*fs.PathError](err); ok {
		return full.Err
	}
	return err
}

// writers warns of others who may change the file: they would decide what the
// server lets through. Root may change everything anyway.
func writers(path string, info fs.FileInfo) []string {
	const groupAndWorld = 0o022
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return nil
	case info.Mode()&groupAndWorld != 0:
		return []string{fmt.Sprintf("the configuration file %s may be changed by other users (mode %04o); write: chmod go-w %[1]s", path, info.Mode().Perm())}
	case ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
		return []string{fmt.Sprintf("the configuration file %s belongs to another user (id %d), who may change it; use a file of your own", path, stat.Uid)}
	}
	return nil
}
