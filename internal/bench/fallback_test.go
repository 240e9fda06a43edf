package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The limit programs for machines without a C compiler: the same arguments and
// the same output as the sources in testdata, by system calls alone. Spawning
// is about a tenth slower than in C.

// readBuffer, in bytes, is what the C programs read at once.
const readBuffer = 64 << 10

// numbersOf turns arguments into numbers; one that is none is 0.
func numbersOf(args []string) []int {
	numbers := make([]int, len(args))
	for i, a := range args {
		numbers[i], _ = strconv.Atoi(a)
	}
	return numbers
}

func limitSpawn(args []string) error {
	if len(args) != 4 {
		return errors.New("usage: limit-spawn RUNS PAUSE_US PIPE_BYTES COMMAND")
	}
	n := numbersOf(args[:3])
	devNull, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	for range n[0] {
		pause(time.Duration(n[1]) * time.Microsecond)
		if err := spawnOnce(args[3], devNull, n[2]); err != nil {
			return err
		}
	}
	return nil
}

func spawnOnce(command string, devNull, pipeBytes int) error {
	began := monotonic()
	out, err := newPipe(pipeBytes)
	if err != nil {
		return err
	}
	errs, err := newPipe(0)
	if err != nil {
		return err
	}
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", command}, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{uintptr(devNull), uintptr(out[1]), uintptr(errs[1])},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return err
	}
	_, _ = unix.Close(out[1]), unix.Close(errs[1])
	head, _ := discard(out[0])
	discard(errs[0])
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || status != 0 {
		return fmt.Errorf("%s: ended with status %d: %w", command, status, err)
	}
	ended := monotonic()
	stamp, _ := lastNumber(head)
	fmt.Println(int64(ended-began), int64(ended-stamp))
	return nil
}

func newPipe(size int) (p [2]int, err error) {
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil || size == 0 {
		return p, err
	}
	_, err = unix.FcntlInt(uintptr(p[1]), unix.F_SETPIPE_SZ, size)
	return p, err
}

// discard reads fd to its end and returns the first bytes and their number.
func discard(fd int) (head []byte, total int) {
	buffer := make([]byte, readBuffer)
	for {
		n, err := syscall.Read(fd, buffer)
		if n <= 0 || err != nil {
			_ = unix.Close(fd)
			return head, total
		}
		if total == 0 {
			head = bytes.Clone(buffer[:min(n, 32)])
		}
		total += n
	}
}

func limitPipe(args []string) error {
	n := numbersOf(args)
	switch {
	case len(args) == 3 && args[0] == "write":
		return writeText(n[1], n[2])
	case len(args) == 5 && args[0] == "read":
		for range n[1] {
			if err := readOnce(n[2], n[3], n[4]); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("usage: limit-pipe write BYTES CHUNK | read RUNS PIPE_BYTES BYTES CHUNK")
}

func writeText(total, chunk int) error {
	text := bytes.Repeat([]byte("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcd\n"), chunk/83+1)[:chunk]
	for total > 0 {
		n, err := syscall.Write(1, text[:min(chunk, total)])
		if err != nil {
			return err
		}
		total -= n
	}
	return nil
}

func readOnce(pipeBytes, total, chunk int) error {
	began := monotonic()
	p, err := newPipe(pipeBytes)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	pid, err := syscall.ForkExec(self, []string{self, "write", itoa(total), itoa(chunk)}, &syscall.ProcAttr{
		Env:   append(os.Environ(), roleVariable+"=limit-pipe"),
		Files: []uintptr{0, uintptr(p[1]), 2},
	})
	if err != nil {
		return err
	}
	_ = unix.Close(p[1])
	_, got := discard(p[0])
	if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil || got != total {
		return fmt.Errorf("read %d bytes of %d: %w", got, total, err)
	}
	fmt.Println(int64(monotonic() - began))
	return nil
}

func stamp(args []string) error {
	n := numbersOf(args)
	switch {
	case len(args) == 3 && args[0] == "write":
		for range n[1] {
			pause(time.Duration(n[2]) * time.Microsecond)
			if _, err := syscall.Write(1, fmt.Appendln(nil, int64(monotonic()))); err != nil {
				return err
			}
		}
		syscall.Exit(0)
	case len(args) == 1 && args[0] == "read":
		return readStamps(os.Stdout)
	}
	return errors.New("usage: stamp write COUNT PAUSE_US | read")
}

// readStamps prints after the end, so that printing delays no reading.
func readStamps(to io.Writer) error {
	var ages []time.Duration
	buffer := make([]byte, 4096)
	for {
		n, err := syscall.Read(0, buffer)
		if n <= 0 || err != nil {
			break
		}
		now := monotonic()
		written, err := lastNumber(buffer[:n])
		if err != nil {
			return err
		}
		ages = append(ages, now-written)
	}
	for _, age := range ages {
		fmt.Fprintln(to, int64(age))
	}
	return nil
}
