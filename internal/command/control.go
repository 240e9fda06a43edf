package command

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The walk of control flow keeps two things besides the commands: the working
// directory, where a change of directory whose outcome nobody looks at is
// taken to succeed, and the functions that are defined on every path. After
// branches that end in different directories the directory is unknown.

func isPipe(cmd *syntax.BinaryCmd) bool {
	return cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll
}

// leftSpine returns the first statement of a list or pipeline, and the
// operators after it in order. Long ones lean to the left: no recursion.
func leftSpine(cmd *syntax.BinaryCmd) (first *syntax.Stmt, rest []*syntax.BinaryCmd) {
	rest = append(rest, cmd)
	first = cmd.X
	for {
		left, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || len(first.Redirs) > 0 || first.Background || isPipe(left) != isPipe(cmd) {
			slices.Reverse(rest)
			return first, rest
		}
		rest = append(rest, left)
		first = left.X
	}
}

// list walks A && B || C.
func (a *analyser) list(cmd *syntax.BinaryCmd, s *scope) {
	start := s.sub()
	first, rest := leftSpine(cmd)
	a.statement(first, s)
	for _, each := range rest {
		branch := s.sub()
		if each.Op == syntax.AndStmt {
			a.statement(each.Y, branch)
			s.dir = branch.dir
			continue
		}
		branch.merge(start)
		a.statement(each.Y, branch)
		if !leaves(each.Y) {
			s.merge(branch)
		}
	}
}

// leaves says that nothing of the script runs after the statement.
func leaves(st *syntax.Stmt) bool {
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 {
			return false
		}
		name := cmd.Args[0].Lit()
		return name == "exit" || name == "return"
	case *syntax.Block:
		return len(cmd.Stmts) > 0 && leaves(cmd.Stmts[len(cmd.Stmts)-1])
	}
	return false
}

// pipeline walks A | B | C, each in a subshell.
func (a *analyser) pipeline(cmd *syntax.BinaryCmd, s *scope) {
	first, rest := leftSpine(cmd)
	a.statement(first, s.sub())
	for _, each := range rest {
		inner := s.sub()
		inner.stdin = pipedFrom(each.X, s)
		a.statement(each.Y, inner)
	}
}

func (a *analyser) ifClause(cmd *syntax.IfClause, s *scope) {
	a.statements(cmd.Cond, s)
	then := s.sub()
	a.statements(cmd.Then, then)
	otherwise := s.sub()
	for cmd = cmd.Else; cmd != nil; cmd = cmd.Else {
		a.statements(cmd.Cond, otherwise)
		branch := otherwise.sub()
		a.statements(cmd.Then, branch)
		then.merge(branch)
		if len(cmd.Cond) == 0 { // else
			otherwise = branch
		}
	}
	then.merge(otherwise)
	s.dir = then.dir
}

// loop walks a loop's head and body. A body that changes the directory starts
// its second round in another one.
func (a *analyser) loop(cmd syntax.Command, body []*syntax.Stmt, s *scope, head func(*scope)) {
	if moves(s.source(cmd)) {
		s.dir = ""
	}
	head(s)
	inner := s.sub()
	a.statements(body, inner)
	s.merge(inner)
}

// moves says that a text could change the directory.
func moves(text string) bool {
	return strings.Contains(text, "cd") || strings.Contains(text, "pushd") ||
		strings.Contains(text, "popd") || strings.Contains(text, "eval")
}

// forHead walks what a for or select loop goes over.
func (a *analyser) forHead(loop syntax.Loop, s *scope) {
	switch loop := loop.(type) {
	case *syntax.WordIter:
		name := loop.Name.Value
		for _, item := range loop.Items {
			a.visit(item.Parts, s, plain)
			a.assigned(name, originOf(item, s))
		}
		if len(loop.Items) == 0 { // the positional parameters
			a.assigned(name, origin{})
		}
		a.judgeAssignment(Assignment{Name: name, Value: Word{Text: "$" + name}, Pos: s.at(loop)})
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			a.arithmetic(x, s)
		}
	default:
		a.unknown(KindSyntax, "this loop is not understood", "", s.pos)
	}
}

func (a *analyser) caseClause(cmd *syntax.CaseClause, s *scope) {
	a.visit(cmd.Word.Parts, s, plain)
	end := s.sub()
	for _, item := range cmd.Items {
		for _, pattern := range item.Patterns {
			a.visit(pattern.Parts, s, plain)
		}
		branch := s.sub()
		if item.Op != syntax.Break && s.moves {
			branch.dir = "" // may be entered from the item before
		}
		a.statements(item.Stmts, branch)
		end.merge(branch)
	}
	s.dir = end.dir
}

// function walks a function's body, called or not. It runs where it is called:
// the directory is that of the definition only if the script never leaves it.
func (a *analyser) function(cmd *syntax.FuncDecl, s *scope) {
	if cmd.Name == nil {
		a.unknown(KindSyntax, "this function is not understood", s.source(cmd), s.at(cmd))
		return
	}
	if list, ok := cmd.Body.Cmd.(*syntax.BinaryCmd); ok {
		// The parser takes what follows && and | for the body's, too.
		outermost := cmd.Body
		for {
			inner, ok := list.X.Cmd.(*syntax.BinaryCmd)
			if !ok {
				break
			}
			list = inner
		}
		definition := *cmd
		definition.Body = list.X
		list.X = &syntax.Stmt{Position: cmd.Position, Cmd: &definition}
		a.statement(outermost, s)
		return
	}
	name := cmd.Name.Value
	if _, ok := builtin(name); ok {
		a.unknown(KindRedefinition, "a function takes the name of the shell's own command "+name, s.source(cmd), s.at(cmd))
	}
	s.define(name)
	body := s.under("function " + name)
	if s.moves {
		body.dir = ""
	}
	body.stdin = body.stdin.shared()
	a.statement(cmd.Body, body)
}

// judgeUnset reports functions that are called and removed: whether the call
// means the function or a program depends on the order.
func (a *analyser) judgeUnset() {
	for _, name := range slices.Sorted(maps.Keys(a.called)) {
		if a.allUnset || a.unset[name] {
			a.unknown(KindRedefinition, "the function "+name+" is removed somewhere; then its name means a program", name, Pos{})
		}
	}
}
