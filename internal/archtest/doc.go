// Package archtest holds the house to its rules: which package may import
// which, where third parties may be used, how large a file may be, and that
// ARCHITECTURE.md says what the code does. All of it is tests, run by
// go test ./... with the rest.
//
// Words:
//
//   - the map: for every package the packages of the project that its code may
//     import. A package that is not on the map fails.
//   - a wall: the places where a library, or a name of the standard library,
//     may be used.
//   - a fault: one breach of a rule, as file:line and what to do about it.
//
// The tests parse the files themselves. They must not ask go list: the go
// command knows nothing of what that read and would serve an old result from
// its test cache.
//
// A rule is a function from a parsed tree to faults, so that it can be tried
// on small trees that break it. Nothing imports this package.
package archtest
