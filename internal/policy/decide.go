package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"whelk/internal/command"
)

// Decide judges a request. It is the strictest of everything that matches:
// refusals that hold whatever the policy, blocked side effects, denied
// entries, rules, allow sets, unknowns, the shell and the roots. nil has
// nothing configured.
func (p *Policy) Decide(r Request) Verdict {
	if r.Analysis == nil {
		r.Analysis = command.Analyse(r.Input)
	}
	v := p.decide(r)
	if p != nil {
		for _, other := range p.others {
			v.merge(other.Decide(r))
		}
	}
	return v
}

// decide is Decide without the other policies.
func (p *Policy) decide(r Request) Verdict {
	v := Verdict{Unknown: r.Analysis.Unknown}
	if refused := r.Analysis.Refused; refused != nil && (!refused.TooLarge || p != nil && p.judges()) {
		v.add(Match{Decision: Deny, Rule: "always", Subject: shown(textOf(&r)), Reason: refused.Reason, Suggest: refused.Suggest})
		return v
	}
	if p == nil {
		return v
	}
	d := p.detectEffects(&v, &r)
	p.onEffects(&v, &r, d)
	if p.judges() {
		scopes := p.scopes(&r, d)
		p.onDenied(&v, scopes)
		p.onRules(&v, scopes)
		p.onSets(&v, scopes)
		p.onLinks(&v, &r)
	}
	if p.judges() || len(p.roots) > 0 {
		p.onUnknowns(&v, r.Analysis)
	}
	if p.judges() {
		p.onShell(&v, &r)
	}
	if len(p.roots) > 0 {
		p.onRoots(&v, &r)
	}
	return v
}

// mostMatches is how many matches a verdict lists besides those that raise its
// decision. A long text could have one for each command.
const mostMatches = 64

// add enters a match, which decides if it is the first of the strictest.
func (v *Verdict) add(m Match) {
	if m.Decision == Allow || len(v.Matched) >= mostMatches && m.Decision <= v.Decision {
		return
	}
	v.Matched = append(v.Matched, m)
	if m.Decision > v.Decision {
		v.Decision, v.Rule, v.Reason, v.Suggest = m.Decision, m.Rule, m.Reason, m.Suggest
	}
}

// detectEffects finds side effects, unless that is off.
func (p *Policy) detectEffects(v *Verdict, r *Request) detected {
	if p.mode == Off || p.mode == "" {
		return detected{}
	}
	f := inference{places: &p.places, agent: p.agent, trusted: p.trusted, links: links{}, writes: map[string][]Effect{}}
	d := f.detect(&r.Input, r.Analysis)
	v.Effects = d.all
	for _, e := range d.all {
		if !slices.Contains(r.Declared, e) {
			v.Undeclared = append(v.Undeclared, e)
		}
	}
	return d
}

// onEffects judges the blocked ones among the declared and the detected.
func (p *Policy) onEffects(v *Verdict, r *Request, d detected) {
	found := func(e Effect) bool { return p.mode == Enforce && slices.Contains(d.all, e) }
	var declared []Effect
	for _, e := range r.Declared {
		if slices.Contains(p.blocked, e) && !found(e) {
			declared = append(declared, e)
		}
	}
	if len(declared) > 0 {
		v.add(declaredMatch(r, declared))
	}
	for _, e := range p.blocked {
		if !found(e) {
			continue
		}
		m := Match{
			Decision: Deny, Rule: effectsRule, Suggest: strings.TrimSuffix(e.Advice(), "."), Subject: shown(textOf(r)),
			Reason: fmt.Sprintf("the side effect %s is blocked, and the command would have it", e),
		}
		for i := range d.commands {
			if slices.Contains(d.commands[i], e) {
				c := &r.Analysis.Commands[i]
				m.Subject, m.Program, m.Pos = subjectOf(c), baseName(c), c.Pos
				break
			}
		}
		v.add(m)
	}
}

const effectsRule = "blocked side effects"

// declaredMatch is about the blocked effects that a call declares: it names all of
// them, so that one answer says everything that must change.
func declaredMatch(r *Request, effects []Effect) Match {
	m := Match{Decision: Deny, Rule: effectsRule, Subject: shown(textOf(r))}
	if len(effects) == 1 {
		m.Reason = fmt.Sprintf("the side effect %s is blocked, and the call declares it; nothing was started", effects[0])
		m.Suggest = strings.TrimSuffix(effects[0].Advice(), ".")
		return m
	}
	names, advice := make([]string, len(effects)), make([]string, len(effects))
	for i, e := range effects {
		names[i], advice[i] = string(e), fmt.Sprintf("%s: %s", e, e.Advice())
	}
	m.Reason = fmt.Sprintf("the side effects %s are blocked, and the call declares them; nothing was started", strings.Join(names, ", "))
	m.Suggest = strings.TrimSuffix(strings.Join(advice, " "), ".")
	return m
}

// onDenied judges the deny lists and expressions.
func (p *Policy) onDenied(v *Verdict, scopes []scope) {
	for i := range scopes {
		s := &scopes[i]
		if s.command == nil {
			continue
		}
		p.deny.each(s.base, s.keys, s.args, func(e *entry, sure certainty) {
			v.add(p.denied(s.command, fmt.Sprintf("deny %q", e.text), Deny, sure,
				fmt.Sprintf("%s is on the list of denied commands", e.text), p.alternative(e.key())))
		})
		for _, re := range p.denyRegex {
			if re.MatchString(s.texts[0]) {
				v.add(p.denied(s.command, "deny_regex", Deny, yes, "the command matches the expression "+shown(re.String()), p.alternative(s.base)))
			}
		}
	}
	text := scopes[len(scopes)-1].whole.text
	for _, re := range p.denyRegex {
		if at := re.FindStringIndex(text); at != nil {
			v.add(Match{
				Decision: Deny, Rule: "deny_regex", Subject: shown(text[at[0]:]),
				Reason: "the text matches the expression " + shown(re.String()), Suggest: p.alternative(""),
			})
		}
	}
}

