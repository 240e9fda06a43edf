// Package proc starts, signals and awaits one command on this machine.
//
// It knows processes and nothing else: no shell text, no policy, no time
// limits. Package execution decides when something is started, signalled or
// given up; this package does it.
//
// Words:
//
//   - leader: the process that [Launcher.Launch] started. It leads a session
//     and a process group of its own, so its pid is also its group's number.
//   - group: the leader's process group. A command runs until its group is
//     gone, not until its leader has exited: `server & echo started` leaves a
//     group behind.
//   - stage: one program of a pipeline. It is a leader with a group of its own;
//     the pipeline has ended when all its groups have.
//   - orphan: a descendant whose parent died. Linux hands it to this process,
//     which is its subreaper, so that its end can be seen and reaped.
//
// Invariants:
//
//   - [Local] owns every wait of the operating system process. There is one
//     Local in a process, and nothing else in it may call wait, os/exec
//     included.
//   - No thread waits for a child: pidfds and pipes wait in Go's poller. (A
//     thread a child, as os/exec has it, ends the whole program when the
//     kernel refuses one more.)
//   - An exit is stored before [Process.Exited] is closed, and the group is
//     empty before [Process.Gone] is closed. A group that was seen gone is
//     never signalled again, because its number may belong to somebody else.
//   - A child gets a new session, no controlling terminal, exactly the
//     descriptors 0 to 2 (and 3 when its text is too long for an argument,
//     which the text itself closes), default signal dispositions and an empty
//     signal mask; see [ResetInherited].
//
// The package is a leaf: it imports nothing of whelk, and is used by package
// execution, by cmd/whelk for the wiring, and later by package sandbox, which
// wraps a Launcher in another one.
package proc
