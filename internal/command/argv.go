package command

import "strings"

// argv analyses a list of arguments that runs without a shell. An element |
// divides a pipeline, and redirections are elements, as the seed that takes
// such lists documents; what a shell would expand is plain text here.
func (a *analyser) argv(in Input) {
	s := &scope{dir: in.Dir, stdin: inputStdin(in), fixed: true}
	start := 0
	for i, arg := range in.Argv {
		if arg == "|" {
			a.argvCommand(in.Argv[start:i], start, s)
			s.stdin = stdin{kind: stdinOpen}
			start = i + 1
		}
	}
	a.argvCommand(in.Argv[start:], start, s)
}

// shellOperators are elements that mean something to a shell, and so are a
// misunderstanding where there is none.
const shellOperators = " ; & && || |& ;; ( ) "

// argvCommand analyses one command of the list. first is its index.
func (a *analyser) argvCommand(args []string, first int, s *scope) {
	c := call{pos: Pos{Offset: first}, by: byExec}
	if len(args) == 0 {
		a.unknown(KindSyntax, "a pipeline has an empty command", "|", c.pos)
		return
	}
	isFind := args[0] == "find" || strings.HasSuffix(args[0], "/find")
	for i := 0; i < len(args); i++ {
		pos := Pos{Offset: first + i}
		switch arg := args[i]; {
		case contains(shellOperators, arg) && !(arg == ";" && isFind):
			a.unknown(KindSyntax, "an argv has no operators; "+arg+" would be an argument: run the commands one by one, or as a shell's text", strings.Join(args, " "), pos)
		case i > 0 && isRedirection(arg):
			i++
			if i == len(args) {
				a.unknown(KindSyntax, "a redirection has no file", arg, pos)
				continue
			}
			c.redirects = append(c.redirects, a.argvRedirect(arg, args[i], pos, s))
		default:
			c.words = append(c.words, known(arg, pos))
		}
	}
	if len(c.words) > 0 {
		a.run(c, s)
	}
}

func isRedirection(arg string) bool { return arg == "<" || arg == ">" || arg == ">>" }

// argvRedirect judges a redirection, which is relative to the directory.
func (a *analyser) argvRedirect(op, file string, pos Pos, s *scope) Redirect {
	r := Redirect{Op: op, Target: Word{Text: file, Known: true}, Reads: op == "<", Writes: op != "<", Pos: pos}
	r.Path = a.judgeTarget(known(file, pos), r.Writes, s.dir, op+" "+file)
	if r.Reads {
		s.stdin = stdin{kind: stdinOpen}
	}
	if strings.HasPrefix(file, "../") || file == ".." {
		a.unknown(KindRedirect, "the file of a redirection lies outside of the directory: "+file, op+" "+file, pos)
	}
	return r
}
