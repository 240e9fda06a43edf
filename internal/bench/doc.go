// Package bench measures the program as its clients see it, against programs
// that do the least that the same work can cost. It has tests and benchmarks
// only; scripts/bench.sh runs them all and prints one table.
//
// Words:
//
//   - limit: a program that does what the server must do at least, without
//     being a server. They are in testdata: limit-spawn, limit-pipe and stamp
//     in C (in Go where there is no C compiler), and handloop in Go.
//   - round: one block of operations of the limit, then one of the server.
//     Both meet the same machine, so that the ratio holds where times do not.
//   - measure: one thing measured, in rounds or once, and its metrics.
//   - footprint: a measure that only counts (threads, descriptors, memory,
//     processor time), which other load on the machine disturbs little.
//
// Rules: of a round counts a low quantile (or the median, where the aim is
// about the usual case), of all rounds the median. What is driven is always the
// program as it is shipped, by a client that adds next to nothing. A default
// `go test` tries each measure with a small load and fails only for counters.
//
// Nothing imports this package. Its test binary also plays the limit programs
// where there is no C compiler, and the program of the measures inside one
// process (see roles).
package bench
