package command

import (
	"fmt"
	"slices"
)

// Stage is one program of an argv.
type Stage struct {
	// Argv holds the program and its arguments; it is empty only where
	// [Stages] returns an error.
	Argv []string
	// Index says of each element of Argv where it stands in the whole list.
	Index []int
	// Redirections are those of this stage, in their order: of two that are
	// about the same descriptor, the last counts.
	Redirections []Redirection
}

// Redirection connects the standard input (<) or output (>, >>) of a stage to
// a file.
type Redirection struct {
	Op, File string
	Index    int // of the operator in the whole list
}

// Reads says that the redirection is about the standard input.
func (r Redirection) Reads() bool { return r.Op == "<" }

// Stages divides a list of arguments into the stages of a pipeline. An element
// that is exactly | ends a stage; <, > or >> is a redirection and takes the
// next element for its file. Everything else is an argument, whatever it looks
// like: nothing is expanded, and a redirection may stand before the program,
// as in a shell.
//
// The error is a [*StageError], the first there is; the stages are then what
// could be made of the rest.
func Stages(argv []string) ([]Stage, error) {
	stages := []Stage{{}}
	var first error
	fault := func(f StageFault, index int) {
		if first == nil {
			first = &StageError{Fault: f, Index: index, Op: argv[index]}
		}
	}
	last, divider := &stages[0], 0 // the stage at hand, and the operator that it depends on
	for i := 0; i < len(argv); i++ {
		switch arg := argv[i]; {
		case arg == "|":
			if len(last.Argv) == 0 {
				fault(NoProgram, i)
			}
			stages = append(stages, Stage{})
			last, divider = &stages[len(stages)-1], i
		case !isRedirection(arg):
			last.Argv = append(last.Argv, arg)
			last.Index = append(last.Index, i)
		case i+1 == len(argv) || argv[i+1] == "":
			fault(NoFile, i)
			i++
		case isOperator(argv[i+1]):
			fault(OperatorAsFile, i)
		default:
			last.Redirections = append(last.Redirections, Redirection{Op: arg, File: argv[i+1], Index: i})
			i++
		}
	}
	if len(last.Argv) == 0 && len(argv) > 0 {
		fault(NoProgram, divider)
	}
	return stages, first
}

func isRedirection(arg string) bool { return arg == "<" || arg == ">" || arg == ">>" }

func isOperator(arg string) bool { return arg == "|" || isRedirection(arg) }

// single is the one stage of an argv without operators.
func single(argv []string) Stage {
	st := Stage{Argv: slices.Clone(argv), Index: make([]int, len(argv))}
	for i := range argv {
		st.Index[i] = i
	}
	return st
}

// StageFault is what is wrong with the operators of an argv.
type StageFault uint8

const (
	NoProgram      StageFault = iota // a stage has no program
	NoFile                           // a redirection has no file, or an empty name
	OperatorAsFile                   // a redirection's file is an operator
)

// StageError says why an argv cannot be divided into stages.
type StageError struct {
	Fault StageFault
	Op    string // the operator that it is about
	Index int    // of the operator in the list
}

func (e *StageError) Error() string {
	switch e.Fault {
	case NoFile:
		return fmt.Sprintf("argv[%d] (%s) has no file: the element after it names the file", e.Index, e.Op)
	case OperatorAsFile:
		return fmt.Sprintf("argv[%d] (%s) has an operator where its file should be", e.Index, e.Op)
	}
	return fmt.Sprintf("argv[%d] (%s): a pipeline needs a program on each side of |, and a redirection belongs to a program", e.Index, e.Op)
}
