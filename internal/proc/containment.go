package proc

import "fmt"

// Containment is how the processes of a command are held together when they
// leave its group. It is chosen by what the machine allows; each one below
// also does what the ones after it do.
type Containment uint8

const (
	// Auto is the best that works here.
	Auto Containment = iota
	// Cgroup puts each command into a control group of its own, which nothing
	// it starts can leave and which dies at once. It needs a version 2
	// hierarchy that this process may write to.
	Cgroup
	// Subreaper adopts all orphans and finds a command's tree by walking from
	// its leader, and from the orphans that wear its label, down to their
	// children, as often as it takes.
	Subreaper
	// Group knows the process group alone, and what still descends from a
	// living leader. A daemon escapes it. It is for machines on which the
	// others fail, and for comparison.
	Group
)

var containments = [...]string{"auto", "cgroup", "subreaper", "group"}

// String returns the name as the option has it.
func (c Containment) String() string { return containments[c] }

// ParseContainment returns the containment of a name.
func ParseContainment(name string) (Containment, error) {
	for i, n := range containments {
		if n == name {
			return Containment(i), nil
		}
	}
	return Auto, fmt.Errorf("no such containment: %q", name)
}
