package execution

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// defaultPath is the PATH of commands when the server was started without one,
// as clients with a window do (BO-49). No entry of it is relative or empty:
// those would run programs out of the workspace.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// noEditor takes the place of an editor that would wait for keys nobody can
// press (BO-32). Programs run it through a shell and append the file's name.
const noEditor = `echo 'No editor can be used here: give the text on the command line (git commit -m TEXT, -F FILE, --no-edit) or set GIT_EDITOR for this command.' >&2; false`

// nonInteractive are the settings that keep programs from waiting for a
// person. CI is not among them: it changes what builds do.
var nonInteractive = map[string]string{
	"DEBIAN_FRONTEND":     "noninteractive",
	"EDITOR":              noEditor,
	"GIT_EDITOR":          noEditor,
	"GIT_MERGE_AUTOEDIT":  "no",
	"GIT_PAGER":           "cat",
	"GIT_TERMINAL_PROMPT": "0",
	"GH_PAGER":            "cat",
	"MANPAGER":            "cat",
	"PAGER":               "cat",
	"PSQL_PAGER":          "cat",
	"SYSTEMD_PAGER":       "cat",
	"VISUAL":              noEditor,
}

// environ is an environment: by name, for look-ups, and as a list for the
// kernel, in the order of names so that equal requests give equal environments.
// It does not change once made.
type environ struct {
	vars  map[string]string
	list  []string
	exact bool // no PWD is added
}

// newEnviron is what every command starts from: the server's own environment
// without what is only the server's business, with a PATH and a HOME if there
// were none, the non-interactive settings if wanted, and the operator's own
// settings (NAME=value), which win.
func newEnviron(o *Options) *environ {
	vars := make(map[string]string, len(o.Environ)+len(nonInteractive)+len(o.EnvSet))
	for _, entry := range o.Environ {
		name, value, ok := strings.Cut(entry, "=")
		if ok && name != "" && !serverOnly(name) {
			vars[name] = value
		}
	}
	if !o.EnvironExact {
		addMissing(vars)
	}
	if o.NonInteractive {
		maps.Copy(vars, nonInteractive)
	}
	for _, entry := range o.EnvSet {
		if name, value, ok := strings.Cut(entry, "="); ok {
			vars[name] = value
		}
	}
	delete(vars, "PWD") // overlay sets it
	delete(vars, "OLDPWD")
	e := listed(vars)
	e.exact = o.EnvironExact
	return e
}

// addMissing gives commands a PATH and a HOME where the server has none.
func addMissing(vars map[string]string) {
	if vars["PATH"] == "" {
		vars["PATH"] = defaultPath
	}
	if vars["HOME"] != "" {
		return
	}
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		vars["HOME"] = u.HomeDir
	}
}

// serverOnly are the variables that configure the server and are no business
// of commands; tokens and keys of its configuration are among them.
func serverOnly(name string) bool {
	return strings.HasPrefix(name, "WHELK_") || name == "MCPGODEBUG"
}

func listed(vars map[string]string) *environ {
	list := make([]string, 0, len(vars)+1)
	for name, value := range vars {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return &environ{vars: vars, list: list}
}

// checkVariables refuses what the kernel or a shell would quietly drop, cut or
// garble (BO-48).
func checkVariables(vars map[string]string) error {
	for name, value := range vars {
		switch {
		case name == "":
			return errorf(InvalidArgument, "env has a variable with an empty name (value %q)", shown(value))
		case strings.ContainsAny(name, "=\x00"):
			return errorf(InvalidArgument, "env: %q is no name of a variable: it contains = or NUL", shown(name))
		case strings.Contains(value, "\x00"):
			return errorf(InvalidArgument, "env.%s: the value contains NUL, which ends a variable: no program could see the rest", shown(name))
		case len(name)+1+len(value) > maxStringBytes:
			return errorf(LimitExceeded, "env.%s: %d bytes with its name; the kernel takes at most %d in one variable (131072 with its end): pass it by stdin or a file", shown(name), len(name)+1+len(value), maxStringBytes)
		}
	}
	return nil
}

// overlay returns e with the caller's variables, which are checked, over it and
// PWD naming dir.
func (e *environ) overlay(vars map[string]string, dir string) *environ {
	if len(vars) == 0 && e.exact {
		return e
	}
	if len(vars) == 0 {
		return &environ{vars: e.vars, list: append(slices.Clip(e.list), "PWD="+dir)}
	}
	merged := make(map[string]string, len(e.vars)+len(vars)+1)
	maps.Copy(merged, e.vars)
	if !e.exact {
		merged["PWD"] = dir
	}
	maps.Copy(merged, vars)
	return listed(merged)
}

// find returns the file of a program: a path as it is, relative to dir; a bare
// name from PATH. Relative and empty entries of PATH are skipped, because they
// would find programs in the workspace. what names the argument in errors.
func (e *environ) find(what, name, dir string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, name)
		}
		if err := executable(path); err != nil {
			return "", &Error{Code: FailedToStart, Err: err, Text: what + " " + shown(path) + ": " + fileReason(err, "file")}
		}
		return path, nil
	}
	denied := ""
	for _, entry := range filepath.SplitList(e.vars["PATH"]) {
		if !filepath.IsAbs(entry) {
			continue
		}
		path := filepath.Join(entry, name)
		switch err := executable(path); {
		case err == nil:
			return path, nil
		case errors.Is(err, fs.ErrPermission) && denied == "":
			denied = path
		}
	}
	if denied != "" {
		return "", errorf(FailedToStart, "%s %s: permission denied: it may not be executed", what, shown(denied))
	}
	return "", errorf(FailedToStart, "%s %s: not found in PATH (%s)", what, shown(name), e.vars["PATH"])
}

// executable reports why path is no program that this process may start.
func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return unix.EISDIR
	}
	return unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS)
}
