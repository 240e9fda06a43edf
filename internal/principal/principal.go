// Package principal names who is calling. A transport that knows its callers
// puts a [Principal] into the context of each call; tool sets take it from
// there and pass it on to the engine, where an execution belongs to it.
//
// Invariants:
//
//   - Two principals are the same if their [Identity] is. Limits and policy are
//     no part of it: an operator may change them while executions live on.
//   - The zero principal is the one caller over standard input and output. It
//     is a principal like others and sees nothing of theirs.
//   - Everything in a principal restricts. Nothing in it permits what the
//     server's own settings do not.
package principal

import (
	"context"
	"slices"

	"whelk/internal/policy"
)

// Principal is one caller. It is passed by value and not changed.
type Principal struct {
	// ID is unique for the life of the server and beyond; "" is for callers
	// whom nobody has identified.
	ID string
	// Name is for people: lists, errors, records.
	Name string
	// MaxExecutions is the most executions alive at once in one supervisor,
	// besides the server's own limit; zero is no further limit.
	MaxExecutions int
	// Tools are the names of the tool sets it may use; nil is all that are
	// served.
	Tools []string
	// Policy restricts the server's own further; nil does not.
	Policy *policy.Policy
}

// MayUse reports whether p may use a tool set.
func (p Principal) MayUse(set string) bool { return p.Tools == nil || slices.Contains(p.Tools, set) }

// Identity tells principals apart. It may be compared and be the key of a map.
type Identity struct{ ID, Name string }

// Identity returns what p is known by.
func (p Principal) Identity() Identity { return Identity{ID: p.ID, Name: p.Name} }

type key struct{}

// With returns a context that carries p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, key{}, p)
}

// From returns the principal that ctx carries, or the zero principal.
func From(ctx context.Context) Principal {
	p, _ := ctx.Value(key{}).(Principal)
	return p
}
