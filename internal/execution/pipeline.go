package execution

import (
	"fmt"
	"syscall"

	"whelk/internal/command"
	"whelk/internal/proc"
	"whelk/internal/redact"
)

// maxStages bounds the programs of one pipeline: each costs the server three
// descriptors, and counts as no execution of its own. No sensible pipeline has
// a tenth.
const maxStages = 100

// checkStages checks the operators of an argv, and that each program has a name.
func checkStages(r *Request) error {
	if !r.Operators {
		if r.Argv[0] == "" {
			return errorf(InvalidArgument, "argv[0] is empty: it names the program")
		}
		return nil
	}
	stages, err := command.Stages(r.Argv)
	if err != nil {
		return &Error{Code: InvalidArgument, Text: err.Error(), Err: err}
	}
	if len(stages) > maxStages {
		return errorf(LimitExceeded, "the pipeline has %d programs; at most %d are started together: divide it, with files between", len(stages), maxStages)
	}
	for _, st := range stages {
		if st.Argv[0] == "" {
			return errorf(InvalidArgument, "argv[%d] is empty: it names the program", st.Index[0])
		}
	}
	return nil
}

// resolveStages finds the programs of the stages.
func resolveStages(spec *proc.Spec, stages []command.Stage, env *environ) error {
	for i, st := range stages {
		path, err := env.find(fmt.Sprintf("argv[%d]", st.Index[0]), st.Argv[0], spec.Dir)
		if err != nil {
			return err
		}
		if i == 0 {
			spec.Path, spec.Argv = path, st.Argv
		} else {
			spec.Next = append(spec.Next, proc.Stage{Path: path, Argv: st.Argv})
		}
	}
	return nil
}

// StageExit is how one stage of a pipeline ended.
type StageExit struct {
	Name     string         // the program as the request has it; cut if it is long
	ExitCode int            // negative: the signal's number
	Signal   syscall.Signal // that ended it; 0: none

	// Failed is an exit code other than 0, unless the stage only lost its
	// reader: every stage but the last may die of SIGPIPE, as yes does in
	// `yes | head -n 1`.
	Failed bool
}

// stageNames are the programs of a pipeline without secrets, nil for a single
// one.
func stageNames(spec *proc.Spec, secrets *redact.Set) []string {
	if len(spec.Next) == 0 {
		return nil
	}
	names := []string{cut(secrets.Text(spec.Argv[0]), maxListedName)}
	for _, st := range spec.Next {
		names = append(names, cut(secrets.Text(st.Argv[0]), maxListedName))
	}
	return names
}

// stageExits are the ends of all stages, which have exited.
func (e *Execution) stageExits() []StageExit {
	var exits []StageExit
	for i, exit := range e.proc.Stages() {
		x := StageExit{Name: e.stages[i], ExitCode: exit.Code, Signal: exit.Signal}
		if exit.Signal != 0 {
			x.ExitCode = -int(exit.Signal)
		}
		lostReader := exit.Signal == syscall.SIGPIPE && i < len(e.stages)-1
		x.Failed = x.ExitCode != 0 && !lostReader
		exits = append(exits, x)
	}
	return exits
}
