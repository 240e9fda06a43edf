package proc

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ResetInherited puts right what the program that started this one left
// behind, so that no command inherits it: a blocked signal mask (BO-42),
// ignored signals (nohup and many launchers leave SIGHUP and SIGINT ignored;
// BO-41 to BO-43) and open descriptors above 2 (BO-44), which are closed here:
// whoever waits for their end must not wait for the server. Descriptors named
// in keep stay open, but are not passed on.
//
// Call it once, first thing in main, before anything is opened or started. If
// the mask is not empty the program executes itself anew, because Go's runtime
// remembers the mask it was started with and gives it to every child.
func ResetInherited(keep ...int) error {
	if err := closeInherited(keep); err != nil {
		return err
	}
	defaultIgnored()
	return clearMask()
}

// closeInherited closes the descriptors that came from outside. Those are
// exactly the ones without FD_CLOEXEC: a descriptor with it would not have
// survived the exec, and everything Go opens has it.
func closeInherited(keep []int) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		// No /proc: at least pass nothing on.
		if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
			return fmt.Errorf("keep inherited descriptors from commands: %w", err)
		}
		return nil
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd < 3 {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue
		}
		if contains(keep, fd) {
			unix.CloseOnExec(fd)
			continue
		}
		_ = unix.Close(fd)
	}
	return nil
}

func contains(list []int, n int) bool {
	return slices.Contains(list, n)
}

// kernelSigaction is struct sigaction as rt_sigaction(2) takes it on Linux.
type kernelSigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	sigsetBytes = 8 // the kernel's sigset_t, 64 signals
	sigIgnore   = 1 // SIG_IGN
)

// defaultIgnored gives the default action to every signal that came in
// ignored and that Go has not taken over. Go sets its own handler for most,
// which an exec resets by itself; it respects an ignored SIGHUP and SIGINT and
// leaves job control alone.
func defaultIgnored() {
	for sig := 1; sig <= 64; sig++ {
		var act kernelSigaction
		if rtSigaction(sig, nil, &act) != 0 || act.handler != sigIgnore {
			continue
		}
		act = kernelSigaction{}
		_ = rtSigaction(sig, &act, nil)
	}
}

func rtSigaction(sig int, set, old *kernelSigaction) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), sigsetBytes, 0, 0)
	return errno
}

// clearMask starts the program anew with an empty signal mask if it was
// started with signals blocked. Nothing happens in the usual case.
func clearMask() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var mask unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, nil, &mask); err != nil {
		return fmt.Errorf("read the signal mask: %w", err)
	}
	if mask == (unix.Sigset_t{}) {
		return nil
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &unix.Sigset_t{}, nil); err != nil {
		return fmt.Errorf("clear the signal mask: %w", err)
	}
	err := syscall.Exec("/proc/self/exe", os.Args, os.Environ())
	return fmt.Errorf("start again with an empty signal mask: %w", err)
}
