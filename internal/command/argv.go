package command

import (
	"path"
	"slices"
	"strings"
)

// argv analyses a list of arguments that runs without a shell; what a shell
// would expand is plain text here.
func (a *analyser) argv(in Input) {
	if in.Operators {
		stages, err := Stages(in.Argv)
		a.out.Stages = stages
		if err != nil {
			a.unknown(KindSyntax, err.Error(), strings.Join(in.Argv, " "), Pos{})
		}
	} else {
		a.out.Stages = []Stage{single(in.Argv)}
	}
	s := &scope{dir: in.Dir, stdin: inputStdin(in), fixed: true}
	for i, stage := range a.out.Stages {
		if i > 0 {
			s.stdin = stdin{kind: stdinOpen}
		}
		if len(stage.Argv) > 0 {
			a.stage(stage, in.Operators, s)
		}
	}
}

// listOperators divide commands in a shell's text, and so are a
// misunderstanding in an argv that has other operators.
const listOperators = " ; && || "

// stage analyses one program of an argv.
func (a *analyser) stage(st Stage, operators bool, s *scope) {
	c := call{pos: Pos{Offset: st.Index[0]}, by: byExec}
	isFind := path.Base(st.Argv[0]) == "find"
	for i, arg := range st.Argv {
		pos := Pos{Offset: st.Index[i]}
		if operators && contains(listOperators, arg) && !(arg == ";" && isFind) {
			a.unknown(KindSyntax, "an argv has only the operators | < > >>; "+arg+" would be an argument: run the commands one by one, or as a shell's text", strings.Join(st.Argv, " "), pos)
		}
		c.words = append(c.words, known(arg, pos))
	}
	for _, r := range st.Redirections {
		c.redirects = append(c.redirects, a.argvRedirect(r, s))
	}
	a.run(c, s)
}

// argvRedirect judges a redirection, which is relative to the directory and
// may not leave it.
func (a *analyser) argvRedirect(r Redirection, s *scope) Redirect {
	pos, text := Pos{Offset: r.Index}, r.Op+" "+r.File
	out := Redirect{Op: r.Op, Target: Word{Text: r.File, Known: true}, Reads: r.Reads(), Writes: !r.Reads(), Pos: pos}
	out.Path = a.judgeTarget(known(r.File, pos), out.Writes, s.dir, text)
	if out.Reads {
		s.stdin = stdin{kind: stdinOpen}
	}
	if path.IsAbs(r.File) || slices.Contains(strings.Split(r.File, "/"), "..") {
		a.unknown(KindRedirect, "the file of a redirection must be named relative to the directory, without ..: "+r.File, text, pos)
	}
	return out
}
