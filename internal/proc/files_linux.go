package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// files are the descriptors of one launch.
type files struct {
	// stages has the descriptors of each child, in the order in which it sees
	// them.
	stages [][]uintptr
	// theirs are those that were opened for the children.
	theirs []int
	// The ends that stay here; -1: none.
	stdin, stdout, stderr int
}

// openFiles makes the pipes and the script file of a launch, or nothing at all.
// The pipes between stages belong to the children alone.
func openFiles(spec *Spec, devNull int) (_ *files, err error) {
	f := &files{stages: make([][]uintptr, 1+len(spec.Next)), stdin: -1, stdout: -1, stderr: -1}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	in := devNull
	if spec.Stdin && spec.In == nil {
		if in, f.stdin, err = f.pipeFrom(); err != nil {
			return nil, startError("create the input pipe", "", err)
		}
	}
	var out, errs int
	for _, end := range []struct{ ours, theirs *int }{{&f.stdout, &out}, {&f.stderr, &errs}} {
		if *end.ours, *end.theirs, err = f.pipeTo(); err != nil {
			return nil, startError("create an output pipe", "", err)
		}
	}
	replaceIn, replaceOut := spec.In, spec.Out
	for i, next := range spec.Next {
		from, to, err := f.pipeBetween()
		if err != nil {
			return nil, startError("create the pipe between two programs", "", err)
		}
		f.stages[i] = standard(in, to, errs, replaceIn, replaceOut)
		in, replaceIn, replaceOut = from, next.In, next.Out
	}
	f.stages[len(spec.Next)] = standard(in, out, errs, replaceIn, replaceOut)
	if spec.Script != "" {
		fd, err := scriptFile(spec.Script)
		if err != nil {
			return nil, startError("hand over the command text", "", err)
		}
		f.theirs = append(f.theirs, fd)
		f.stages[0] = append(f.stages[0], uintptr(fd))
	}
	return f, nil
}

// standard are the standard descriptors of a child: pipes, or the files that
// take their place.
func standard(in, out, errs int, replaceIn, replaceOut *os.File) []uintptr {
	three := []uintptr{uintptr(in), uintptr(out), uintptr(errs)}
	if replaceIn != nil {
		three[0] = replaceIn.Fd()
	}
	if replaceOut != nil {
		three[1] = replaceOut.Fd()
	}
	return three
}

// pipeFrom makes a pipe that a child reads and this process writes.
func (f *files) pipeFrom() (theirs, ours int, err error) {
	p, err := newPipe(1)
	if err != nil {
		return -1, -1, err
	}
	f.theirs = append(f.theirs, p[0])
	return p[0], p[1], nil
}

// pipeTo makes a pipe that this process reads and children write.
func (f *files) pipeTo() (ours, theirs int, err error) {
	p, err := newPipe(0)
	if err != nil {
		return -1, -1, err
	}
	f.theirs = append(f.theirs, p[1])
	return p[0], p[1], nil
}

// pipeBetween makes a pipe between two children. It blocks at both ends, as
// programs expect.
func (f *files) pipeBetween() (from, to int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	f.theirs = append(f.theirs, p[0], p[1])
	return p[0], p[1], nil
}

func (f *files) close() {
	f.closeTheirs()
	f.closeOurs()
}

func (f *files) closeTheirs() {
	for _, fd := range f.theirs {
		_ = unix.Close(fd)
	}
	f.theirs = nil
}

func (f *files) closeOurs() {
	for _, fd := range []int{f.stdin, f.stdout, f.stderr} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
