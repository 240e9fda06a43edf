package auth

import (
	"fmt"
	"os"
	"slices"

	"whelk/internal/policy"
)

// mostPolicyBytes bounds a policy file, in bytes, as package policy does.
const mostPolicyBytes = 256 << 10

// LoadPolicy reads the policy file of a token and runs the tests of its rules.
// base is what it has in common with the server's own policy. Of the side
// effects it blocks only those that it names: the server's own policy blocks the
// rest.
func LoadPolicy(path string, base policy.Options) (*policy.Policy, []policy.Warning, error) {
	p, _, warnings, err := loadPolicy(path, base)
	return p, warnings, err
}

func loadPolicy(path string, base policy.Options) (*policy.Policy, stamp, []policy.Warning, error) {
	text, file, err := readTrusted(path, trust{forbidden: 0o022, rootToo: true, follow: true, most: mostPolicyBytes})
	if err != nil {
		return nil, stamp{}, nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, stamp{}, nil, err
	}
	d, err := policy.ParseDocument(text, path)
	if err != nil {
		return nil, stamp{}, nil, err
	}
	if base.Blocked = d.Blocked; d.Blocked == nil {
		base.Blocked = []policy.Effect{}
	}
	base.Documents = append(slices.Clip(base.Documents), d)
	p, warnings, err := policy.New(base)
	if err != nil {
		return nil, stamp{}, nil, err
	}
	return p, stampOf(info), warnings, nil
}

// policies are the policy files of tokens. A file that has changed is read
// again when it is next needed. The owner guards them.
type policies struct {
	base  policy.Options
	known map[string]loaded // by path
}

type loaded struct {
	policy *policy.Policy
	stamp  stamp
}

// get returns the policy in a file; nil is that of "".
func (p *policies) get(path string) (*policy.Policy, error) {
	if path == "" {
		return nil, nil // nil restricts nothing
	}
	if l, ok := p.known[path]; ok {
		if info, err := os.Stat(path); err == nil && stampOf(info) == l.stamp {
			return l.policy, nil
		}
	}
	delete(p.known, path)
	restriction, at, _, err := loadPolicy(path, p.base)
	if err != nil {
		return nil, fmt.Errorf("the policy of a token: %w", err)
	}
	p.known[path] = loaded{policy: restriction, stamp: at}
	return restriction, nil
}
