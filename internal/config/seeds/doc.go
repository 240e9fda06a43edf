// Package seeds reads the settings of the three servers that whelk can stand in
// for: mcp-yieldshell, tab-shell-mcp and mcp-shell-server. It owns their
// variables, flags and files, with the defaults and the rules of parsing that
// their documents promise.
//
// Words: a seed is one of these servers; its settings are everything that its
// operator can say to it. One file a seed, one function that reads it all.
//
// Invariants: a setting that limits what may run is never dropped. Where a seed
// itself ignores a missing file or a value of the wrong type, here it is an error
// that names the variable, the flag or the key and what it takes; the program says
// it and exits with 2.
//
// Only package main of the program calls this package.
package seeds
