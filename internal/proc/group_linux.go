package proc

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// look finds out whether the group still has a member, reaping its orphans on
// the way, and closes gone when it has none. The leader must have been taken.
func (p *process) look() (gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Asked first because it is the whole answer for most commands.
	if errors.Is(p.signalLocked(0), ErrGone) {
		return true
	}
	// Dead members that nobody has reaped count for the kernel, not for us.
	reapGroup(p.pid)
	return errors.Is(p.signalLocked(0), ErrGone)
}

// signalGroup sends sig to the group, and wakes what is stopped in it.
func (p *process) signalGroup(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.signalLocked(sig)
	if err == nil && wakes(sig) {
		_ = p.signalLocked(syscall.SIGCONT)
	}
	return err
}

// signalLocked sends sig to the group (0: only asks whether it exists) and
// latches its end. p.mu is held, so that the group cannot be declared gone
// between the check and the signal.
func (p *process) signalLocked(sig syscall.Signal) error {
	if p.ended {
		return ErrGone
	}
	err := sendGroup(p.pidfd, p.pid, sig)
	// The leader's own zombie is a member until it is taken, so a group
	// cannot be gone before its leader's exit is stored.
	if errors.Is(err, syscall.ESRCH) && p.taken {
		p.endLocked()
		return ErrGone
	}
	return err
}

// endLocked latches the end of the group. p.mu is held.
func (p *process) endLocked() {
	p.ended = true
	p.reaper.forget(p)
	p.releaseCgroupLocked()
	close(p.gone)
}

// pidfdSignalProcessGroup is PIDFD_SIGNAL_PROCESS_GROUP of pidfd_send_signal(2),
// since Linux 6.9: to the group whose number the pidfd's pid is. It holds the
// kernel's own reference, so a reused number can never be hit, and it works
// after the leader was reaped.
const pidfdSignalProcessGroup = 1 << 2

// sendGroup signals the group led by pid. Where the kernel cannot do it by
// pidfd it falls back to the number, which is safe while any member is left:
// a number in use as a group is not given to a new process.
func sendGroup(pidfd *os.File, pid int, sig syscall.Signal) error {
	if pidfd != nil {
		if conn, err := pidfd.SyscallConn(); err == nil {
			sent := syscall.Errno(syscall.EBADF)
			_ = conn.Control(func(fd uintptr) {
				_, _, sent = syscall.RawSyscall6(unix.SYS_PIDFD_SEND_SIGNAL, fd, uintptr(sig), 0, pidfdSignalProcessGroup, 0, 0)
			})
			switch sent {
			case 0:
				return nil
			case syscall.EINVAL, syscall.ENOSYS, syscall.EBADF: // an older kernel
			default:
				return sent
			}
		}
	}
	if pid <= 1 {
		// 0 is our own group, -1 is everybody, 1 is init.
		return syscall.EINVAL
	}
	return syscall.Kill(-pid, sig)
}

// reapGroup reaps the dead among our children in the group.
func reapGroup(pgid int) {
	for {
		if pid, err := wait4(-pgid, nil, nil); err != nil || pid == 0 {
			return // no child of ours is in it, or only living ones are
		}
	}
}

// wait4 takes the exit of one child if there is one: the pid, or 0 if there is
// none yet. It never blocks.
func wait4(pid int, status *syscall.WaitStatus, usage *syscall.Rusage) (int, error) {
	for {
		got, err := syscall.Wait4(pid, status, syscall.WNOHANG, usage)
		if err != syscall.EINTR {
			return got, err
		}
	}
}
