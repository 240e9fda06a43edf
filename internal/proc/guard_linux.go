package proc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// guardInterval is how often a dying tree is looked at.
	guardInterval = 50 * time.Millisecond

	// guardPatience is how long SIGKILL is repeated before the guardian gives
	// up on what hangs in the kernel.
	guardPatience = 5 * time.Second
)

// Guard is the life of a guardian process: it reads the server's order from
// the pipe in, waits until the server has gone, whatever ended it, and then
// ends what is left of the server's trees: SIGTERM, the grace, SIGKILL. It
// knows the trees by the label that everything in them wears, so it has to be
// told of none, and it looks at other processes only now.
func Guard(in *os.File) error {
	// Who ends the server by name may mean us too; our work comes after that.
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	lines := bufio.NewReader(in)
	first, err := lines.ReadBytes('\n')
	if err != nil {
		return nil // the server died before it had a tree
	}
	var given order
	if err := json.Unmarshal(first, &given); err != nil || given.Server == 0 {
		return fmt.Errorf("read the server's order: %w", err)
	}
	trimMemory()
	w := &watch{order: given, live: make(map[label]bool), grace: -1}
	w.listen(lines)
	if w.grace < 0 { // the server died: nothing has been signalled yet
		w.grace = given.Grace
		_, _ = signalAll(syscall.SIGTERM, w.members, func(*member) bool { return false })
	}
	w.end()
	return nil
}

// watch is what a guardian knows.
type watch struct {
	order
	live  map[label]bool // commands whose group lives, if it has to know
	grace time.Duration  // that is left; negative: the server has not said
}

// listen reads what the server says until it has ended.
func (w *watch) listen(lines *bufio.Reader) {
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		for _, word := range []string{wordLive, wordGone, wordRest} {
			text, ok := strings.CutPrefix(line, word)
			n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
			if !ok || err != nil {
				continue
			}
			switch word {
			case wordLive:
				w.live[label(n)] = true
			case wordGone:
				delete(w.live, label(n))
			case wordRest:
				w.grace = max(w.grace, time.Duration(n)) // of several supervisors the longest
			}
		}
	}
}

// end waits for the end of all trees and kills what outlives the grace.
func (w *watch) end() {
	kill := time.Now().Add(w.grace)
	for len(w.members()) > 0 {
		now := time.Now()
		if now.After(kill.Add(guardPatience)) {
			break
		}
		if !now.Before(kill) {
			w.kill()
		}
		<-time.After(min(guardInterval, max(time.Until(kill), time.Millisecond)))
	}
	w.removeCgroups()
}

func (w *watch) kill() {
	if !w.Keep { // which group is whose it has not been told
		for _, dir := range w.cgroups() {
			_ = (&cgroup{dir: dir}).kill()
		}
	}
	_, _ = signalAll(syscall.SIGKILL, w.members, func(*member) bool { return false })
}

// members finds everything on the machine that wears a label of the server and
// is to be ended.
func (w *watch) members() []member {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	var found []member
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		worn := labelOf(pid)
		if worn.server() != w.Server || w.Keep && !w.live[worn] {
			continue
		}
		if m, alive := readMember(pid); alive {
			found = append(found, m)
		}
	}
	return found
}

func (w *watch) cgroups() []string {
	if w.Cgroup == "" {
		return nil
	}
	dirs, _ := filepath.Glob(w.Cgroup + "/*/cgroup.kill")
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs
}

func (w *watch) removeCgroups() {
	for _, dir := range w.cgroups() {
		_ = os.Remove(dir)
	}
	if w.Cgroup != "" {
		_ = os.Remove(w.Cgroup)
	}
}

// trimMemory gives back what the start of the program has touched and the
// guardian will not use: most of its pages were read in for packages that only
// the server needs.
func trimMemory() {
	debug.FreeOSMemory()
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	var from, to uintptr
	file := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var mode string
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &mode); n == 3 {
			file = strings.Contains(lines.Text(), "/") && !strings.Contains(mode, "w")
			continue
		}
		// Only pages that can be read in again: what was written to since, as
		// relocation does it, is in no file.
		if rest, ok := strings.CutPrefix(lines.Text(), "Anonymous:"); ok && file && strings.TrimSpace(rest) == "0 kB" {
			_, _, _ = syscall.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
		}
	}
}
