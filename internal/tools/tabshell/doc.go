// Package tabshell is the tool set of tab-shell-mcp: commands in the foreground, that
// block until they end, and tasks in the background. It owns names, schemas and the
// form of results; what runs, for how long and whether it may is the engine's.
//
// Words: an outcome is how a command ended, as that server tells it; a task is a
// command in the background, with a handle, task_id; a length counts characters of the
// decoded output, as that server's limits do, not bytes.
//
// Invariants:
//   - A result is one text of JSON in the form of Python's json module, once as text
//     and once as the field result of the structured content.
//   - Only faulty arguments are marked as errors. A command that fails, is refused or
//     cannot start has a result that says so.
//   - A running task is never forgotten. An ended one is for the time to live.
//
// Only the program's wiring calls this package.
package tabshell
