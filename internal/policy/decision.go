package policy

import "fmt"

// Decision is what becomes of a command. Greater is stricter; the zero value
// is Allow.
type Decision uint8

// The decisions, from the loosest to the strictest.
const (
	// Allow runs the command.
	Allow Decision = iota
	// Ask runs it if a person agrees. Who asks is not this package's matter.
	Ask
	// Deny does not run it.
	Deny
)

// String returns the decision as policies write it.
func (d Decision) String() string {
	switch d {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	}
	return "deny"
}

// ParseDecision reads "allow", "ask" or "deny"; anything else is an error.
func ParseDecision(text string) (Decision, error) {
	for _, d := range []Decision{Allow, Ask, Deny} {
		if text == d.String() {
			return d, nil
		}
	}
	return Deny, fmt.Errorf("%q is no decision: write allow, ask or deny", shown(text))
}

// certainty says how far a condition is known to hold.
type certainty uint8

const (
	no    certainty = iota // it does not hold, whatever the unknown words are
	maybe                  // it holds for some values of the unknown words
	yes
)
