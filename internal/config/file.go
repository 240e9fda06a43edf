package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// fileSize bounds a configuration file, in bytes: thousands of rules fit, and a file
// that was named by mistake does not.
const fileSize = 1 << 20

// file is what one configuration file says. The zero file says nothing.
type file struct {
	path     string             // absolute
	settings map[string]setting // by the option's name
	policy   []byte             // see Config.Policy
	section  string             // origin of policy
	faults   []error
	warnings []string
}

// source is the file as a layer of the configuration. A file that nobody named is
// the value of the option config, so that people see which one was read.
func (f *file) source(o Option) (setting, bool) {
	if o.Name == configOption && f.path != "" {
		return newSetting("default", f.path), true
	}
	s, given := f.settings[o.Name]
	return s, given
}

// chosenFile reads the file that one of sources names, or else the one in its
// default place, if there is one. What is wrong with it is in the faults.
func chosenFile(sources []source, environ []string) *file {
	for _, o := range fileOption() {
		for _, from := range sources {
			if s, given := from(o); given {
				return readFile(s.entries[0].text, s.origin)
			}
		}
	}
	path := defaultFile(environ)
	// Lstat, because a link to a file that has gone is no absence: the policy would
	// be off without a word.
	if _, err := os.Lstat(path); path == "" || missing(err) {
		return new(file)
	}
	return readFile(path, "default")
}

// defaultFile returns the path of the file that is read if nobody names one, or ""
// if the environment does not tell where it would be. A relative XDG_CONFIG_HOME is
// to be ignored (XDG Base Directory Specification).
func defaultFile(environ []string) string {
	dir := variable(environ, "XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home := variable(environ, "HOME")
		if !filepath.IsAbs(home) || !ours(home) {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "whelk", "config.yaml")
}

// ours reports whether a directory belongs to the user of this process. The home
// of somebody else, as a change of the user leaves it in HOME, holds no
// configuration of ours, and often lets nobody look.
func ours(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return missing(err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

// variable returns the value of a variable of environ, where the first of a name
// counts, as in os.Getenv.
func variable(environ []string, name string) string {
	for _, entry := range environ {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

// readFile reads one configuration file; origin says who named it.
func readFile(path, origin string) *file {
	text, warnings, err := fileText(path)
	if err != nil {
		fault := &Error{Option: configOption, Origin: origin, Value: path, Reason: err.Error()}
		return &file{faults: []error{fault}}
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path // the server's own directory has gone; the file was read
	}
	f := parseFile(absolute, text)
	f.warnings = warnings
	return f
}

// fileText returns the content of a configuration file, and what is doubtful about
// who may change it. The error is the reason of an Error.
func fileText(path string) (text []byte, warnings []string, err error) {
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
	text, err = io.ReadAll(io.LimitReader(f, fileSize+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("it cannot be read: %w", withoutPath(err))
	case len(text) > fileSize:
		return nil, nil, fmt.Errorf("it is too large; a configuration has %s or less", formatSize(fileSize))
	}
	return text, writers(path, info), nil
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
