package differential

import (
	"testing"
	"time"

	"whelk/internal/command"
)

const (
	// shortRun is how long the random part of the default test run lasts.
	shortRun = 3 * time.Second
	// maxShort is the number of its programs, on a machine that is quick.
	maxShort = 400
	// maxMisses ends a run: a fault shows itself many times.
	maxMisses = 5
	// minResolvedPercent is the floor of the share of resolved programs.
	minResolvedPercent = 40
	// minJudged is the number of programs from which on the share means
	// something.
	minJudged = 100
)

// tally counts what became of programs.
type tally struct {
	programs, resolved, ran, misses int
}

func (n tally) resolvedPercent() float64 {
	return 100 * float64(n.resolved) / float64(max(1, n.programs))
}

func TestAnalysisForeseesEveryCommand(t *testing.T) {
	s := newSandbox(t)
	if *onlyOne {
		n := tally{}
		compare(t, s, newProgram(*firstSeed), &n, true)
		return
	}
	limit, most := shortRun, maxShort
	if *longFor > 0 {
		limit, most = *longFor, 1<<62
	}
	var n tally
	began := time.Now()
	for n.programs < most && time.Since(began) < limit && n.misses < maxMisses {
		compare(t, s, newProgram(*firstSeed+uint64(n.programs)), &n, false)
	}
	t.Logf("differential: seed %d: %d programs, %.0f a second, %.1f%% resolved, %d ran commands, %d misses", *firstSeed, n.programs,
		float64(n.programs)/time.Since(began).Seconds(), n.resolvedPercent(), n.ran, n.misses)
	if n.programs >= minJudged && n.resolvedPercent() < minResolvedPercent {
		t.Errorf("%.1f%% of the programs are resolved; it must be %d%%, or the property says little", n.resolvedPercent(), minResolvedPercent)
	}
}

// compare runs one program, and reports a miss as small as it can be made.
func compare(t *testing.T, s *sandbox, p program, n *tally, show bool) {
	t.Helper()
	a := command.Analyse(p.input())
	ran := s.run(p, a)
	v := judge(a, ran)
	n.programs++
	if v.resolved {
		n.resolved++
	}
	if len(ran) > 0 {
		n.ran++
	}
	if show {
		t.Log(describe(p, a, ran))
	}
	if !v.miss() {
		return
	}
	n.misses++
	small := shrink(p, func(p program) bool { return missesSame(s, p, v) })
	a = command.Analyse(small.input())
	t.Errorf("a miss: names %q, arguments %q\n%s\nfrom %s", v.missed, v.changed, describe(small, a, s.run(small, a)), p)
}

// missesSame says that a program has a miss of the kind that another has.
func missesSame(s *sandbox, p program, like verdict) bool {
	a := command.Analyse(p.input())
	if !resolved(a) {
		return false
	}
	v := judge(a, s.run(p, a))
	if len(like.missed) > 0 {
		return len(v.missed) > 0
	}
	return v.miss()
}
