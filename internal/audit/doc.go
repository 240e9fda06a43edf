// Package audit writes a record of each call that asked for a command: what was
// asked, and what became of it.
//
// Words: a record is one event, written as one JSON object on one line; its names
// are those that mcp-shell-server documents.
//
// Invariants:
//
//   - A line is one write, so that lines of several writers never mix in a file.
//   - A record holds no output, no standard input and no value of a variable. Of
//     arguments that say by their name that they are a secret, only the name.
//   - A record is bounded, whatever the call brought.
//   - A record that cannot be written where it belongs goes to standard error, with
//     the reason: it is never dropped in silence.
//
// Whoever has the facts of a call writes its record. The package is a leaf: it
// imports only the standard library and starts no goroutine.
package audit
