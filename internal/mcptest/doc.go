// Package mcptest drives the real program in tests, over real pipes, as an MCP
// client does: byte by byte where a test wants to, by calls where not.
//
// A [Server] is one running program. Its standard error is kept, and checked
// for panics and races when the test ends; whatever the test leaves running is
// killed then. Nothing outside of tests imports this package.
package mcptest
