package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"whelk/internal/yamlfile"
)

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
	text, warnings, err := yamlfile.Read(path)
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

// missing reports whether err says that there is no such file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
