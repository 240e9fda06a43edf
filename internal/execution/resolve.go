package execution

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"whelk/internal/command"
	"whelk/internal/policy"
	"whelk/internal/principal"
	"whelk/internal/proc"
)

// maxStringBytes is the longest argument or NAME=value that the kernel takes:
// 32 pages less the final NUL (MAX_ARG_STRLEN), whatever ARG_MAX says.
const maxStringBytes = 32*4096 - 1

// resolve turns a request into something that can be launched, or says which
// part of it cannot be, or may not. The stages of an argv are returned as well,
// for their redirections. Nothing has been started when it fails.
func (s *Supervisor) resolve(r *Request, who principal.Principal) (*proc.Spec, []command.Stage, error) {
	if err := checkRequest(r); err != nil {
		return nil, nil, err
	}
	dir, dirErr := s.resolveDir(r.Dir)
	judged, err := s.admit(r, who, dir)
	if err != nil {
		return nil, nil, err // before dirErr: whether a directory exists is nobody's business who may not use it
	}
	if dirErr != nil {
		return nil, nil, dirErr
	}
	env := s.base.overlay(r.Env, dir)
	spec := &proc.Spec{Dir: dir, Env: env.list, Stdin: r.KeepInput || r.Input != ""}
	if r.Command != nil {
		err = s.resolveCommand(spec, r.Shell, judged.Text, env)
	} else {
		err = resolveStages(spec, judged.Stages, env)
	}
	if err != nil {
		return nil, nil, err
	}
	return spec, judged.Stages, nil
}

func checkRequest(r *Request) error {
	switch {
	case r.Command == nil && len(r.Argv) == 0:
		return errorf(InvalidArgument, "nothing to run: give command (text for the shell) or argv (a program and its arguments)")
	case r.Command != nil && len(r.Argv) > 0:
		return errorf(InvalidArgument, "command and argv exclude each other: give one of them")
	case r.Command != nil && strings.Contains(*r.Command, "\x00"):
		return errorf(InvalidArgument, "command contains NUL at byte %d: no shell can take it; to print one use printf '\\0'", strings.IndexByte(*r.Command, 0))
	case strings.Contains(r.Shell, "\x00"):
		return errorf(InvalidArgument, "shell contains NUL")
	case strings.Contains(r.Dir, "\x00"):
		return errorf(InvalidArgument, "cwd contains NUL")
	}
	for i, arg := range r.Argv {
		switch {
		case strings.Contains(arg, "\x00"):
			return errorf(InvalidArgument, "argv[%d] contains NUL: no program can take it", i)
		case len(arg) > maxStringBytes:
			return errorf(LimitExceeded, "argv[%d] has %d bytes; the kernel takes at most %d in one argument (MAX_ARG_STRLEN 131072 with its end): pass it by stdin or a file", i, len(arg), maxStringBytes)
		}
	}
	if len(r.Argv) > 0 {
		if err := checkStages(r); err != nil {
			return err
		}
	}
	return checkVariables(r.Env)
}

// resolveDir makes the working directory absolute and real (symbolic links
// resolved), so that what is checked, shown and used is the same. Of one that
// cannot be used it returns the absolute path with the error.
func (s *Supervisor) resolveDir(dir string) (string, error) {
	abs := s.opts.Dir
	if filepath.IsAbs(dir) {
		abs = dir
	} else if dir != "" {
		abs = filepath.Join(s.opts.Dir, dir)
	}
	found := abs
	real, err := filepath.EvalSymlinks(abs)
	if err == nil {
		found, err = real, enterable(real)
	}
	if outside := s.inRoots(found); outside != nil {
		return abs, outside
	}
	if err == nil {
		return real, nil
	}
	hint := ""
	if strings.HasPrefix(dir, "~") {
		hint = "; ~ is not expanded, give the whole path"
	}
	return abs, &Error{Code: FailedToStart, Err: err, Text: fmt.Sprintf("cwd %s: %s%s", shown(abs), fileReason(err, "directory"), hint)}
}

// inRoots refuses a directory outside of Options.Roots, whether it exists or not.
// Where a command goes on its own is no business of theirs: that is the policy's.
func (s *Supervisor) inRoots(dir string) error {
	if len(s.opts.Roots) == 0 {
		return nil
	}
	if _, err := policy.CheckRoots(dir, s.opts.Roots); err != nil {
		return &Error{Code: PolicyDenied, Text: err.Error(), Err: err}
	}
	return nil
}

// enterable reports why path is no directory that this process may enter.
func enterable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return unix.ENOTDIR
	}
	return unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS)
}

// fileReason words why a path cannot be used as what it should be.
func fileReason(err error, what string) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such " + what
	case errors.Is(err, unix.ENOTDIR):
		return "not a directory"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return err.Error()
}

// resolveCommand has the shell run the text: as an argument, or, when the text
// is too long for one, from a file that only the shell sees.
func (s *Supervisor) resolveCommand(spec *proc.Spec, shell, text string, env *environ) error {
	if shell == "" {
		shell = s.opts.Shell
	}
	path, err := env.find("shell", shell, spec.Dir)
	if err != nil {
		return err
	}
	spec.Path = path
	if len(text) <= maxStringBytes {
		spec.Argv = []string{shell, "-c", text}
		return nil
	}
	source := sources[filepath.Base(path)]
	if source == "" {
		// An interpreter that is no POSIX shell reads the file as its script.
		spec.Argv, spec.Script = []string{shell, proc.ScriptPath}, text
		return nil
	}
	// Sourced from -c, the text sees the same $0, arguments and standard input
	// as if it were the argument itself. Its first act is to close the file,
	// on its first line, so that no program inherits it and line numbers stay.
	spec.Argv = []string{shell, "-c", source}
	spec.Script = "exec 3<&-;" + text
	return nil
}

// sources are the shells that know the file at hand as POSIX says, and how
// each reads it without changing $0.
var sources = map[string]string{
	"sh": sourceByDot, "ash": sourceByDot, "bash": sourceByDot, "dash": sourceByDot,
	"ksh": sourceByDot, "mksh": sourceByDot, "yash": sourceByDot,
	"zsh": `eval "$(<` + proc.ScriptPath + `)"`, // its dot makes the file's name $0
}

const sourceByDot = ". " + proc.ScriptPath
