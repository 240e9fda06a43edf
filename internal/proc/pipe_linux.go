package proc

import (
	"sync"
	"sync/atomic"

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

// chunks are the read buffers. An execution holds one only while data flows,
// so a thousand idle ones hold none.
var chunks = sync.Pool{New: func() any { return new([chunkBytes]byte) }}

// newPipe makes a pipe whose parent end does not block (and so waits in a
// poller) while the child's end does, as programs expect.
func newPipe(parent int) (p [2]int, err error) {
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return p, err
	}
	if err := unix.SetNonblock(p[parent], true); err != nil {
		_ = unix.Close(p[0])
		_ = unix.Close(p[1])
		return p, err
	}
	return p, nil
}

// pipe is the reading end of one output stream. One goroutine uses it.
type pipe struct {
	fd     int           // -1: at its end
	budget *atomic.Int64 // bytes of grown pipes, shared by all of a Local
	grown  bool          // the pipe's growth is on the budget
	hungUp bool          // its last writer has gone
}

// read reads what there is: the number of bytes, 0 at end-of-file, -1 when it
// would block.
func (p *pipe) read(chunk []byte) int {
	for {
		n, err := unix.Read(p.fd, chunk)
		switch err {
		case nil:
			return n
		case unix.EINTR:
		case unix.EAGAIN:
			return -1
		default:
			return 0
		}
	}
}

// grow enlarges the pipe once its writer has filled it, within the budget. A
// refusal by the kernel costs speed only.
func (p *pipe) grow() {
	if p.grown {
		return
	}
	if p.budget.Add(grownPipeBytes) > pipeBudgetBytes {
		p.budget.Add(-grownPipeBytes)
		return
	}
	p.grown = true
	_, _ = unix.FcntlInt(uintptr(p.fd), unix.F_SETPIPE_SZ, grownPipeBytes)
}

func (p *pipe) close() {
	if p.fd < 0 {
		return
	}
	_ = unix.Close(p.fd)
	p.fd = -1
	if p.grown {
		p.budget.Add(-grownPipeBytes)
		p.grown = false
	}
}
