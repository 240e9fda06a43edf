package proc

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reaper takes the exits of all children of this process: leaders, whose
// status belongs to their [process], and orphans, whose status nobody wants.
//
// It is woken by SIGCHLD and looks at one dead child at a time without taking
// it, so that it can never steal a leader's status (BO-12: a plain wait for
// any child stole 163 of 300).
type reaper struct {
	subreaper bool
	children  childList
	cgroups   *cgroups    // nil: none
	onGone    func(label) // if not nil, told of the end of each group
	signals   chan os.Signal
	wake      chan struct{} // the starts have finished: look again
	stop      chan struct{}
	done      chan struct{}
	wg        sync.WaitGroup // the await goroutines of all processes

	// forking is held over each fork: this process wears the child's label
	// meanwhile. Forks exclude each other in Go anyway.
	forking sync.Mutex
	labels  *labels // used under forking

	mu       sync.Mutex            // guards the fields below
	leaders  map[int]*process      // by pid, until their group is gone
	watchers map[*process]struct{} // leader exited, group alive
	starting int                   // forks whose pid is not known yet
	deferred bool                  // a dead child was left alone because of them
}

func newReaper(subreaper bool) *reaper {
	r := &reaper{
		subreaper: subreaper,
		signals:   make(chan os.Signal, 1), // a lost SIGCHLD is covered by the pending one
		wake:      make(chan struct{}, 1),
		stop:      make(chan struct{}),
		done:      make(chan struct{}),
		labels:    newLabels(),
		children:  openChildList(),
		leaders:   make(map[int]*process),
		watchers:  make(map[*process]struct{}),
	}
	signal.Notify(r.signals, syscall.SIGCHLD)
	go r.run()
	return r
}

func (r *reaper) close() {
	r.wg.Wait()
	signal.Stop(r.signals)
	close(r.stop)
	<-r.done
	r.children.close()
}

// start forks by fork and enters the leader before anybody can take its
// exit for an orphan's. labelled says whether the child gets a label.
func (r *reaper) start(p *process, labelled bool, fork func() (int, error)) error {
	r.mu.Lock()
	r.starting++
	r.mu.Unlock()

	pid, err := r.fork(p, labelled, fork)

	r.mu.Lock()
	r.starting--
	if err == nil {
		p.pid = pid
		r.leaders[pid] = p
	}
	again := r.deferred && r.starting == 0
	r.deferred = r.deferred && !again
	r.mu.Unlock()
	if again {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
	return err
}

func (r *reaper) fork(p *process, labelled bool, fork func() (int, error)) (int, error) {
	r.forking.Lock()
	defer r.forking.Unlock()
	if labelled {
		p.label = r.labels.next()
	}
	if p.label != 0 {
		r.labels.wear(p.label)
		defer r.labels.wear(0)
	}
	return fork()
}

func (r *reaper) forget(p *process) {
	r.mu.Lock()
	delete(r.leaders, p.pid)
	r.mu.Unlock()
	if r.onGone != nil && p.label != 0 {
		r.onGone(p.label)
	}
}

// liveLabels returns the labels of all commands whose group lives.
func (r *reaper) liveLabels() []label {
	r.mu.Lock()
	defer r.mu.Unlock()
	var live []label
	for _, p := range r.leaders {
		if p.label != 0 {
			live = append(live, p.label)
		}
	}
	return live
}

func (r *reaper) watch(p *process) {
	r.mu.Lock()
	r.watchers[p] = struct{}{}
	r.mu.Unlock()
}

func (r *reaper) unwatch(p *process) {
	r.mu.Lock()
	delete(r.watchers, p)
	r.mu.Unlock()
}

func (r *reaper) run() {
	defer close(r.done)
	for {
		select {
		case <-r.signals:
		case <-r.wake:
		case <-r.stop:
			return
		}
		r.reap()
		r.stir()
	}
}

// reap takes every dead child that is there now.
func (r *reaper) reap() {
	for {
		pid, ok := peekDead()
		if !ok {
			return
		}
		r.mu.Lock()
		leader := r.leaders[pid]
		starting := r.starting > 0
		r.deferred = r.deferred || leader == nil && starting
		r.mu.Unlock()
		switch {
		case leader != nil:
			leader.collect()
		case starting:
			return // it may be a leader whose pid is not known yet
		default:
			_, _ = wait4(pid, nil, nil)
		}
	}
}

// stir wakes those who wait for the end of a group.
func (r *reaper) stir() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.watchers {
		select {
		case p.stirred <- struct{}{}:
		default:
		}
	}
}

// childInfo is siginfo_t as waitid(2) fills it on the 64-bit Linux machines:
// 128 bytes, the pid after a padded header. golang.org/x/sys does not name it.
type childInfo struct {
	_   [4]int32
	pid int32
	_   [108]byte
}

// peekDead returns the pid of a dead child without taking its exit.
func peekDead() (pid int, ok bool) {
	var info childInfo
	_, _, errno := syscall.RawSyscall6(unix.SYS_WAITID, unix.P_ALL, 0, uintptr(unsafe.Pointer(&info)),
		unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, 0, 0)
	return int(info.pid), errno == 0 && info.pid != 0
}
