package proc

import (
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// output reads both streams of a child in one goroutine, in the order in which
// they became readable.
//
// The order is the kernel's: both pipes are in an epoll instance of their own,
// whose descriptor in turn waits in Go's poller. Two goroutines, one a pipe,
// would be woken last ready first: of `echo a; echo b >&2` more than half came
// out with b in front. The events are edge-triggered, because a level-triggered
// one that has been served stays in the kernel's list, in front of what became
// ready since, until somebody looks.
type output struct {
	file  *os.File // the epoll instance
	pipes [2]pipe  // by Stream; Each's alone while it runs

	mu      sync.Mutex // guards the fields below
	reading bool       // Each runs, and will close the pipes
	closed  bool
}

// newOutput takes over both descriptors, also when it fails.
func newOutput(stdout, stderr int, budget *atomic.Int64) (*output, error) {
	o := &output{pipes: [2]pipe{{fd: stdout, budget: budget}, {fd: stderr, budget: budget}}}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err == nil {
		err = unix.SetNonblock(epoll, true)
		for i := range o.pipes {
			if err == nil {
				err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, o.pipes[i].fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: int32(i)})
			}
		}
		if err != nil {
			_ = unix.Close(epoll)
		}
	}
	if err != nil {
		o.closePipes()
		return nil, err
	}
	o.file = os.NewFile(uintptr(epoll), "output")
	return o, nil
}

// Each implements [Output].
func (o *output) Each(sink func(Stream, []byte)) {
	o.mu.Lock()
	o.reading = !o.closed
	o.mu.Unlock()
	if !o.reading {
		return
	}
	defer o.finish()
	conn, err := o.file.SyscallConn()
	if err != nil {
		return
	}
	var queue []Stream // those that can be read, in their order
	for open := len(o.pipes); open > 0; {
		// Looked for also while one of them floods, so that the other is heard.
		ready, n, ok := o.wait(conn, len(queue) == 0)
		if !ok {
			return
		}
		for _, event := range ready[:n] {
			s := Stream(event.Fd)
			o.pipes[s].hungUp = o.pipes[s].hungUp || event.Events&unix.EPOLLHUP != 0
			if !slices.Contains(queue, s) {
				queue = append(queue, s)
			}
		}
		s := queue[0]
		queue = slices.Delete(queue, 0, 1)
		switch o.passSome(s, sink) {
		case more:
			queue = append(queue, s) // the other one's turn first
		case ended:
			open--
		case empty:
		}
	}
}

// wait returns what has become readable since the last time, in its order. If
// block is set it waits for something. It is not ok when the output was closed.
func (o *output) wait(conn syscall.RawConn, block bool) (ready [2]unix.EpollEvent, n int, ok bool) {
	err := conn.Read(func(fd uintptr) bool {
		for {
			var err error
			n, err = unix.EpollWait(int(fd), ready[:], 0)
			if !errors.Is(err, unix.EINTR) {
				return n > 0 || err != nil || !block
			}
		}
	})
	return ready, max(n, 0), err == nil && n >= 0
}

// left is what is left in a pipe after a read.
type left uint8

const (
	empty left = iota // nothing now: the next write is an event
	more              // perhaps something, and no event will tell
	ended
)

// turn is how many full pieces of a stream are read before the other one is
// looked at: a look costs as much as a tenth of a piece.
const turn = 4

// passSome reads a stream until its turn is over or there is nothing more.
func (o *output) passSome(s Stream, sink func(Stream, []byte)) left {
	for range turn - 1 {
		if l := o.pass(s, sink); l != more {
			return l
		}
	}
	return o.pass(s, sink)
}

// pass reads one piece of a stream for sink.
func (o *output) pass(s Stream, sink func(Stream, []byte)) left {
	p := &o.pipes[s]
	chunk := chunks.Get().(*[chunkBytes]byte)
	defer chunks.Put(chunk)
	n := p.read(chunk[:])
	switch {
	case n == 0:
		p.close() // which takes it out of the epoll instance
		sink(s, nil)
		return ended
	case n < 0:
		return empty
	}
	sink(s, chunk[:n])
	if n == chunkBytes {
		p.grow()
		return more
	}
	if p.hungUp { // the event of the end has been, it does not come again
		return more
	}
	return empty // a short read has emptied it
}

// Close implements [Output].
func (o *output) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed = true
	_ = o.file.Close() // wakes a waiting Each, which never waits for mu meanwhile
	if !o.reading {
		o.closePipes()
	}
}

// finish ends Each.
func (o *output) finish() {
	o.closePipes()
	o.mu.Lock()
	o.reading = false
	o.mu.Unlock()
	o.Close()
}

func (o *output) closePipes() {
	for i := range o.pipes {
		o.pipes[i].close()
	}
}
