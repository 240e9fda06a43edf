package proc

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// Options configures a [Local].
type Options struct {
	// Containment is what is asked for; see [Local.Containment] for what is
	// had. Anything but Auto that cannot be had is an error.
	Containment Containment

	// Guardian starts a second process, with the first command, that ends
	// everything if this one dies; nil starts none.
	Guardian *GuardianOptions
}

// Local launches processes on this machine. See the package's invariants:
// there is one Local in a process, because it owns all waits.
type Local struct {
	opts       Options
	reaper     *reaper
	guardian   guardian
	devNull    int          // read-only, the input of children without a pipe
	pipeBudget atomic.Int64 // bytes of pipes grown past the default size

	first sync.Once   // guards the choice below, made at the first launch
	had   Containment // what holds
	fault error       // why what was asked for cannot be had
}

// NewLocal starts to reap and, unless Group is asked for, makes this process
// the subreaper of its descendants. Call [Local.Close] when every launched
// process is gone.
func NewLocal(o Options) (*Local, error) {
	devNull, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	subreaper := o.Containment != Group && unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
	l := &Local{opts: o, reaper: newReaper(subreaper), devNull: devNull}
	if o.Guardian != nil && o.Guardian.KeepDetached {
		l.reaper.onGone = func(worn label) { l.tell(wordGone, worn) }
	}
	return l, nil
}

// Close stops reaping, dismisses the guardian, and waits until all goroutines
// of Local have ended.
func (l *Local) Close() {
	l.guardian.dismiss()
	l.reaper.close()
	if l.reaper.cgroups != nil {
		l.reaper.cgroups.close()
	}
	_ = unix.Close(l.devNull)
}

// Containment returns what holds the processes of a command together here, and
// why it is not the best (nil if it is, or if less was asked for).
func (l *Local) Containment() (Containment, error) {
	l.first.Do(l.choose)
	return l.had, l.fault
}

// choose finds out what this machine allows by trying it, off the path of the
// server's first answer.
func (l *Local) choose() {
	l.had = Group
	if l.reaper.subreaper {
		l.had = Subreaper
	}
	if l.opts.Containment != Auto && l.opts.Containment != Cgroup {
		if l.had != l.opts.Containment {
			l.fault = fmt.Errorf("this kernel does not let a process adopt orphans (PR_SET_CHILD_SUBREAPER)")
		}
		return
	}
	groups, err := newCgroups()
	if err != nil {
		l.fault = err
		return
	}
	l.reaper.cgroups, l.had = groups, Cgroup
}

// Launch implements [Launcher].
func (l *Local) Launch(spec *Spec) (Process, error) {
	if had, fault := l.Containment(); l.opts.Containment != Auto && l.opts.Containment != had {
		return nil, &StartError{Step: "contain processes by " + l.opts.Containment.String(), Err: fault}
	}
	guarded := l.guard()
	files, err := openFiles(spec, l.devNull)
	if err != nil {
		return nil, err
	}
	output, err := newOutput(files.stdout, files.stderr, &l.pipeBudget)
	files.stdout, files.stderr = -1, -1 // taken over
	if err != nil {
		files.close()
		return nil, startError("wait for output", "", err)
	}
	<-guarded
	stages, err := l.startStages(spec, files)
	files.closeTheirs()
	if err != nil {
		files.closeOurs()
		output.Close()
		return nil, err
	}
	var stdin *os.File
	if files.stdin >= 0 {
		stdin = os.NewFile(uintptr(files.stdin), "stdin")
	}
	if len(stages) > 1 {
		return newPipeline(l.reaper, stages, stdin, output), nil
	}
	stages[0].stdin, stages[0].output = stdin, output
	return stages[0], nil
}

// startStages starts all stages, or none. The last is started first: when one
// of them cannot be, those that run already have had no input yet, so that as
// little as possible has happened.
func (l *Local) startStages(spec *Spec, files *files) ([]*process, error) {
	stages := make([]*process, 1+len(spec.Next))
	for i := len(stages) - 1; i >= 0; i-- {
		program := Stage{Path: spec.Path, Argv: spec.Argv}
		if i > 0 {
			program = spec.Next[i-1]
		}
		p := newProcess(l.reaper)
		attr := &syscall.ProcAttr{Dir: spec.Dir, Env: spec.Env, Files: files.stages[i]}
		pidfd, err := l.fork(p, &program, attr)
		if err != nil {
			abandon(stages[i+1:])
			return nil, startError("start", program.Path, err)
		}
		l.tell(wordLive, p.label)
		p.adopt(pidfd)
		stages[i] = p
	}
	return stages, nil
}

// fork starts the child in a session, and where there are any in a control
// group, of its own.
func (l *Local) fork(p *process, program *Stage, attr *syscall.ProcAttr) (pidfd int, err error) {
	pidfd = -1
	sys := &syscall.SysProcAttr{Setsid: true, PidFD: &pidfd}
	if groups := l.reaper.cgroups; groups != nil {
		group, err := groups.acquire()
		if err != nil {
			return -1, err
		}
		p.cgroup, p.wasInCgroup = group, true
		sys.UseCgroupFD, sys.CgroupFD = true, group.fd
	}
	attr.Sys = sys
	err = l.reaper.start(p, true, func() (int, error) {
		return syscall.ForkExec(program.Path, program.Argv, attr)
	})
	if err != nil {
		p.releaseCgroupLocked() // nobody else knows p
	}
	return pidfd, err
}

// Strays lists what lives below this process and belongs to no command that
// can be named: orphans that wear no label of ours, because they took it off
// or because this machine has none.
func (l *Local) Strays() []Member { return exported(l.strays()) }

// SignalStrays sends sig to all of [Local.Strays].
func (l *Local) SignalStrays(sig syscall.Signal) {
	_, _ = signalAll(sig, l.strays, func(*member) bool { return false })
}

func (l *Local) strays() []member {
	ours := l.reaper.labels.server
	return descend(l.reaper.orphans(func(worn label) bool { return ours == 0 || worn.server() != ours }))
}
