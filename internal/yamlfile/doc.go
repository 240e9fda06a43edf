// Package yamlfile reads files of settings in YAML: safely, and into a tree that
// knows its lines. What the keys of a file mean is the caller's.
//
// Words: a node is one value of the tree, of the parser's type; an entry is one key
// of a mapping with its value.
//
// Invariants: whatever a file holds, reading it ends soon and never ends the
// program. Nothing in a file stands for something that is written elsewhere: no
// anchors, no tags. Every fault has a line, and words that say what to write instead.
//
// Configuration calls it, nothing below does.
package yamlfile
