package proc

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ParentDeath returns a channel that is closed when the program that started
// this one has died. Call it once, early: a parent that died before is not
// known to have lived.
//
// The descriptor and the goroutine that wait for it last until then.
func ParentDeath() (<-chan struct{}, error) {
	died := make(chan struct{})
	parent := os.Getppid()
	fd, err := unix.PidfdOpen(parent, unix.PIDFD_NONBLOCK)
	if err == nil && os.Getppid() != parent {
		_ = unix.Close(fd)
		err = unix.ESRCH
	}
	switch {
	case errors.Is(err, unix.ESRCH):
		close(died)
		return died, nil
	case err != nil:
		return nil, fmt.Errorf("watch the parent process: %w", err)
	}
	file := os.NewFile(uintptr(fd), "parent")
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("watch the parent process: %w", err)
	}
	go func() {
		defer file.Close()
		_ = conn.Read(func(uintptr) bool { return hasEnded(fd) })
		close(died)
	}()
	return died, nil
}

// hasEnded reports whether the process of a pidfd has ended, which is when the
// pidfd is readable; a zombie has ended too.
func hasEnded(pidfd int) bool {
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1
}
