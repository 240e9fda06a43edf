package proc

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Facts are what this machine allows, found out by trying.
type Facts struct {
	Kernel string // release

	Containment      Containment // the best that works
	ContainmentFault error       // why it is not the cgroup

	Subreaper      bool // orphans come to this process
	ChildrenListed bool // the children of a process can be read
	Labels         bool // what descends from a command can be told by its label
	PidfdGroups    bool // a group can be signalled without its number
}

// Examine finds out what this machine allows. It needs a [Local] as a server
// has it, and so may not be called in one.
func Examine() (Facts, error) {
	l, err := NewLocal(Options{})
	if err != nil {
		return Facts{}, err
	}
	defer l.Close()
	f := Facts{Subreaper: l.reaper.subreaper, Labels: l.reaper.labels.server != 0}
	f.Containment, f.ContainmentFault = l.Containment()
	self := strconv.Itoa(os.Getpid())
	_, err = os.Stat("/proc/self/task/" + self + "/children")
	f.ChildrenListed = err == nil
	f.PidfdGroups = pidfdGroups()
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		f.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	return f, nil
}

// pidfdGroups asks about our own group: signal 0 reaches nobody.
func pidfdGroups() bool {
	leader, err := unix.Getpgid(0)
	if err != nil {
		return false
	}
	fd, err := unix.PidfdOpen(leader, 0)
	if err != nil {
		// The leader has ended; a wrong flag is refused before that matters.
		return false
	}
	defer unix.Close(fd)
	_, _, errno := syscall.RawSyscall6(unix.SYS_PIDFD_SEND_SIGNAL, uintptr(fd), 0, 0, pidfdSignalProcessGroup, 0, 0)
	return errno == 0
}
