package proc

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// process implements [Process] for a child of this process.
//
// One goroutine a process, await, follows it from start to the end of its
// group; the reaper may take its exit first.
type process struct {
	reaper *reaper
	pid    int
	label  label    // 0: none
	stdin  *os.File // nil: none
	output *output

	exited chan struct{}
	gone   chan struct{}
	// stirred gets a token whenever the reaper has seen some child end: time
	// to look at the group again.
	stirred chan struct{}

	mu    sync.Mutex // guards the fields below
	pidfd *os.File   // nil: none, or the group is gone
	exit  Exit       // valid once taken
	taken bool       // the leader has been reaped
	ended bool       // the group was seen gone

	cgroup      *cgroup // nil: none, or given back
	wasInCgroup bool
}

func newProcess(r *reaper) *process {
	return &process{
		reaper:  r,
		exited:  make(chan struct{}),
		gone:    make(chan struct{}),
		stirred: make(chan struct{}, 1),
	}
}

// adopt gives the process its pidfd (-1: the kernel has none) and starts to
// follow it.
func (p *process) adopt(pidfd int) {
	var file *os.File
	if pidfd >= 0 && syscall.SetNonblock(pidfd, true) == nil {
		file = os.NewFile(uintptr(pidfd), "pidfd")
	}
	p.mu.Lock()
	p.pidfd = file
	p.mu.Unlock()
	p.reaper.wg.Go(func() { p.await(file) })
}

func (p *process) PID() int                { return p.pid }
func (p *process) Output() Output          { return p.output }
func (p *process) Exited() <-chan struct{} { return p.exited }
func (p *process) Gone() <-chan struct{}   { return p.gone }

func (p *process) Stdin() Stdin {
	if p.stdin == nil {
		return nil
	}
	return p.stdin
}

// Stages implements [Process].
func (p *process) Stages() []Exit { return nil }

func (p *process) Exit() Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// Poll implements [Process].
func (p *process) Poll() {
	if p.collect() {
		p.look()
	}
}

// collect takes the leader's exit if there is one; it reports whether the
// leader has exited. It is the one place that reaps a leader.
func (p *process) collect() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken {
		return true
	}
	var status syscall.WaitStatus
	var usage syscall.Rusage
	pid, err := wait4(p.pid, &status, &usage)
	if err == nil && pid == 0 {
		return false
	}
	// An error here means that somebody else took the status, which only a
	// broken invariant can cause; the execution must end all the same.
	p.exit = Exit{Code: -1}
	if err == nil {
		p.exit = exitOf(status, &usage)
	}
	p.taken = true
	close(p.exited)
	return true
}

func exitOf(status syscall.WaitStatus, usage *syscall.Rusage) Exit {
	e := Exit{
		Code: status.ExitStatus(), // -1 for a signal
		CPU:  time.Duration(usage.Utime.Nano() + usage.Stime.Nano()),
	}
	if status.Signaled() {
		e.Signal = status.Signal()
	}
	return e
}

// await follows the process to the end of its group.
func (p *process) await(pidfd *os.File) {
	defer p.closePidfd()
	p.awaitLeader(pidfd)
	if p.look() {
		return // the usual case: nothing stayed behind
	}
	p.reaper.watch(p)
	defer p.reaper.unwatch(p)
	for pause := minLookPause; !p.look(); pause = min(2*pause, maxLookPause) {
		p.rest(pause)
	}
}

// closePidfd ends the use of the pidfd. Only await closes it, and without the
// lock: Close waits for a read in progress, which may be in collect.
func (p *process) closePidfd() {
	p.mu.Lock()
	file := p.pidfd
	p.pidfd = nil
	p.mu.Unlock()
	if file != nil {
		_ = file.Close()
	}
}

// awaitLeader waits until the leader has exited: in the poller if there is a
// pidfd, else until the reaper has taken it.
func (p *process) awaitLeader(pidfd *os.File) {
	if pidfd != nil {
		if conn, err := pidfd.SyscallConn(); err == nil {
			// A pidfd becomes readable when its process exits.
			_ = conn.Read(func(uintptr) bool { return p.collect() })
		}
	}
	<-p.exited
}

// How long a group whose leader has exited is left alone until it is looked at
// again, unless a child's end stirs us first. The end of a member is an event;
// that a member left the group by setsid, or was reaped by a parent of its
// own, is not. Most that will leave do so at once, so the pauses start short;
// a server that stays for hours costs one look a second.
const (
	minLookPause = 2 * time.Millisecond
	maxLookPause = time.Second
)

// rest waits until it is worth looking at the group again.
func (p *process) rest(pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-p.stirred:
	case <-p.gone: // somebody else has looked
	case <-timer.C:
	}
}
