package proc

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A label is a number that the kernel hands down from a command to everything
// that descends from it, through fork, exec, setsid, a double fork and an
// emptied environment: the soft value of RLIMIT_LOCKS, a limit that Linux has
// not enforced since 2.4 and that programs leave alone. It tells whose an
// orphan is, and lets the guardian find all trees of a dead server without
// being told of any.
//
// It is no lock: a program that wants to can change its own limit.
type label uint64

// The parts of a label: a mark that no real limit has, the server's number
// (random, so that servers on one machine do not take each other's), and the
// launch's.
const (
	labelMark        = 1 << 62
	labelServerShift = 32
	labelServerBits  = 30
	labelLaunchBits  = 32
)

// server is the part of a label that all launches of a server share.
func (l label) server() label { return l >> labelServerShift << labelServerShift }

// labels gives out the labels of one server. It is used under the reaper's
// forking lock.
type labels struct {
	server   label // 0: labels cannot be used here
	launches label
	original unix.Rlimit // the limit of this process itself
}

func newLabels() *labels {
	l := new(labels)
	if err := unix.Prlimit(0, unix.RLIMIT_LOCKS, nil, &l.original); err != nil {
		return l
	}
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	number := label(binary.NativeEndian.Uint32(b[:])) % (1 << labelServerBits)
	server := labelMark | number<<labelServerShift
	if l.original.Max < uint64(server)|(1<<labelLaunchBits-1) {
		return l // the hard limit has no room for labels
	}
	l.server = server
	return l
}

// next returns the label of the next launch, 0 if there are none.
func (l *labels) next() label {
	if l.server == 0 {
		return 0
	}
	l.launches++
	return l.server | l.launches%(1<<labelLaunchBits)
}

// wear gives this process the label, so that the child forked next inherits
// it; 0 takes it off again.
func (l *labels) wear(to label) {
	limit := l.original
	if to != 0 {
		limit.Cur = uint64(to)
	}
	_ = unix.Prlimit(0, unix.RLIMIT_LOCKS, &limit, nil)
}

// labelOf returns the label of a living process, 0 if it has none or cannot be
// asked.
func labelOf(pid int) label {
	var limit unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &limit); err != nil {
		// A process of another user, as sudo makes it; the file is open to all.
		limit.Cur = lockLimitFromFile(pid)
	}
	if limit.Cur>>(labelServerShift+labelServerBits) != labelMark>>(labelServerShift+labelServerBits) {
		return 0
	}
	return label(limit.Cur)
}

func lockLimitFromFile(pid int) uint64 {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if values, ok := strings.CutPrefix(lines.Text(), "Max file locks"); ok {
			n, _ := strconv.ParseUint(strings.Fields(values + " 0")[0], 10, 64)
			return n
		}
	}
	return 0
}
