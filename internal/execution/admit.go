package execution

import (
	"slices"

	"whelk/internal/command"
	"whelk/internal/policy"
	"whelk/internal/principal"
)

// Explanation is what the policy says of a request, and why.
type Explanation struct {
	Analysis *command.Analysis
	Verdict  policy.Verdict
	// Dir is the absolute directory in which it would run.
	Dir string
	// Programs are the files that the commands' names lead to now, in the
	// order of the commands and each once. Names that lead to none, such as
	// those of builtins, stand as they are.
	Programs []string
}

// foresee is the work of [Caller.Explain].
func (s *Supervisor) foresee(r *Request, who principal.Principal) (Explanation, error) {
	if err := checkRequest(r); err != nil {
		return Explanation{}, err
	}
	s.starting <- struct{}{}
	defer func() { <-s.starting }()
	dir, _ := s.resolveDir(r.Dir)
	x := s.explain(r, who, dir)
	env := s.base.overlay(r.Env, dir)
	for _, c := range x.Analysis.Commands {
		name := c.Argv[0].Text
		if path, err := env.find("command", name, dir); err == nil {
			name = path
		}
		if !slices.Contains(x.Programs, name) {
			x.Programs = append(x.Programs, name)
		}
	}
	return x, nil
}

func (s *Supervisor) explain(r *Request, who principal.Principal, dir string) Explanation {
	shell := r.Shell
	if shell == "" {
		shell = s.opts.Shell
	}
	in := r.input(shell, dir)
	analysis := command.Analyse(in)
	verdict := s.policy.Load().And(who.Policy).Decide(policy.Request{
		Input: in, Analysis: analysis, Declared: r.Effects, ShellNamed: r.Shell != "",
	})
	return Explanation{Analysis: analysis, Verdict: verdict, Dir: dir}
}

// admit decides whether a request may run, and returns its analysis, which has
// the text or the stages to run: the very ones that were judged.
func (s *Supervisor) admit(r *Request, who principal.Principal, dir string) (*command.Analysis, error) {
	x := s.explain(r, who, dir)
	denial := x.Verdict.Denial()
	switch {
	case denial == nil:
	case denial.Decision == policy.Ask && r.Approved:
	case denial.Decision == policy.Ask:
		return nil, &Error{Code: ApprovalRequired, Text: denial.Error(), Err: denial}
	default:
		return nil, &Error{Code: PolicyDenied, Text: denial.Error(), Err: denial}
	}
	return x.Analysis, nil
}

// SetPolicy takes a new policy for all requests from now on; nil is none. What
// runs already goes on.
func (s *Supervisor) SetPolicy(p *policy.Policy) { s.policy.Store(p) }
