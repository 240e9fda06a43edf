package mcptest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Marker returns a number of seconds for sleep that no other process on the
// machine has, so that the processes of a test can be found from outside.
// Whatever of them is left when the test ends is killed, by pid.
func Marker(t testing.TB) string {
	marker := strconv.Itoa(100_000_000 + rand.IntN(800_000_000))
	t.Cleanup(func() {
		for _, pid := range Alive(marker) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return marker
}

// Alive returns the living processes (zombies are not) whose arguments contain
// the marker, this one apart.
func Alive(marker string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err == nil && strings.Contains(string(args), marker) && State(pid) != 'Z' {
			pids = append(pids, pid)
		}
	}
	return pids
}

// State returns the state letter of a process as in /proc, 0 if there is none.
func State(pid int) byte {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	_, after, ok := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
	if !ok || after == "" {
		return 0
	}
	return after[0]
}

// Children returns the pids of the children of a process, zombies included.
func Children(pid int) []int {
	tasks, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		return nil
	}
	var pids []int
	for _, task := range tasks {
		list, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + task.Name() + "/children")
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(list)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// Usage is what a process has open and holds.
type Usage struct {
	Descriptors, Threads int
	RSS                  int64 // bytes
	PeakRSS              int64 // bytes
}

// UsageOf reads the usage of a living process.
func UsageOf(t testing.TB, pid int) Usage {
	t.Helper()
	base := "/proc/" + strconv.Itoa(pid)
	fds, err := os.ReadDir(base + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(base + "/status")
	if err != nil {
		t.Fatal(err)
	}
	u := Usage{Descriptors: len(fds)}
	for line := range strings.SplitSeq(string(status), "\n") {
		name, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		n, _ := strconv.ParseInt(fields[0], 10, 64)
		switch name {
		case "Threads":
			u.Threads = int(n)
		case "VmRSS":
			u.RSS = n << 10
		case "VmHWM":
			u.PeakRSS = n << 10
		}
	}
	return u
}

// Eventually polls until ok holds: for what only the kernel knows.
func Eventually(t testing.TB, within time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(within)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, within)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