// denied makes the match of a command that is, or could be, what a rule is
// about. What only could be is left to the decision on unknowns.
func (p *Policy) denied(c *command.Command, rule string, decision Decision, sure certainty, reason, suggest string) Match {
	if sure == maybe {
		decision = min(decision, p.onUnknown)
		reason += "; whether this is it is known only when it runs"
		suggest = "write the words themselves, without variables and wildcards"
	}
	return Match{
		Decision: decision, Rule: rule, Subject: subjectOf(c), Program: baseName(c), Reason: reason, Suggest: suggest, Pos: c.Pos,
	}
}

// onRules judges the rules that deny or ask.
func (p *Policy) onRules(v *Verdict, scopes []scope) {
	for _, r := range p.rules {
		if r.Decision == Allow {
			continue
		}
		for i := range scopes {
			s := &scopes[i]
			sure := r.holds(s)
			if sure == no {
				continue
			}
			reason := first(r.Reason, "the rule is about this")
			if s.command != nil {
				v.add(p.denied(s.command, r.Name, r.Decision, sure, reason, first(r.Suggest, p.alternative(s.base))))
				continue
			}
			m := p.denied(&command.Command{Argv: []command.Word{{Text: s.whole.text}}}, r.Name, r.Decision, sure, reason, first(r.Suggest, p.alternative("")))
			v.add(m)
		}
	}
}

// onSets judges commands that nothing permits.
func (p *Policy) onSets(v *Verdict, scopes []scope) {
	for i := range scopes {
		s := &scopes[i]
		if s.command == nil {
			continue
		}
		name := s.command.Argv[0]
		if !name.Known || name.Glob && name.Text != "[" {
			p.onDynamicName(v, s.command)
			continue
		}
		for _, set := range p.sets {
			if set.permits(s, p.trusted) {
				continue
			}
			v.add(Match{
				Decision: Deny, Rule: set.name, Subject: subjectOf(s.command), Program: s.base, Pos: s.command.Pos,
				Reason:  fmt.Sprintf("%q is not among the commands that are allowed", shown(name.Text)),
				Suggest: p.instead(set, s),
			})
		}
	}
}

// onDynamicName judges a command whose name is not known, in case that the
// analysis did not say so itself.
func (p *Policy) onDynamicName(v *Verdict, c *command.Command) {
	v.add(Match{
		Decision: p.onUnknown, Rule: "on_unknown", Subject: subjectOf(c), Pos: c.Pos,
		Reason:  "the name of the command is known only when it runs: " + shown(c.Argv[0].Text),
		Suggest: rewritten(command.KindDynamicName),
	})
}

// instead names something that the set permits.
func (p *Policy) instead(set *allowSet, s *scope) string {
	name := s.command.Argv[0].Text
	if base := path.Base(name); base != name && len(set.byName[base]) > 0 {
		return fmt.Sprintf("write %s, which is found in the system's directories", base)
	}
	if same := set.byName[path.Base(name)]; len(same) > 0 {
		return "use " + set.entries[same[0]].text
	}
	if some := set.some(); some != "" {
		return "use what is allowed: " + some
	}
	return "ask the operator to allow it"
}

// alternative says what to do instead of a denied program.
func (p *Policy) alternative(program string) string {
	switch program {
	case "rm", "rmdir", "unlink", "shred":
		return "move what is not needed into a folder of the workspace"
	case "sudo", "su", "doas", "pkexec":
		return "run the command as the present user"
	case "curl", "wget", "nc":
		return "use a file that is already here, or ask a person to fetch it"
	case "git":
		return "use another git command, and leave this one to a person"
	}
	for _, set := range p.sets {
		if some := set.some(); some != "" {
			return "use what is allowed: " + some
		}
	}
	return "leave this command out; the others may run on their own"
}

// onShell judges the shell that a call names.
func (p *Policy) onShell(v *Verdict, r *Request) {
	shell := r.Input.Shell
	if !r.ShellNamed || shell == "" || !r.Input.HasText {
		return
	}
	c := &command.Command{Argv: []command.Word{{Text: shell, Known: true}}}
	p.deny.each(baseName(c), namesOf(c, p.trusted), nil, func(e *entry, sure certainty) {
		v.add(p.denied(c, fmt.Sprintf("deny %q", e.text), Deny, sure,
			fmt.Sprintf("the shell %s is on the list of denied commands", e.text), rewritten(command.KindShell)))
	})
	refuse := func(decision Decision, rule, reason string) {
		v.add(Match{
			Decision: decision, Rule: rule, Subject: "shell " + shown(shell), Program: path.Base(shell),
			Reason: reason, Suggest: rewritten(command.KindShell),
		})
	}
	for _, re := range p.denyRegex {
		if re.MatchString(shell) {
			refuse(Deny, "deny_regex", "the shell matches the expression "+shown(re.String()))
		}
	}
	for _, re := range p.shellSets {
		if !re.MatchString(shell) {
			refuse(Deny, "allow_regex", "the shell does not match the expression "+shown(re.String()))
		}
	}
	if strings.Contains(shell, "/") && !trusted(shell, p.trusted) {
		refuse(p.onUnknown, "on_unknown", "the shell is a file outside of the system's directories, which may be any program")
	}
}
