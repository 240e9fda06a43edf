package proc

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// ErrGone is returned by [Process.Signal] when the group has no member left.
var ErrGone = errors.New("the process group has ended")

// Spec says what to start. Everything in it is resolved: nothing is looked up,
// expanded or searched on PATH when it is launched.
type Spec struct {
	Path string   // the program's file, absolute or relative to Dir
	Argv []string // all arguments, Argv[0] (the name shown) included
	Dir  string   // working directory, absolute
	Env  []string // the whole environment, NAME=value

	// Stdin asks for a pipe as standard input, see [Process.Stdin]. The zero
	// value gives the child an empty input (/dev/null).
	Stdin bool

	// In and Out are the files that take the place of standard input and
	// output; nil: none. A pipe that a file has replaced is at its end. The
	// files stay the caller's, who may close them after the launch.
	In, Out *os.File

	// Next are the further stages of a pipeline: each reads what the one
	// before it writes, and the output of the last is the command's. All of
	// them write to one standard error.
	Next []Stage

	// Script, when not empty, is handed to the child as descriptor 3: a sealed
	// file in memory, readable as [ScriptPath]. It exists because one argument
	// may not be longer than 131,071 bytes on Linux, whatever ARG_MAX says.
	Script string
}

// Stage is a program of a pipeline after the first one, which shares directory
// and environment with it. The fields mean what those of [Spec] mean.
type Stage struct {
	Path    string
	Argv    []string
	In, Out *os.File
}

// ScriptPath is where a child finds its [Spec.Script].
const ScriptPath = "/proc/self/fd/3"

// Exit is how a leader ended.
type Exit struct {
	Code   int            // exit status 0 to 255; -1 if a signal ended it
	Signal syscall.Signal // the signal that ended it; 0 if it exited by itself
	CPU    time.Duration  // user and system time of the leader and the children it waited for
}

// A Launcher starts processes. [Local] starts them on this machine; tests give
// package execution a launcher that starts none.
type Launcher interface {
	// Launch starts what spec says. When it returns an error nothing was
	// started and nothing is left open; the error is a [*StartError] if the
	// kernel refused.
	Launch(spec *Spec) (Process, error)
}

// Stdin is the writing end of a child's standard input. Writes block while the
// pipe is full, until the deadline; Close gives the child end-of-file and
// unblocks a blocked write.
type Stdin interface {
	io.WriteCloser
	SetWriteDeadline(t time.Time) error
}

// Process is one started command: its leader, its group and its pipes. The
// stages of a pipeline have a leader and a group each, and are one tree. All
// methods are safe for concurrent use.
type Process interface {
	// PID is the leader's process id, which is also the number of its group
	// and of its session. Of a pipeline it is the last stage's.
	PID() int

	// Stdin is nil unless [Spec.Stdin] asked for it.
	Stdin() Stdin

	// Output is the reading end of the child's standard output and error.
	Output() Output

	// Exited is closed when the leader has exited, in a pipeline all leaders;
	// Exit is valid from then on. Of a pipeline it is the last stage's, with
	// the CPU time of all.
	Exited() <-chan struct{}
	Exit() Exit

	// Stages are the exits of all stages of a pipeline in their order, valid
	// once Exited is closed; nil for a single program. A stage whose reader
	// ends before it has usually died of SIGPIPE.
	Stages() []Exit

	// Gone is closed when no member of the group is left, in a pipeline of any
	// group. It is never closed before Exited.
	Gone() <-chan struct{}

	// Poll looks right now whether the leader has exited and the group is
	// gone, so that a caller whose timer has fired can let an exit win that
	// happened before it.
	Poll()

	// Signal sends sig to the whole tree: the group, and what has left it, as
	// far as the containment can find it (see [Containment]). A stopped member
	// is continued, so that it can act on the signal. It returns what it found
	// alive, and [ErrGone] if that is nothing; a group that was seen gone is
	// never signalled again.
	Signal(sig syscall.Signal) ([]Member, error)

	// Tree lists the living members of the tree, zombies apart. After Gone it
	// is what the command left behind in sessions or groups of its own.
	Tree() []Member
}

// Stream is one of the two output streams of a child.
type Stream uint8

const (
	Stdout Stream = iota
	Stderr
)

// Output is the reading end of both output streams of a child.
type Output interface {
	// Each calls sink with every piece of output, in the order in which the
	// streams became readable, and returns when both are at their end (all
	// their writers are gone) or after Close. An empty piece is the end of a
	// stream. A piece is only valid during the call. Each must be called once
	// at most.
	Each(sink func(s Stream, piece []byte))

	// Close ends a running Each at once; what was not read by then is lost,
	// and writers get SIGPIPE. It may be called at any time, many times.
	Close()
}
