package proc

import (
	"runtime"
	"sync"
)

// spareThreads are enough for every system call that blocks in a server: its
// input, its output, signals, a fork, a few files, and what the runtime itself
// wants beside GOMAXPROCS.
const spareThreads = 10

// ReserveThreads makes the runtime start the threads that it may ever need
// while the kernel still allows it. Go ends the whole program when it is
// refused a thread, and a command that fills the process limit of its user, or
// the pids limit of the container, would do just that (BO-47). Idle threads
// cost a few KiB each and are never given back.
func ReserveThreads() {
	n := runtime.GOMAXPROCS(0) + spareThreads
	var started, ended sync.WaitGroup
	release := make(chan struct{})
	started.Add(n)
	for range n {
		ended.Go(func() {
			runtime.LockOSThread() // a thread of its own, so that n are needed at once
			defer runtime.UnlockOSThread()
			started.Done()
			<-release
		})
	}
	started.Wait()
	close(release)
	ended.Wait()
}
