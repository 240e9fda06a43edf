package command

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// scope is the state of the shell at a place of a script, as far as it is
// followed. A subshell gets a copy.
type scope struct {
	dialect dialect
	// src is the script's text, for messages. A script within a text has its
	// own; then fixed says that all its places are the one of its command.
	src   string
	fixed bool
	pos   Pos
	// moves says that the script, or one around it, may change the directory.
	moves bool
	// dir is the working directory, or "" if it is not known.
	dir string
	// via says what the commands here were unwrapped from.
	via []string
	// functions holds the functions that are defined here on every path. It
	// is never written: a new definition makes a new map.
	functions map[string]bool
	stdin     stdin
	// scripts and wrappers count how deep this is nested.
	scripts, wrappers int
}

// sub returns the scope of a subshell, or of a branch that may not be taken.
func (s *scope) sub() *scope {
	copied := *s
	return &copied
}

// under returns a subshell's scope for what the named wrapper runs.
func (s *scope) under(wrapper string) *scope {
	inner := s.sub()
	inner.via = append(slices.Clip(s.via), wrapper)
	return inner
}

// define adds a function.
func (s *scope) define(name string) {
	functions := make(map[string]bool, len(s.functions)+1)
	maps.Copy(functions, s.functions)
	functions[name] = true
	s.functions = functions
}

// merge says that the shell is here, or where the other scope left it.
func (s *scope) merge(other *scope) {
	if s.dir != other.dir {
		s.dir = ""
	}
}

// at returns the place of a node.
func (s *scope) at(node syntax.Node) Pos {
	if s.fixed {
		return s.pos
	}
	p := node.Pos()
	return Pos{Offset: int(p.Offset()), Line: int(p.Line()), Col: int(p.Col())}
}

// source returns the text of a node as written.
func (s *scope) source(node syntax.Node) string {
	from, to := int(node.Pos().Offset()), int(node.End().Offset())
	if from > to || to > len(s.src) {
		return ""
	}
	return s.src[from:to]
}
