package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// scriptFile puts text into a file in memory that nobody can change any more,
// so what runs is what was judged. It is never executed itself (a shell reads
// it), so neither a noexec mount nor "text file busy" can stop it, and nothing
// is left on a disk.
func scriptFile(text string) (fd int, err error) {
	fd, err = unix.MemfdCreate("command", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, fmt.Errorf("create a file in memory: %w", err)
	}
	for rest := []byte(text); len(rest) > 0; {
		n, err := unix.Write(fd, rest)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			unix.Close(fd)
			return -1, fmt.Errorf("write the command text: %w", err)
		}
		rest = rest[n:]
	}
	seals := unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("seal the command text: %w", err)
	}
	return fd, nil
}
