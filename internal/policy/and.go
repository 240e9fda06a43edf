package policy

import "slices"

// And returns a policy that permits only what both permit: it decides as the
// stricter of the two and lists the matches of both. nil permits what the other
// one does. Neither policy is changed.
func (p *Policy) And(q *Policy) *Policy {
	switch {
	case p == nil:
		return q
	case q == nil:
		return p
	}
	both := *p
	both.others = append(slices.Clone(p.others), q)
	return &both
}

// merge makes v the verdict of two policies on one request.
func (v *Verdict) merge(w Verdict) {
	for _, m := range w.Matched {
		v.add(m)
	}
	v.Effects = ordered(slices.Concat(v.Effects, w.Effects))
	v.Undeclared = ordered(slices.Concat(v.Undeclared, w.Undeclared))
}
