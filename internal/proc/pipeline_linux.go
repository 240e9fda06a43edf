package proc

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// pipeline implements [Process] for programs that are connected by pipes. Each
// stage is a process with a session, a group, a label and where there are any
// a control group of its own; the pipeline is their sum.
type pipeline struct {
	stages []*process // at least two
	stdin  *os.File   // nil: none
	output *output

	exited chan struct{} // all leaders
	gone   chan struct{} // all groups

	settling sync.Mutex // held to close the channels
}

// newPipeline follows stages that have been started.
func newPipeline(r *reaper, stages []*process, stdin *os.File, output *output) *pipeline {
	p := &pipeline{stages: stages, stdin: stdin, output: output, exited: make(chan struct{}), gone: make(chan struct{})}
	r.wg.Go(p.await)
	return p
}

// await follows the stages to their ends.
func (p *pipeline) await() {
	for _, s := range p.stages {
		<-s.exited
	}
	p.settle()
	for _, s := range p.stages {
		<-s.gone
	}
	p.settle()
}

// settle closes the channels whose time has come.
func (p *pipeline) settle() {
	p.settling.Lock()
	defer p.settling.Unlock()
	if !closed(p.exited) && p.all(func(s *process) bool { return closed(s.exited) }) {
		close(p.exited)
	}
	if !closed(p.gone) && p.all(func(s *process) bool { return closed(s.gone) }) {
		close(p.gone) // not before exited, as with each stage
	}
}

func (p *pipeline) all(holds func(*process) bool) bool {
	return !slices.ContainsFunc(p.stages, func(s *process) bool { return !holds(s) })
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (p *pipeline) last() *process { return p.stages[len(p.stages)-1] }

func (p *pipeline) PID() int                { return p.last().pid }
func (p *pipeline) Output() Output          { return p.output }
func (p *pipeline) Exited() <-chan struct{} { return p.exited }
func (p *pipeline) Gone() <-chan struct{}   { return p.gone }

func (p *pipeline) Stdin() Stdin {
	if p.stdin == nil {
		return nil
	}
	return p.stdin
}

// Exit implements [Process].
func (p *pipeline) Exit() Exit {
	exit := p.last().Exit()
	exit.CPU = 0
	for _, e := range p.Stages() {
		exit.CPU += e.CPU
	}
	return exit
}

// Stages implements [Process].
func (p *pipeline) Stages() []Exit {
	exits := make([]Exit, len(p.stages))
	for i, s := range p.stages {
		exits[i] = s.Exit()
	}
	return exits
}

// Poll implements [Process].
func (p *pipeline) Poll() {
	for _, s := range p.stages {
		s.Poll()
	}
	p.settle()
}

// Tree implements [Process].
func (p *pipeline) Tree() []Member {
	var tree []Member
	for _, s := range p.stages {
		tree = append(tree, s.Tree()...)
	}
	return tree
}

// Signal implements [Process]. The last stage is signalled first: one whose
// writer has ended would take that for the end of its input, and finish its
// work with a part of it.
func (p *pipeline) Signal(sig syscall.Signal) (found []Member, err error) {
	err = ErrGone
	for _, s := range slices.Backward(p.stages) {
		members, failed := s.Signal(sig)
		found = append(found, members...)
		if errors.Is(err, ErrGone) || err == nil && !errors.Is(failed, ErrGone) {
			err = failed
		}
	}
	return found, err
}

const (
	// abandonPause is the time between two SIGKILLs to stages that are
	// abandoned, so short because a launch waits for their end.
	abandonPause = time.Millisecond

	// abandonRounds bounds that wait, to some 5 s: what outlives it hangs in
	// the kernel.
	abandonRounds = 5000
)

// abandon ends the stages of a pipeline that could not be started as a whole,
// and waits until nothing of them is left. Descendants that have left the
// group tell nobody of their end, so they are looked for.
func abandon(stages []*process) {
	pause := time.NewTicker(abandonPause)
	defer pause.Stop()
	for range abandonRounds {
		left := false
		for _, s := range stages {
			_, _ = s.Signal(syscall.SIGKILL)
			s.Poll()
			left = left || !closed(s.gone) || len(s.members()) > 0
		}
		if !left {
			return
		}
		<-pause.C
	}
}
