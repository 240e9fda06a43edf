package proc

import (
	"errors"
	"fmt"
	"syscall"
)

// StartError says why nothing was started: the step that the kernel refused
// and its reason, with the limit that was hit where there is one.
type StartError struct {
	Step  string // what was being done: "create pipes", "start the process"
	Path  string // the program, if the step is about it
	Limit string // the limit that was hit and how to raise it; empty if none
	Err   error  // usually a syscall.Errno
}

func (e *StartError) Error() string {
	s := e.Step
	if e.Path != "" {
		s += " " + e.Path
	}
	s += ": " + reason(e.Err)
	if e.Limit != "" {
		s += " (" + e.Limit + ")"
	}
	return s
}

func (e *StartError) Unwrap() error { return e.Err }

// startError names the limit behind the errors that a full machine gives.
func startError(step, path string, err error) error {
	return &StartError{Step: step, Path: path, Limit: limitOf(err), Err: err}
}

func limitOf(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE):
		return "the server's limit of open files is reached, RLIMIT_NOFILE: wait for executions to end, or start the server with a higher `ulimit -n`"
	case errors.Is(err, syscall.ENFILE):
		return "the machine's limit of open files is reached, fs.file-max"
	case errors.Is(err, syscall.EAGAIN):
		return "the limit of processes is reached, RLIMIT_NPROC (`ulimit -u`) or the cgroup's pids.max: wait for executions to end, or raise it"
	case errors.Is(err, syscall.ENOMEM):
		return "the machine or the cgroup is out of memory"
	case errors.Is(err, syscall.E2BIG):
		return "one argument or variable is limited to 131072 bytes, and all of them together to a quarter of the stack limit"
	}
	return ""
}

// reason words the two errors whose standard text misleads.
func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return "not a program this machine can run: no #! line and no known binary format"
	case errors.Is(err, syscall.ENOENT):
		return "no such file, or the interpreter that its #! line names is missing"
	case err == nil:
		return "unknown reason"
	}
	return fmt.Sprint(err)
}
