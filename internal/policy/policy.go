package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// mostEntries and mostRules bound what a policy may hold, so that judging a
// command stays fast and a generated file is noticed.
const (
	mostEntries = 10_000
	mostRules   = 1_000
)

// Policy decides. It is immutable and may be used by several goroutines at
// once. nil and the zero value have nothing configured: they permit everything
// but what may never run.
type Policy struct {
	deny       index
	denyRegex  []*regexp.Regexp
	rules      []*rule
	sets       []*allowSet
	shellSets  []*regexp.Regexp // allow expressions, for a shell that the call names
	onUnknown  Decision
	onInline   Decision
	mode       Mode
	blocked    []Effect
	roots      []string // resolved
	trusted    []string
	places     places
	agent      Agent
	onlyNamed  bool // see Options.OnlyNamed
	hasPaths   bool // a rule or the roots depend on files or directories
	hasDenials bool
	others     []*Policy // each decides too, see And
}

// New makes a policy and runs the tests of its rules. An error is a fault in
// the policy; the policy is then nil, and the caller must not start without
// one. Warnings are about settings that work and are probably not meant.
func New(o Options) (*Policy, []Warning, error) {
	p := &Policy{agent: o.Agent, trusted: o.TrustedDirs, onlyNamed: o.OnlyNamed}
	if p.trusted == nil {
		p.trusted = defaultTrusted()
	}
	var err error
	if p.onUnknown, p.onInline, p.mode, p.blocked, err = o.scalars(); err != nil {
		return nil, nil, err
	}
	p.places.home = strings.TrimSuffix(o.Home, "/")
	for _, step := range []func(*Options) error{p.addPlaces, p.addDenials, p.addRules, p.addPermissions} {
		if err := step(&o); err != nil {
			return nil, nil, err
		}
	}
	p.hasPaths = len(p.roots) > 0 || slices.ContainsFunc(p.rules, func(r *rule) bool {
		return len(r.paths)+len(r.redirects)+len(r.cwds) > 0
	})
	p.hasDenials = len(p.deny.entries)+len(p.denyRegex)+len(p.rules) > 0
	if err := p.runTests(); err != nil {
		return nil, nil, err
	}
	return p, p.warnings(&o), nil
}

// Configured tells whether there is anything that a command could be denied
// for, besides what may never run.
func (p *Policy) Configured() bool {
	return p != nil && (p.judges() || len(p.roots)+len(p.blocked) > 0 || slices.ContainsFunc(p.others, (*Policy).Configured))
}

// judges tells whether a list or a rule is configured. Only then does what the
// analysis could not tell count.
func (p *Policy) judges() bool { return len(p.sets) > 0 || p.hasDenials }

func (p *Policy) addPlaces(o *Options) error {
	roots, protected := slices.Clone(o.Roots), slices.Clone(o.Protected)
	for _, d := range o.Documents {
		roots, protected = append(roots, d.Roots...), append(protected, d.Protected...)
	}
	for _, root := range roots {
		resolved, err := absolute(root)
		if err != nil {
			return fmt.Errorf("roots: %w", err)
		}
		p.roots = append(p.roots, resolved)
	}
	for _, text := range protected {
		own, err := parsePattern(text, p.places.home)
		if err != nil {
			return fmt.Errorf("protected: %w", err)
		}
		p.places.protected = append(p.places.protected, own)
	}
	p.places.workspace = p.roots
	return nil
}

func (p *Policy) addDenials(o *Options) error {
	entries, err := parseEntries("deny", o.Deny)
	if err != nil {
		return err
	}
	regexes := []string{o.DenyRegex}
	for _, d := range o.Documents {
		more, err := parseEntries("deny", d.Deny)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
		entries = append(entries, more...)
		regexes = append(regexes, d.DenyRegex)
	}
	p.deny = newIndex(entries)
	for _, text := range regexes {
		re, err := compileRegex(text)
		if err != nil {
			return fmt.Errorf("deny_regex: %w", err)
		}
		if re != nil {
			p.denyRegex = append(p.denyRegex, re)
		}
	}
	return nil
}

