package principal_test

import (
	"testing"

	"whelk/internal/policy"
	"whelk/internal/principal"
)

func TestContextCarriesThePrincipal(t *testing.T) {
	if got := principal.From(t.Context()).Identity(); got != (principal.Identity{}) {
		t.Errorf("an empty context carries %+v", got)
	}
	ctx := principal.With(t.Context(), principal.Principal{ID: "1", Name: "ann"})
	if got, want := principal.From(ctx).Identity(), (principal.Identity{ID: "1", Name: "ann"}); got != want {
		t.Errorf("carries %+v, not %+v", got, want)
	}
}

func TestIdentityIsIDAndName(t *testing.T) {
	ann := principal.Principal{ID: "1", Name: "ann"}
	changed := principal.Principal{ID: "1", Name: "ann", MaxExecutions: 3, Tools: []string{"native"}, Policy: new(policy.Policy)}
	if ann.Identity() != changed.Identity() {
		t.Error("other limits make another principal")
	}
	for _, other := range []principal.Principal{{}, {ID: "1"}, {Name: "ann"}, {ID: "2", Name: "ann"}, {ID: "1", Name: "bob"}} {
		if other.Identity() == ann.Identity() {
			t.Errorf("%+v passes for %+v", other, ann)
		}
	}
}
