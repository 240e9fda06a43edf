package differential

import "time"

// maxShrink bounds the work of making one miss small.
const maxShrink = 15 * time.Second

// shrink removes parts of a program as long as the property holds: halves
// first, then ever smaller pieces, down to bytes.
func shrink(p program, holds func(program) bool) program {
	if p.Argv != nil {
		return p // they are short
	}
	began := time.Now()
	for size := max(1, len(p.Text)/2); size > 0; size /= 2 {
		for again := true; again; {
			again = false
			for at := 0; at < len(p.Text); {
				if time.Since(began) > maxShrink {
					return p
				}
				smaller := p
				smaller.Text = p.Text[:at] + p.Text[min(len(p.Text), at+size):]
				if holds(smaller) {
					p, again = smaller, true
				} else {
					at += size
				}
			}
		}
	}
	return p
}
