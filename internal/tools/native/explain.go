package native

import (
	"context"

	"whelk/internal/command"
	"whelk/internal/execution"
	"whelk/internal/policy"
)

// explain says what execute would do with the same arguments, without doing it.
func explain(s *set, ctx context.Context, args input) *answer {
	request, err := executeRequest(args.Args)
	hide := s.sup.Redaction(request.Env)
	if err != nil {
		return badArguments(err).redacted(hide)
	}
	x, err := s.caller(ctx).Explain(request)
	if err != nil {
		return new(answer).failed(err).redacted(hide)
	}
	return explained(x).redacted(hide)
}

func explained(x execution.Explanation) *answer {
	v := x.Verdict
	a := new(answer).add("decision", v.Decision.String())
	a.addSet("rule", v.Rule).addSet("reason", v.Reason).addSet("suggest", v.Suggest)
	a.add("side_effects_detected", effectNames(v.Effects)).add("side_effects_undeclared", effectNames(v.Undeclared))
	commands := make([]*answer, len(x.Analysis.Commands))
	for i := range x.Analysis.Commands {
		commands[i] = explainedCommand(&x.Analysis.Commands[i])
	}
	unknown := make([]*answer, len(v.Unknown))
	for i, u := range v.Unknown {
		unknown[i] = new(answer).add("kind", string(u.Kind)).add("reason", u.Reason).addSet("text", u.Text)
	}
	rules := make([]*answer, len(v.Matched))
	for i, m := range v.Matched {
		rules[i] = new(answer).add("decision", m.Decision.String()).add("rule", m.Rule).addSet("subject", m.Subject).add("reason", m.Reason).addSet("suggest", m.Suggest)
	}
	return a.add("commands", commands).add("unknown", unknown).add("rules", rules)
}

func explainedCommand(c *command.Command) *answer {
	argv := c.Texts()
	a := new(answer).add("name", argv[0]).add("argv", argv)
	if len(c.Via) > 0 {
		a.add("via", c.Via)
	}
	return a
}

func effectNames(effects []policy.Effect) []string {
	names := make([]string, len(effects))
	for i, e := range effects {
		names[i] = string(e)
	}
	return names
}