// parseEntries reads a list. An entry that is empty is a fault: it was meant
// to be something.
func parseEntries(list string, texts []string) ([]entry, error) {
	if len(texts) > mostEntries {
		return nil, fmt.Errorf("%s has more than %d entries", list, mostEntries)
	}
	entries := make([]entry, 0, len(texts))
	for _, text := range texts {
		e, err := parseEntry(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", list, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (p *Policy) addRules(o *Options) error {
	for _, d := range o.Documents {
		if len(d.Rules) > mostRules {
			return fmt.Errorf("%s: there are more than %d rules", d.Name, mostRules)
		}
		for _, r := range d.Rules {
			compiled, err := r.compile(p.places.home)
			if err != nil {
				return fmt.Errorf("%s: rule %q: %w", sourceOf(d.Name, r.Line), r.Name, err)
			}
			p.rules = append(p.rules, compiled)
		}
	}
	return nil
}

// sourceOf writes a place in a file.
func sourceOf(file string, line int) string {
	if line == 0 {
		return first(file, "policy")
	}
	return fmt.Sprintf("%s:%d", first(file, "policy"), line)
}

func (p *Policy) addPermissions(o *Options) error {
	if err := p.addList("allow", o.Allow, nil, o.AllowRegex, o.AllowRegexInText); err != nil {
		return err
	}
	if len(o.AllowExact)+len(o.AllowPatterns) > 0 {
		set := newAllowSet("allow", nil, nil)
		set.exact = slices.Clone(o.AllowExact)
		for _, text := range o.AllowPatterns {
			re, err := compileRegex(`\A(?:` + text + `)\z`)
			if err != nil {
				return fmt.Errorf("allow patterns: %w", err)
			}
			set.full = append(set.full, re)
		}
		p.sets = append(p.sets, set)
	}
	for i, done := 0, 0; i < len(o.Documents); i++ {
		d := &o.Documents[i]
		rules := p.rules[done : done+len(d.Rules)]
		done += len(d.Rules)
		if err := p.addList("allow", d.Allow, rules, d.AllowRegex, false); err != nil {
			return fmt.Errorf("%s: %w", first(d.Name, "policy"), err)
		}
	}
	if o.Closed && len(p.sets) == 0 {
		p.sets = append(p.sets, newAllowSet("allow", nil, nil))
	}
	return nil
}

// addList adds the sets of one source: its list with its rules, and its
// regular expression.
func (p *Policy) addList(name string, texts []string, rules []*rule, regex string, inText bool) error {
	entries, err := parseEntries(name, texts)
	if err != nil {
		return err
	}
	permitting := slices.ContainsFunc(rules, func(r *rule) bool { return r.Decision == Allow })
	if len(entries) > 0 || permitting {
		listed := slices.DeleteFunc(slices.Clone(rules), func(r *rule) bool { return r.Decision == Deny })
		p.sets = append(p.sets, newAllowSet(name, entries, listed))
	}
	re, err := compileRegex(regex)
	if err != nil {
		return fmt.Errorf("allow_regex: %w", err)
	}
	if re != nil {
		p.sets = append(p.sets, &allowSet{name: "allow_regex", search: re, wholeOnly: inText})
		p.shellSets = append(p.shellSets, re)
	}
	return nil
}

// runTests holds the policy to the tests of its rules.
func (p *Policy) runTests() error {
	dir := testDir
	if len(p.roots) > 0 {
		dir = p.roots[0]
	}
	var faults []error
	for _, r := range p.rules {
		for _, t := range r.Tests {
			got := p.Decide(t.request(dir))
			if got.Decision != t.Decision {
				faults = append(faults, fmt.Errorf("rule %q: test%s: %s is %s%s, not %s",
					r.Name, onLine(t.Line), t.subject(), got.Decision, by(got.Rule), t.Decision))
			}
		}
	}
	return errors.Join(faults...)
}

func onLine(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf(" on line %d", line)
}

func by(rule string) string {
	if rule == "" {
		return ""
	}
	return " by " + rule
}
