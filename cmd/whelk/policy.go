package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"whelk/internal/config"
	"whelk/internal/policy"
)

// policyOf makes the policy that a configuration describes. Any fault is one of
// the configuration: nothing is served without the policy that was meant. effects
// is the mode of side effects if nobody chooses one; "" is that of the policy.
func policyOf(c *config.Config, values []config.Value, effects policy.Mode) (*policy.Policy, []policy.Warning, error) {
	o := policyBase()
	o.Allow, o.Deny, o.AllowRegex, o.DenyRegex = c.Allow, c.Deny, c.AllowRegex, c.DenyRegex
	o.OnUnknown, o.Roots = c.OnUnknown, c.Roots
	if c.File != "" {
		o.Protected = []string{c.File} // nothing that is run changes the limits
	}
	if c.StateDir != "" {
		o.Protected = append(o.Protected, c.StateDir)
	}
	// Of these two, a default leaves the decision to the file's policy.
	if given(values, "side-effects") {
		o.SideEffects = policy.Mode(c.SideEffects)
	}
	if given(values, "blocked-side-effects") {
		o.Blocked = []policy.Effect{}
		for _, name := range c.BlockedSideEffects {
			effect, err := policy.ParseEffect(name)
			if err != nil {
				return nil, nil, fault(values, "blocked-side-effects", err)
			}
			o.Blocked = append(o.Blocked, effect)
		}
	}
	if c.Policy != nil {
		document, err := policy.ParseDocument(c.Policy, c.File)
		if err != nil {
			return nil, nil, &policyError{err}
		}
		o.Documents = []policy.Document{document}
	}
	if o.SideEffects == "" && o.Blocked == nil && (len(o.Documents) == 0 || o.Documents[0].SideEffects == "" && o.Documents[0].Blocked == nil) {
		o.SideEffects = effects
	}
	p, warnings, err := policy.New(o)
	if err != nil {
		return nil, nil, &policyError{err}
	}
	return p, warnings, nil
}

// policyBase is what all policies of a server have in common, those of tokens
// too: facts, no rules.
func policyBase() policy.Options {
	return policy.Options{
		Home: os.Getenv("HOME"), Path: os.Getenv("PATH"),
		Agent: policy.Agent{PIDs: []int{os.Getpid(), os.Getppid()}, Names: clientNames()},
	}
}

// clientNames returns the name of the program that started the server, unless
// that is a shell, which says nothing of the client.
func clientNames() []string {
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", os.Getppid()))
	name := strings.TrimSpace(string(comm))
	if err != nil || name == "" || slices.Contains([]string{"sh", "bash", "dash", "zsh", "fish", "ksh", "go", "make", "systemd", "init"}, name) {
		return nil
	}
	return []string{name}
}

// policyError is a fault in the policy: the program exits with 2.
type policyError struct{ err error }

func (e *policyError) Error() string { return "policy: " + e.err.Error() }
func (e *policyError) Unwrap() error { return e.err }

// given reports whether somebody has set an option.
func given(values []config.Value, option string) bool {
	return origin(values, option) != "default"
}

func origin(values []config.Value, option string) string {
	if i := slices.IndexFunc(values, func(v config.Value) bool { return v.Option == option }); i >= 0 {
		return values[i].Origin
	}
	return "default"
}

func fault(values []config.Value, option string, err error) error {
	return &policyError{fmt.Errorf("%s, from %s: %w", option, origin(values, option), err)}
}

// checkPolicy reports the faults of a file's policy, running the tests of its
// rules.
func checkPolicy(c *config.Config) error {
	file := []config.Value{{Option: "side-effects", Origin: "file"}, {Option: "blocked-side-effects", Origin: "file"}}
	_, warnings, err := policyOf(c, file, "")
	for _, w := range warnings {
		fmt.Fprintln(os.Stderr, "whelk: warning:", w)
	}
	return err
}
