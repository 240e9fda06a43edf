// Package execution owns every command from its request to the end of its
// retention. [Caller.Start] is the one door through which a process
// starts.
//
// Words:
//
//   - execution: one command. Its handle is [Execution.ID], opaque to callers.
//   - live: the execution's process group, or in a pipeline that of a stage,
//     still has a member.
//   - ended: the group is gone, the output is drained, the result is stored.
//     An ended execution is retained for a while, so that its output can be
//     read, and then removed.
//   - yield: a caller stops waiting and the execution goes on; a view of a
//     running execution, not a state of it.
//
// Invariants:
//
//   - One goroutine, [Execution.run], owns an execution's state. It moves only
//     along the table in state.go.
//   - An ended status is never shown while a member of the group lives, unless
//     the supervisor is told otherwise ([Options.EndWithOutput]).
//   - The result is stored before the channel of [Execution.Done] is closed.
//     Both are the last that happens to an execution.
//   - An exit wins over a timer that fires at the same moment: when a limit
//     is reached the process is looked at first.
//   - An execution outlives the call that started it. Nothing is keyed to a
//     connection.
//   - An execution belongs to a principal. To others it does not exist, on any
//     method of [Caller].
//
// Tool sets use this package through its exported methods only.
package execution
