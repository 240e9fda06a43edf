package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// cgroups are the control groups (version 2) that commands of this server run
// in, one a command. An emptied one is used again, because making one costs
// more than all else that containment does; but not one that was killed: Linux
// (6.18 at least) goes on killing what is started in it.
type cgroups struct {
	dir string // our own directory, below the group that the server runs in

	mu   sync.Mutex // guards the fields below
	free []*cgroup  // empty, for the next command
	all  []*cgroup
	made int
}

// cgroup is one of them.
type cgroup struct {
	dir    string
	fd     int  // its directory, for clone
	killed bool // guarded by the mu of the process that has it
}

// newCgroups makes our directory and tries all that will be needed: a mounted
// hierarchy says nothing about what may be done in it.
func newCgroups() (*cgroups, error) {
	parent, err := ownCgroup()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(parent, fmt.Sprintf("whelk-%d", os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	c := &cgroups{dir: dir}
	first, err := c.acquire()
	if err == nil {
		err = first.try()
		c.release(first)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// ownCgroup returns the directory of the control group that this process is in.
func ownCgroup() (string, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", fmt.Errorf("find the control groups: %w", err)
	}
	root := ""
	for line := range strings.SplitSeq(string(mounts), "\n") {
		// … mount-root mount-point options … - type source options
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if ok && len(fields) > 4 && strings.HasPrefix(after, "cgroup2 ") {
			root = fields[4]
			break
		}
	}
	if root == "" {
		return "", errors.New("no version 2 control groups are mounted")
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", fmt.Errorf("find our control group: %w", err)
	}
	for line := range strings.SplitSeq(string(own), "\n") {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return filepath.Join(root, path), nil
		}
	}
	return "", errors.New("this process is in no version 2 control group")
}

// acquire returns an empty control group.
func (c *cgroups) acquire() (*cgroup, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free); n > 0 {
		g := c.free[n-1]
		c.free = c.free[:n-1]
		return g, nil
	}
	c.made++
	g, err := openCgroup(filepath.Join(c.dir, strconv.Itoa(c.made)))
	if err == nil {
		c.all = append(c.all, g)
	}
	return g, err
}

// release takes back a control group that has been found empty.
func (c *cgroups) release(g *cgroup) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !g.killed {
		c.free = append(c.free, g)
		return
	}
	g.close()
	c.all = slices.DeleteFunc(c.all, func(other *cgroup) bool { return other == g })
}

// close removes all groups. One in which something lives stays, and with it
// our directory: the guardian removes them.
func (c *cgroups) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.all {
		g.close()
	}
	c.free, c.all = nil, nil
	_ = os.Remove(c.dir)
}

func openCgroup(dir string) (*cgroup, error) {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open control group: %w", err)
	}
	return &cgroup{dir: dir, fd: fd}, nil
}

func (g *cgroup) close() {
	_ = unix.Close(g.fd)
	_ = os.Remove(g.dir)
}

// try finds out whether a process can be started in the group and killed in it.
func (g *cgroup) try() error {
	kill, err := os.OpenFile(filepath.Join(g.dir, "cgroup.kill"), os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("kill a control group: %w", err)
	}
	_ = kill.Close()
	// The kernel checks the group before it looks for the program, so a
	// program that cannot exist tells the two apart.
	_, err = syscall.ForkExec("/proc/self/no-such-program", []string{"-"}, &syscall.ProcAttr{
		Sys: &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: g.fd},
	})
	if !errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("start a process in a control group: %w", err)
	}
	return nil
}

// kill ends everything in the group at once, also what is just being forked.
func (g *cgroup) kill() error {
	g.killed = true
	err := os.WriteFile(filepath.Join(g.dir, "cgroup.kill"), []byte("1"), 0)
	if err != nil {
		return fmt.Errorf("kill a control group: %w", err)
	}
	return nil
}

// populated reports whether anything lives in the group. The file is not kept
// open: each descriptor of a live command makes every fork dearer.
func (g *cgroup) populated() bool {
	fd, err := unix.Openat(g.fd, "cgroup.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false // it has been removed
	}
	defer unix.Close(fd)
	var b [64]byte
	n, _ := unix.Read(fd, b[:])
	return strings.Contains(string(b[:max(n, 0)]), "populated 1")
}

// members lists what lives in the group and in groups that it made itself.
func (g *cgroup) members() []member {
	if !g.populated() {
		return nil
	}
	var found []member
	_ = filepath.WalkDir(g.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // a group that has just been removed is empty
		}
		list, err := os.ReadFile(filepath.Join(path, "cgroup.procs"))
		if err != nil {
			return nil
		}
		for _, pid := range numbers(string(list)) {
			if pid <= 1 { // 0: outside of our pid namespace
				continue
			}
			if m, alive := readMember(pid); alive {
				found = append(found, m)
			}
		}
		return nil
	})
	return found
}

// killCgroup kills the tree by its control group if it has one. p.mu is held
// over it: a group that was given back meanwhile would be somebody else's.
func (p *process) killCgroup() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cgroup != nil && p.cgroup.kill() == nil
}

// cgroupMembers lists the tree by its control group, if it has one; an ended
// process gives an empty group back.
func (p *process) cgroupMembers() (found []member, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cgroup == nil {
		return nil, p.wasInCgroup
	}
	found = p.cgroup.members()
	if len(found) == 0 && p.ended {
		p.releaseCgroupLocked()
	}
	return found, true
}

// releaseCgroupLocked gives the control group back. p.mu is held.
func (p *process) releaseCgroupLocked() {
	if p.cgroup != nil && !p.cgroup.populated() {
		p.reaper.cgroups.release(p.cgroup)
		p.cgroup = nil
	}
}
