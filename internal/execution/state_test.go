package execution

import "testing"

func TestEveryStateIsReachedAndEnds(t *testing.T) {
	reached := map[state]bool{stateRunning: true}
	for range transitions {
		for _, tr := range transitions {
			if reached[tr.from] {
				reached[tr.to] = true
			}
		}
	}
	for s := stateRunning; s <= stateEnded; s++ {
		if !reached[s] {
			t.Errorf("%v is never reached", s)
		}
		if allowed(stateEnded, s) {
			t.Errorf("ended moves on to %v", s)
		}
	}
}
