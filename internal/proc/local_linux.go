package proc

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// Local launches processes on this machine. See the package's invariants:
// there is one Local in a process, because it owns all waits.
type Local struct {
	reaper     *reaper
	devNull    int          // read-only, the input of children without a pipe
	pipeBudget atomic.Int64 // bytes of pipes grown past the default size
}

// NewLocal makes this process the subreaper of its descendants and starts to
// reap. Call [Local.Close] when every launched process is gone.
func NewLocal() (*Local, error) {
	devNull, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	// Without it (no supported kernel refuses it) orphans go to PID 1, and
	// their end is found by asking now and then.
	subreaper := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
	return &Local{reaper: newReaper(subreaper), devNull: devNull}, nil
}

// Close stops reaping and waits until the reaper's goroutine has ended.
func (l *Local) Close() {
	l.reaper.close()
	_ = unix.Close(l.devNull)
}

// Launch implements [Launcher].
func (l *Local) Launch(spec *Spec) (Process, error) {
	files, err := l.open(spec)
	if err != nil {
		return nil, err
	}
	pidfd := -1
	attr := &syscall.ProcAttr{
		Dir:   spec.Dir,
		Env:   spec.Env,
		Files: files.child,
		Sys:   &syscall.SysProcAttr{Setsid: true, PidFD: &pidfd},
	}
	p := newProcess(l.reaper)
	err = l.reaper.start(p, func() (int, error) {
		return syscall.ForkExec(spec.Path, spec.Argv, attr)
	})
	files.closeChildEnds(l.devNull)
	if err != nil {
		files.closeParentEnds()
		return nil, startError("start", spec.Path, err)
	}
	p.stdout = newOutput(files.stdout, "stdout", &l.pipeBudget)
	p.stderr = newOutput(files.stderr, "stderr", &l.pipeBudget)
	if files.stdin >= 0 {
		p.stdin = os.NewFile(uintptr(files.stdin), "stdin")
	}
	p.adopt(pidfd)
	return p, nil
}

// files are the descriptors of one launch: the child's, in the order in which
// it sees them, and the ends that stay here (-1: none).
type files struct {
	child                 []uintptr
	stdin, stdout, stderr int
}

// open makes the pipes and the script file of a launch, or nothing at all.
func (l *Local) open(spec *Spec) (_ *files, err error) {
	f := &files{stdin: -1, stdout: -1, stderr: -1}
	defer func() {
		if err != nil {
			f.closeChildEnds(l.devNull)
			f.closeParentEnds()
		}
	}()
	if spec.Stdin {
		p, err := newPipe(1)
		if err != nil {
			return nil, startError("create the input pipe", "", err)
		}
		f.stdin = p[1]
		f.child = append(f.child, uintptr(p[0]))
	} else {
		f.child = append(f.child, uintptr(l.devNull))
	}
	for _, end := range []*int{&f.stdout, &f.stderr} {
		p, err := newPipe(0)
		if err != nil {
			return nil, startError("create an output pipe", "", err)
		}
		*end = p[0]
		f.child = append(f.child, uintptr(p[1]))
	}
	if spec.Script != "" {
		fd, err := scriptFile(spec.Script)
		if err != nil {
			return nil, startError("hand over the command text", "", err)
		}
		f.child = append(f.child, uintptr(fd))
	}
	return f, nil
}

func (f *files) closeChildEnds(devNull int) {
	for _, fd := range f.child {
		if int(fd) != devNull {
			_ = unix.Close(int(fd))
		}
	}
}

func (f *files) closeParentEnds() {
	for _, fd := range []int{f.stdin, f.stdout, f.stderr} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
