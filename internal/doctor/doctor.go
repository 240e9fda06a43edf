// Package doctor finds out what this machine can enforce, what is wrong, and
// how to mend it.
//
// Words: a check looks at one thing; its status is ok, warning (it works, but
// something better could be had) or problem (something promised does not
// hold); its fix is what a person can do about it.
//
// Invariants: a check tries the thing itself instead of concluding from
// versions, changes nothing that stays, and leaves no process. Only cmd/whelk
// calls this package.
package doctor

import (
	"fmt"

	"whelk/internal/proc"
)

// Status is how a check came out.
type Status string

const (
	OK      Status = "ok"
	Warning Status = "warning"
	Problem Status = "problem"
)

// Result is what a check found.
type Result struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// Run does all checks. shell is the configured shell.
func Run(shell string) ([]Result, error) {
	facts, err := proc.Examine()
	if err != nil {
		return nil, fmt.Errorf("examine the machine: %w", err)
	}
	return []Result{
		containment(facts),
		signals(facts),
		orphans(facts),
		guardian(facts),
		checkShell(shell),
		checkPath(),
	}, nil
}

func containment(f proc.Facts) Result {
	r := Result{Name: "containment", Status: OK, Detail: f.Containment.String() + " (kernel " + f.Kernel + ")"}
	switch f.Containment {
	case proc.Subreaper:
		r.Status = Warning
		r.Detail += fmt.Sprintf(": whole trees are ended, but not at one stroke; control groups cannot be used: %v", f.ContainmentFault)
		r.Fix = "let the server run in a delegated version 2 control group, e.g. by systemd-run --user --scope -p Delegate=yes"
	case proc.Group:
		r.Status = Problem
		r.Detail += ": a daemon that a command starts escapes"
		r.Fix = "use a kernel that lets a process adopt orphans (PR_SET_CHILD_SUBREAPER), or a writable version 2 control group"
	}
	return r
}

func signals(f proc.Facts) Result {
	if f.PidfdGroups {
		return Result{Name: "group signals", Status: OK, Detail: "by pidfd: a reused number cannot be hit"}
	}
	return Result{
		Name: "group signals", Status: Warning,
		Detail: "by number: this kernel cannot signal a group by pidfd",
		Fix:    "use Linux 6.9 or newer",
	}
}

func orphans(f proc.Facts) Result {
	if f.Subreaper && f.ChildrenListed && f.Labels {
		return Result{Name: "orphans", Status: OK, Detail: "they come to the server, and it knows whose they are"}
	}
	r := Result{Name: "orphans", Status: Problem, Fix: "use a usual kernel, and a hard limit of RLIMIT_LOCKS that is unlimited"}
	switch {
	case !f.Subreaper:
		r.Detail = "they do not come to the server"
	case !f.ChildrenListed:
		r.Detail = "the kernel does not list the children of a process (CONFIG_PROC_CHILDREN)"
	default:
		r.Detail = "they cannot be told apart: the hard limit of RLIMIT_LOCKS is too low for labels"
	}
	return r
}

func guardian(f proc.Facts) Result {
	if f.Labels {
		return Result{Name: "guardian", Status: OK, Detail: "it can find all trees of a server that was killed"}
	}
	return Result{
		Name: "guardian", Status: Problem,
		Detail: "it cannot find the trees of a server that was killed: the hard limit of RLIMIT_LOCKS is too low for labels",
		Fix:    "start the server with `ulimit -H -x unlimited`",
	}
}
