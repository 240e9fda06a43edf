package redact

import "slices"

// automaton finds all occurrences of many patterns in one pass: Aho and
// Corasick's ("Efficient String Matching", 1975), with failure links rather
// than full tables, because a value may have 128 KiB. A table of shifts by
// pairs of bytes (Wu and Manber, 1994) leaps over what can begin no pattern.
// It does not change once made.
type automaton struct {
	nodes    []node // the first is the root
	root     [256]int32
	patterns []pattern
	window   int // bytes of each pattern that the shifts look at
	shifts   [1 << 16]uint8
}

// node stands for a beginning of some patterns: what has been read and is still
// of use.
type node struct {
	child, sibling int32 // 0: none
	fail           int32 // the longest end of this that is a beginning, too
	depth          int32 // bytes
	match          int32 // the longest pattern that ends here; noMatch: none
	b              byte  // the last
}

const noMatch = -1

// pattern is one form of a value.
type pattern struct {
	size int
	mark string
}

// maxWindow keeps shifts in a byte. Windows of more gain nothing: memory is
// read faster than that.
const maxWindow = 64

// newAutomaton returns the automaton of the values, nil if there are none.
func newAutomaton(values []value, encoded bool) *automaton {
	if len(values) == 0 {
		return nil
	}
	a := &automaton{nodes: []node{{match: noMatch}}, window: maxWindow}
	var all []string
	for _, v := range values {
		forms := []string{v.text}
		if encoded {
			forms = append(forms, encodedForms(v.text)...)
		}
		for _, form := range forms {
			a.insert(form, mark(v.name))
			a.window = min(a.window, len(form))
		}
		all = append(all, forms...)
	}
	a.nodes = slices.Clone(a.nodes) // without the room it grew into
	a.link()
	a.shift(all)
	return a
}

// insert adds a pattern; one that is there already keeps its mark.
func (a *automaton) insert(text, mark string) {
	at := int32(0)
	for i := range len(text) {
		next := a.childOf(at, text[i])
		if next == 0 {
			next = int32(len(a.nodes))
			a.nodes = append(a.nodes, node{sibling: a.nodes[at].child, depth: int32(i + 1), match: noMatch, b: text[i]})
			a.nodes[at].child = next
		}
		at = next
	}
	if a.nodes[at].match == noMatch {
		a.nodes[at].match = int32(len(a.patterns))
		a.patterns = append(a.patterns, pattern{len(text), mark})
	}
}

func (a *automaton) childOf(at int32, b byte) int32 {
	next := a.nodes[at].child
	for next != 0 && a.nodes[next].b != b {
		next = a.nodes[next].sibling
	}
	return next
}

// link sets the failure links, level by level.
func (a *automaton) link() {
	queue := make([]int32, 0, len(a.nodes))
	for c := a.nodes[0].child; c != 0; c = a.nodes[c].sibling {
		a.root[a.nodes[c].b] = c
		queue = append(queue, c)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for c := a.nodes[at].child; c != 0; c = a.nodes[c].sibling {
			n := &a.nodes[c]
			n.fail = a.step(a.nodes[at].fail, n.b)
			if n.match == noMatch {
				n.match = a.nodes[n.fail].match
			}
			queue = append(queue, c)
		}
	}
}

// step returns where the byte b leads from a node.
func (a *automaton) step(at int32, b byte) int32 {
	for at != 0 {
		if next := a.childOf(at, b); next != 0 {
			return next
		}
		at = a.nodes[at].fail
	}
	return a.root[b]
}

// shift fills the table: by how much the window may be moved on when its last
// two bytes are this pair.
func (a *automaton) shift(patterns []string) {
	for i := range a.shifts {
		a.shifts[i] = uint8(a.window - 1)
	}
	for _, p := range patterns {
		for end := 2; end <= a.window; end++ {
			at := &a.shifts[pair(p[end-2], p[end-1])]
			*at = min(*at, uint8(a.window-end))
		}
	}
}

func pair(first, second byte) int { return int(first)<<8 | int(second) }

// leap returns the first position from i on where a pattern may begin, as far
// as p tells.
func (a *automaton) leap(p []byte, i int) int {
	for end := i + a.window; end <= len(p); {
		by := int(a.shifts[pair(p[end-2], p[end-1])])
		if by == 0 {
			return end - a.window
		}
		end += by
		i = end - a.window
	}
	return min(i, len(p))
}
