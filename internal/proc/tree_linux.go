package proc

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Member is one living process of a tree.
type Member struct {
	PID  int
	Name string // as the kernel has it: at most 15 bytes
}

// member is a Member with what is needed to signal it, and no other process
// that got its pid meanwhile.
type member struct {
	Member
	parent, group int
	started       uint64 // in clock ticks since boot
}

// id tells two processes apart that had the same pid one after the other.
func (m *member) id() [2]uint64 { return [2]uint64{uint64(m.PID), m.started} }

// readMember reads a process from /proc. Zombies are not alive.
func readMember(pid int) (m member, alive bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return m, false
	}
	// pid (name) state ppid pgrp …, where name may contain anything.
	open, closing := strings.IndexByte(string(stat), '('), strings.LastIndexByte(string(stat), ')')
	if open < 0 || closing < open {
		return m, false
	}
	const started = 19 // of the fields after the name
	fields := strings.Fields(string(stat[closing+1:]))
	if len(fields) <= started || fields[0] == "Z" || fields[0] == "X" {
		return m, false
	}
	m.PID, m.Name = pid, string(stat[open+1:closing])
	m.parent, _ = strconv.Atoi(fields[1])
	m.group, _ = strconv.Atoi(fields[2])
	m.started, _ = strconv.ParseUint(fields[started], 10, 64)
	return m, true
}

// childrenOf returns the children of a process, zombies included, without
// looking at any other process of the machine.
func childrenOf(pid int) []int {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	entries, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		list, err := os.ReadFile(tasks + "/" + e.Name() + "/children")
		if err != nil {
			continue // the thread has ended
		}
		pids = append(pids, numbers(string(list))...)
	}
	return pids
}

// numbers returns the pids of a list as /proc has it.
func numbers(list string) (pids []int) {
	for field := range strings.FieldsSeq(list) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// descend returns the living among the roots and all that descend from them.
// What forks or is adopted meanwhile may be missed: callers look again.
func descend(roots []int) []member {
	self := os.Getpid()
	var found []member
	seen := make(map[int]bool)
	type step struct{ pid, parent int }
	var queue []step
	for _, pid := range roots {
		queue = append(queue, step{pid, 0})
	}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if seen[next.pid] || next.pid <= 1 {
			continue
		}
		seen[next.pid] = true
		m, alive := readMember(next.pid)
		// A pid that was reused since it was listed has another parent; one
		// whose parent died has us.
		if !alive || next.parent != 0 && m.parent != next.parent && m.parent != self {
			continue
		}
		found = append(found, m)
		for _, child := range childrenOf(next.pid) {
			queue = append(queue, step{child, next.pid})
		}
	}
	return found
}

// send signals one member by pidfd, after a look that the pid still is the
// process that was found.
func (m *member) send(sig syscall.Signal) error {
	if m.PID <= 1 {
		return syscall.EINVAL
	}
	fd, err := unix.PidfdOpen(m.PID, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	now, alive := readMember(m.PID)
	if !alive || now.started != m.started {
		return syscall.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// Tree implements [Process].
func (p *process) Tree() []Member { return exported(p.members()) }

// members finds the living processes of the tree: from the cgroup if it has
// one, else from the leader, and the orphans that wear its label, downwards.
func (p *process) members() []member {
	if found, ok := p.cgroupMembers(); ok {
		return found
	}
	p.mu.Lock()
	taken := p.taken
	p.mu.Unlock()
	roots := p.reaper.orphans(func(l label) bool { return l == p.label && l != 0 })
	if !taken {
		roots = append(roots, p.pid)
	}
	return descend(roots)
}

// orphans returns our children that are nobody's leader and whose label
// matches. The kernel gives orphans to the first living thread of a subreaper,
// which is the main one: one small file has them all.
func (r *reaper) orphans(match func(label) bool) []int {
	if !r.subreaper {
		return nil
	}
	var pids []int
	for _, pid := range numbers(r.children.read()) {
		r.mu.Lock()
		leader := r.leaders[pid]
		r.mu.Unlock()
		if leader == nil && match(labelOf(pid)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// childList is the file that lists the children of this process's main thread.
// It is kept open, because it is read at the end of each command, and to open
// a file of /proc costs many times what reading it does.
type childList struct{ fd int }

func openChildList() childList {
	self := strconv.Itoa(os.Getpid())
	fd, err := unix.Open("/proc/self/task/"+self+"/children", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd = -1 // the kernel has no such file: doctor tells
	}
	return childList{fd}
}

// read returns the list, "" if there is none.
func (c childList) read() string {
	var list []byte
	var part [1024]byte
	for {
		n, err := unix.Pread(c.fd, part[:], int64(len(list)))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return string(list)
		}
		list = append(list, part[:n]...)
	}
}

func (c childList) close() {
	if c.fd >= 0 {
		_ = unix.Close(c.fd)
	}
}

// Signal implements [Process].
func (p *process) Signal(sig syscall.Signal) ([]Member, error) {
	// Found before the group is signalled: what only descends from the leader
	// is lost to us, where nothing adopts orphans, when the leader dies.
	before := p.members()
	err := p.signalGroup(sig)
	if sig == syscall.SIGKILL && p.killCgroup() {
		return exported(before), nil
	}
	look := func() []member {
		if found := before; found != nil {
			before = nil
			return found
		}
		return p.members()
	}
	found, failed := signalAll(sig, look, func(m *member) bool {
		return err == nil && m.group == p.pid // the group's signal has reached it
	})
	switch {
	case failed != nil:
		err = failed
	case err != nil && len(found) > 0:
		err = nil // the group is gone, but not the tree
	}
	return exported(found), err
}

func exported(members []member) []Member {
	list := make([]Member, len(members))
	for i, m := range members {
		list[i] = m.Member
	}
	return list
}

// signalRounds bounds how often a tree is looked at again for members that
// were forked or adopted while the others were signalled. A tree that forks
// faster is caught by SIGKILL, which is repeated until nothing is left.
const signalRounds = 50

// signalAll sends sig to the members but those that skip knows to have it,
// until a look finds nobody new. It returns all that it found, and the first
// refusal.
func signalAll(sig syscall.Signal, members func() []member, skip func(*member) bool) (found []member, failed error) {
	done := make(map[[2]uint64]bool)
	for range signalRounds {
		fresh := false
		for _, m := range members() {
			if done[m.id()] {
				continue
			}
			done[m.id()], fresh = true, true
			found = append(found, m)
			if skip(&m) {
				continue
			}
			err := m.send(sig)
			if err != nil && !errors.Is(err, syscall.ESRCH) && failed == nil {
				failed = err
			}
			continueStopped(sig, &m)
		}
		if !fresh {
			break
		}
	}
	return found, failed
}

// continueStopped lets a stopped process act on the signal it just got.
func continueStopped(sig syscall.Signal, m *member) {
	if wakes(sig) {
		_ = m.send(syscall.SIGCONT)
	}
}

// wakes reports whether sig should be followed by SIGCONT: a stopped process
// acts on nothing but SIGKILL before it is continued.
func wakes(sig syscall.Signal) bool {
	switch sig {
	case 0, syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT:
		return false
	}
	return true
}
