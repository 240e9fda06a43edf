package proc

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// GuardianOptions says how to start the guardian, the process that ends the
// trees of a server that has died. It is this same program, started again with
// an argument that makes it call [Guard].
type GuardianOptions struct {
	Argv  []string      // its arguments, the name included
	Grace time.Duration // between SIGTERM and SIGKILL

	// KeepDetached spares what commands left behind whose group is gone. The
	// guardian is then told of each launch and each end.
	KeepDetached bool
}

// order is what the server tells its guardian at the start.
type order struct {
	Server label         `json:"server"` // whose trees they are
	Grace  time.Duration `json:"grace"`
	Cgroup string        `json:"cgroup,omitempty"` // the directory of the control groups
	Keep   bool          `json:"keep,omitempty"`   // spare the trees that are not named as live
}

// The words of the pipe after the order, a line each. A number is a label's.
const (
	wordLive = "live " // number: a command has started
	wordGone = "gone " // number: its group has ended
	wordRest = "rest " // nanoseconds: the server ends in order, the trees are signalled
)

// guardian is the server's side: the writing end of the one pipe that the
// guardian process has. When it closes, for whatever reason, the guardian acts.
type guardian struct {
	once  sync.Once
	ready chan struct{} // closed when it is there, or cannot be

	mu        sync.Mutex // guards the fields below
	process   *process   // nil: none
	pipe      int        // valid if process is not nil
	dismissed bool
}

// guard starts the guardian with the first launch, which waits for what it returns
// before it starts anything: a server that is killed as soon as its first command
// runs must leave nothing either.
func (l *Local) guard() (ready <-chan struct{}) {
	g := &l.guardian
	g.once.Do(func() {
		g.ready = make(chan struct{})
		// When PID 1 dies the kernel ends everything with it, a guardian too.
		if l.opts.Guardian == nil || l.reaper.labels.server == 0 || os.Getpid() == 1 {
			close(g.ready)
			return
		}
		l.reaper.wg.Go(ReserveThreads)
		l.reaper.wg.Go(func() {
			// A server without a guardian still ends its trees when it ends
			// in order; `whelk doctor` tells what is missing.
			_ = l.startGuardian()
			close(g.ready)
		})
	})
	return g.ready
}

func (l *Local) startGuardian() error {
	given := order{Server: l.reaper.labels.server, Grace: l.opts.Guardian.Grace, Keep: l.opts.Guardian.KeepDetached}
	if l.reaper.cgroups != nil {
		given.Cgroup = l.reaper.cgroups.dir
	}
	text, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("write the guardian's order: %w", err)
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("create the guardian's pipe: %w", err)
	}
	null, err := unix.Open(os.DevNull, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Close(pipe[0])
		unix.Close(pipe[1])
		return fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	pidfd := -1
	p := newProcess(l.reaper)
	err = l.reaper.start(p, false, func() (int, error) {
		return syscall.ForkExec("/proc/self/exe", l.opts.Guardian.Argv, &syscall.ProcAttr{
			Dir:   "/",
			Env:   []string{"GOMAXPROCS=1"}, // nothing else: no secret, and little memory
			Files: []uintptr{uintptr(pipe[0]), uintptr(null), uintptr(null)},
			Sys:   &syscall.SysProcAttr{Setsid: true, PidFD: &pidfd},
		})
	})
	unix.Close(pipe[0])
	unix.Close(null)
	if err != nil {
		unix.Close(pipe[1])
		return startError("start the guardian", "", err)
	}
	p.adopt(pidfd)
	return l.instruct(p, pipe[1], append(text, '\n'), given.Keep)
}

// instruct gives the started guardian its order and makes it known, unless it
// has been dismissed already. The lock is held throughout, so that an end that
// happens meanwhile is told after the order that still names it as live.
func (l *Local) instruct(p *process, pipe int, text []byte, keep bool) error {
	g := &l.guardian
	g.mu.Lock()
	defer g.mu.Unlock()
	if keep {
		for _, worn := range l.reaper.liveLabels() {
			text = fmt.Appendf(text, "%s%d\n", wordLive, worn)
		}
	}
	_, err := unix.Write(pipe, text)
	g.process, g.pipe = p, pipe
	if g.dismissed {
		g.endLocked()
	}
	return err
}

// tell passes a word about a command to a guardian that has to know.
func (l *Local) tell(word string, worn label) {
	if l.opts.Guardian == nil || !l.opts.Guardian.KeepDetached {
		return
	}
	l.guardian.mu.Lock()
	defer l.guardian.mu.Unlock()
	if l.guardian.process != nil && !l.guardian.dismissed {
		_, _ = unix.Write(l.guardian.pipe, fmt.Appendf(nil, "%s%d\n", word, worn))
	}
}

// HandOver tells the guardian that this process ends in order and that the
// trees, signalled by now, have rest left until SIGKILL. It reports whether
// there is a guardian to do it. The guardian begins when this process has
// ended.
func (l *Local) HandOver(rest time.Duration) bool {
	l.guardian.mu.Lock()
	defer l.guardian.mu.Unlock()
	if l.guardian.process == nil || closed(l.guardian.process.exited) {
		return false
	}
	_, err := unix.Write(l.guardian.pipe, fmt.Appendf(nil, "%s%d\n", wordRest, max(rest, 0)))
	return err == nil
}

// dismiss ends the guardian: nothing is left for it to do.
func (g *guardian) dismiss() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.process != nil && !g.dismissed {
		g.endLocked()
	}
	g.dismissed = true
}

// endLocked ends the guardian process. SIGKILL, because it may still be
// starting, and has nothing to tidy up. g.mu is held.
func (g *guardian) endLocked() {
	_ = g.process.signalGroup(syscall.SIGKILL)
	_ = unix.Close(g.pipe)
}
