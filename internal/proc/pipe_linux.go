package proc

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// chunkBytes is the largest piece read from a pipe at once: the size of a
	// fresh pipe, so one read empties it.
	chunkBytes = 64 << 10

	// grownPipeBytes is what a pipe becomes whose writer fills it. With
	// 64 KiB a fast writer and the reader wake each other for every buffer:
	// four times slower than 256 KiB; 1 MiB brings nothing more.
	grownPipeBytes = 256 << 10

	// pipeBudgetBytes bounds all grown pipes together. The kernel gives an
	// unprivileged user 64 MiB of pipe buffers (fs.pipe-user-pages-soft) and
	// then makes every new pipe of that user 8 KiB, also those of other
	// programs: half of it is the most we take.
	pipeBudgetBytes = 32 << 20
)

// chunks are the read buffers. A stream holds one only while data flows, so a
// thousand idle executions hold none.
var chunks = sync.Pool{New: func() any { return new([chunkBytes]byte) }}

// output is the reading end of a pipe whose reads wait in Go's poller.
type output struct {
	file   *os.File
	budget *atomic.Int64 // bytes of grown pipes, shared by all of a Local

	mu     sync.Mutex // guards the fields below
	grown  bool       // the pipe's growth is on the budget
	closed bool
}

// newPipe makes a pipe whose parent end does not block (and so waits in the
// poller) while the child's end does, as programs expect.
func newPipe(parent int) (p [2]int, err error) {
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return p, err
	}
	if err := unix.SetNonblock(p[parent], true); err != nil {
		unix.Close(p[0])
		unix.Close(p[1])
		return p, err
	}
	return p, nil
}

func newOutput(fd int, name string, budget *atomic.Int64) *output {
	return &output{file: os.NewFile(uintptr(fd), name), budget: budget}
}

// Each implements [Output].
func (o *output) Each(sink func([]byte)) {
	defer o.Close()
	conn, err := o.file.SyscallConn()
	if err != nil {
		return
	}
	var n int
	var chunk *[chunkBytes]byte
	read := func(fd uintptr) bool {
		chunk = chunks.Get().(*[chunkBytes]byte)
		if n = readOnce(int(fd), chunk[:]); n < 0 {
			chunks.Put(chunk)
			return false
		}
		return true
	}
	// One piece a round, so that Close gets its turn between two pieces of a
	// writer that never pauses.
	for conn.Read(read) == nil {
		if n > 0 {
			sink(chunk[:n])
		}
		chunks.Put(chunk)
		if n == 0 {
			return
		}
		if n == chunkBytes {
			o.grow(conn)
		}
	}
}

// readOnce reads what there is: the number of bytes, 0 at end-of-file, -1 when
// it would block.
func readOnce(fd int, p []byte) int {
	for {
		n, err := syscall.Read(fd, p)
		switch err {
		case nil:
			return n
		case syscall.EINTR:
		case syscall.EAGAIN:
			return -1
		default:
			return 0
		}
	}
}

// grow enlarges the pipe once its writer has filled it, within the budget. A
// refusal by the kernel costs speed only.
func (o *output) grow(conn syscall.RawConn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.grown || o.closed {
		return
	}
	if o.budget.Add(grownPipeBytes) > pipeBudgetBytes {
		o.budget.Add(-grownPipeBytes)
		return
	}
	o.grown = true
	_ = conn.Control(func(fd uintptr) {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, grownPipeBytes)
	})
}

// Close implements [Output].
func (o *output) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed = true
	if o.grown {
		o.budget.Add(-grownPipeBytes)
	}
	// Waits for a read in progress, which never waits for mu: the poller
	// wakes it, and it sees the file closed.
	_ = o.file.Close()
}
