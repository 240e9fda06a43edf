package execution

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"whelk/internal/command"
	"whelk/internal/proc"
)

// RedirectFault is why a file of a redirection is refused.
type RedirectFault uint8

const (
	FileAbsolute    RedirectFault = iota // its name is no relative path
	FileAbove                            // its name contains ..
	FileOutside                          // a symbolic link leads out of the directory
	FileIrregular                        // it is a FIFO, a device or a socket
	FileUnavailable                      // it cannot be opened
)

// RedirectError says which redirection of an argv is refused, and why.
type RedirectError struct {
	Redirection command.Redirection
	Fault       RedirectFault
	Err         error // what the system said; nil unless FileUnavailable
}

func (e *RedirectError) Error() string {
	why := "it leads out of the working directory by a symbolic link, which no redirection may"
	switch e.Fault {
	case FileAbsolute:
		why = "the file must be named relative to the working directory"
	case FileAbove:
		why = "the file must lie in the working directory: its name may not contain .."
	case FileOutside:
	case FileIrregular:
		why = "it is a FIFO, a device or a socket; redirections open regular files alone"
	case FileUnavailable:
		why = fileReason(e.Err, "file or directory")
	}
	return fmt.Sprintf("argv[%d] %s %s: %s", e.Redirection.Index, e.Redirection.Op, shown(e.Redirection.File), why)
}

func (e *RedirectError) Unwrap() error { return e.Err }

// code is the code of the fault: what is written wrong, or what is there.
func (f RedirectFault) code() Code {
	if f == FileUnavailable {
		return FailedToStart
	}
	return InvalidArgument
}

func redirectError(r command.Redirection, f RedirectFault, err error) *Error {
	e := &RedirectError{Redirection: r, Fault: f, Err: err}
	return &Error{Code: f.code(), Text: e.Error(), Err: e}
}

// redirected are the files of one launch, all in the working directory.
type redirected struct {
	dir     *os.Root // nil: there are no redirections
	files   []*os.File
	created []string // the names of those that were not there before
}

// redirect opens the files of all redirections and puts them into spec. Of
// several for the same descriptor of a stage the last counts, and the others
// are not touched (as in mcp-shell-server). Existing files are emptied only
// when all could be opened; where one cannot be, nothing has changed.
func redirect(spec *proc.Spec, stages []command.Stage) (*redirected, error) {
	r := new(redirected)
	all := 0
	for _, st := range stages {
		all += len(st.Redirections)
		for _, redirection := range st.Redirections {
			if err := contained(redirection); err != nil {
				return nil, err
			}
		}
	}
	if all == 0 {
		return r, nil
	}
	var err error
	if r.dir, err = os.OpenRoot(spec.Dir); err != nil {
		return nil, &Error{Code: FailedToStart, Err: err, Text: fmt.Sprintf("cwd %s: %s", shown(spec.Dir), fileReason(err, "directory"))}
	}
	if err := r.openAll(spec, stages); err != nil {
		r.undo()
		r.close()
		return nil, err
	}
	return r, nil
}

// contained refuses names that cannot lie in the directory, or look as if they
// need not.
func contained(r command.Redirection) error {
	if filepath.IsAbs(r.File) {
		return redirectError(r, FileAbsolute, nil)
	}
	if slices.Contains(strings.Split(r.File, "/"), "..") {
		return redirectError(r, FileAbove, nil)
	}
	return nil
}

func (r *redirected) openAll(spec *proc.Spec, stages []command.Stage) error {
	var emptied []*os.File
	for _, reads := range []bool{true, false} { // what is only read cannot change anything
		for i, st := range stages {
			redirection, ok := lastOf(st.Redirections, reads)
			if !ok {
				continue
			}
			f, err := r.open(redirection)
			if err != nil {
				return err
			}
			if redirection.Op == ">" {
				emptied = append(emptied, f)
			}
			*standardFile(spec, i, reads) = f
		}
	}
	for _, f := range emptied {
		if err := f.Truncate(0); err != nil {
			return &Error{Code: FailedToStart, Err: err, Text: "empty the file of a redirection: " + err.Error()}
		}
	}
	return nil
}

// lastOf is the redirection of standard input or output that counts.
func lastOf(list []command.Redirection, reads bool) (command.Redirection, bool) {
	for _, r := range slices.Backward(list) {
		if r.Reads() == reads {
			return r, true
		}
	}
	return command.Redirection{}, false
}

// standardFile is the place in spec for the input or output of a stage.
func standardFile(spec *proc.Spec, stage int, reads bool) **os.File {
	switch {
	case stage == 0 && reads:
		return &spec.In
	case stage == 0:
		return &spec.Out
	case reads:
		return &spec.Next[stage-1].In
	}
	return &spec.Next[stage-1].Out
}

// open opens the file of a redirection, without emptying it. What is no regular
// file is not opened at all, since that can have effects of its own, nor, if it
// has just become one, waited for.
func (r *redirected) open(redirection command.Redirection) (*os.File, error) {
	name := redirection.File
	flags := unix.O_NONBLOCK | unix.O_NOCTTY
	switch redirection.Op {
	case "<":
		flags |= os.O_RDONLY
	case ">":
		flags |= os.O_WRONLY | os.O_CREATE
	case ">>":
		flags |= os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	if info, err := r.dir.Stat(name); err == nil {
		if err := regular(redirection, info); err != nil {
			return nil, err
		}
	}
	_, missing := r.dir.Lstat(name)
	f, err := r.dir.OpenFile(name, flags, 0o666)
	if err != nil {
		return nil, redirectError(redirection, faultOf(err), err)
	}
	r.files = append(r.files, f)
	if errors.Is(missing, fs.ErrNotExist) {
		r.created = append(r.created, name)
	}
	info, err := f.Stat()
	if err == nil {
		err = unix.SetNonblock(int(f.Fd()), false) // programs expect to wait
	}
	if err != nil {
		return nil, redirectError(redirection, FileUnavailable, err)
	}
	return f, regular(redirection, info)
}

func regular(redirection command.Redirection, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return redirectError(redirection, FileUnavailable, unix.EISDIR)
	case !info.Mode().IsRegular():
		return redirectError(redirection, FileIrregular, nil)
	}
	return nil
}

// faultOf tells what os.Root refuses from what the system does, which has a
// number.
func faultOf(err error) RedirectFault {
	if _, system := errors.AsType[syscall.Errno](err); system {
		return FileUnavailable
	}
	return FileOutside
}

// undo removes what was created for a launch that failed and is still empty.
func (r *redirected) undo() {
	for _, name := range r.created {
		if info, err := r.dir.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			_ = r.dir.Remove(name)
		}
	}
}

// close closes the server's ends of the files.
func (r *redirected) close() {
	for _, f := range r.files {
		_ = f.Close()
	}
	if r.dir != nil {
		_ = r.dir.Close()
	}
}
