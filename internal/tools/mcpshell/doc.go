// Package mcpshell is the tool set that stands in for mcp-shell-server: its one
// tool, shell_execute, with its parameters, its two forms of a result, and the
// record of each call.
//
// Words: a call is what a client asks for, translated for the engine; a result is
// what it is told, once as text items and once as the documented fields.
//
// Invariants:
//
//   - The set translates and decides nothing: what may run, where, how long and
//     how much it may write is the engine's to say.
//   - The text items are those that mcp-shell-server sends. The fields are those
//     that it documents, all of them whatever the outcome, with the exact output.
//   - Every call leaves one record.
package mcpshell
