// Package differential compares what package command says of a shell's text
// with what real shells do with it. It holds tests alone.
//
// The words. A program is a random shell text whose commands have made-up
// names, c0 to c9. They exist only as recording stubs in a sandbox; each stub
// notes its name and its arguments. A run is what the stubs noted. A program
// is resolved if the analysis has no unknown that could hide a command and no
// refusal. A miss is a resolved program that ran a command which the analysis
// does not have: a hole in every policy.
//
// The invariants. A program is a function of its seed alone. Programs run in
// namespaces of their own, under a root that holds the stubs, bash, dash and a
// few harmless tools, without a network, and as a user who owns nothing. The
// share of resolved programs has a floor, so that calling everything unknown
// is no way to have no misses.
//
// The default test run is short; scripts/differential.sh runs for longer.
package differential
