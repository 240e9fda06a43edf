package execution_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/principal"
	"whelk/internal/proc"
)

func startAs(t *testing.T, c execution.Caller, name string) *execution.Execution {
	t.Helper()
	e, err := c.Start(t.Context(), named(name))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Everything that Caller can do, between each two of three principals; the
// zero principal, and one whose name is another's, are among them.
func TestNothingCrossesBetweenPrincipals(t *testing.T) {
	bubble(t, execution.Options{MaxRetained: 100}, after(0, "out"), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		who := []principal.Principal{{}, {ID: "1", Name: "ann"}, {ID: "2", Name: "ann"}, {Name: "ann"}}
		callers, own := make([]execution.Caller, len(who)), make([]*execution.Execution, len(who))
		for i, p := range who {
			callers[i] = sup.As(p)
			own[i] = startAs(t, callers[i], p.ID+p.Name)
			<-own[i].Done()
		}
		_, never := callers[0].Get("000000000000")
		for i, c := range callers {
			if got := own[i].Snapshot().Principal; got != who[i].Name {
				t.Errorf("%+v: the snapshot names %q", who[i], got)
			}
			if got := ids(c.List()); got != who[i].ID+who[i].Name {
				t.Errorf("%+v sees %q", who[i], got)
			}
			for j, e := range own {
				got, err := c.Get(e.ID())
				switch {
				case i == j && (err != nil || got != e):
					t.Errorf("%+v does not get its own: %v", who[i], err)
				case i != j && (got != nil || execution.CodeOf(err) != execution.UnknownExecution):
					t.Errorf("%+v gets what %+v started: %v", who[i], who[j], err)
				case i != j && strings.ReplaceAll(err.Error(), e.ID(), "000000000000") != never.Error():
					t.Errorf("the error tells that it exists: %q", err)
				}
			}
		}
		if n := callers[1].Cleanup(0, 0); n != 1 {
			t.Errorf("cleanup removed %d", n)
		}
		for i, want := range []int{1, 0, 1, 1} {
			if n := len(callers[i].List()); n != want {
				t.Errorf("after the cleanup by %+v %+v sees %d", who[1], who[i], n)
			}
		}
	})
}

func TestLimitOfAPrincipal(t *testing.T) {
	bubble(t, execution.Options{MaxLive: 3, Grace: time.Second}, obedient, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		ann, bob := sup.As(principal.Principal{ID: "1", Name: "ann", MaxExecutions: 2}), sup.As(principal.Principal{ID: "2", Name: "bob", MaxExecutions: 2})
		refused := func(c execution.Caller, words ...string) {
			t.Helper()
			_, err := c.Start(t.Context(), named("more"))
			if execution.CodeOf(err) != execution.LimitExceeded {
				t.Fatalf("error %v", err)
			}
			for _, word := range words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not say %q", err, word)
				}
			}
		}
		first := startAs(t, ann, "a")
		startAs(t, ann, "b")
		refused(ann, "2 executions of ann", "limit (2) of max-executions for this principal")
		startAs(t, bob, "c")
		refused(bob, "3 executions", "1 of them yours", "limit (3) of max-executions")
		if _, err := first.Stop(t.Context(), execution.StopOptions{Force: time.Second}); err != nil {
			t.Fatal(err)
		}
		l.refuse = &proc.StartError{Step: "start", Path: "/bin/sh"}
		for range 3 { // what does not start takes no place
			if _, err := ann.Start(t.Context(), named("d")); execution.CodeOf(err) != execution.FailedToStart {
				t.Errorf("error %v", err)
			}
		}
		l.refuse = nil
		startAs(t, ann, "d")
		refused(ann, "for this principal")
	})
}

func TestOnesManyResultsDoNotEvictThoseOfAnother(t *testing.T) {
	bubble(t, execution.Options{MaxRetained: 4}, after(0, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		ann, bob := sup.As(principal.Principal{ID: "1"}), sup.As(principal.Principal{ID: "2"})
		ends := func(c execution.Caller, name string) {
			<-startAs(t, c, name).Done()
			time.Sleep(time.Second)
		}
		ends(bob, "x")
		ends(bob, "y")
		for name := range strings.FieldsSeq("a b c d e f g h") {
			ends(ann, name)
		}
		if got := ids(bob.List()); got != "y" && got != "y x" {
			t.Errorf("bob's results: %q", got)
		}
		if got := ids(ann.List()); !strings.HasPrefix(got, "h g") {
			t.Errorf("ann's results: %q", got)
		}
		if n := len(ann.List()) + len(bob.List()); n != 4 {
			t.Errorf("%d are kept", n)
		}
	})
}

func TestPolicyOfAPrincipalOnlyRestricts(t *testing.T) {
	rules := func(o policy.Options) *policy.Policy {
		p, _, err := policy.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	bubble(t, execution.Options{Policy: rules(policy.Options{Deny: []string{"rm"}})}, after(0, ""), func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		free := sup.As(principal.Principal{ID: "1"})
		narrow := sup.As(principal.Principal{ID: "2", Policy: rules(policy.Options{Allow: []string{"ls", "rm"}})})
		for _, c := range []struct {
			caller execution.Caller
			text   string
			want   execution.Code
		}{
			{free, "ls", ""},
			{free, "date", ""},
			{free, "rm x", execution.PolicyDenied},
			{narrow, "ls", ""},
			{narrow, "date", execution.PolicyDenied},
			{narrow, "rm x", execution.PolicyDenied}, // the server's rule holds though its own allows
		} {
			_, err := c.caller.Start(t.Context(), command(c.text))
			if execution.CodeOf(err) != c.want {
				t.Errorf("%q: %v, want code %q", c.text, err, c.want)
			}
			x, err := c.caller.Explain(command(c.text))
			if err != nil || (x.Verdict.Decision == policy.Deny) != (c.want != "") {
				t.Errorf("%q is explained as %s, %v", c.text, x.Verdict.Decision, err)
			}
		}
		if n := len(l.specs); n != 3 {
			t.Errorf("%d were launched", n)
		}
	})
}

func TestSupervisorsShareTheLimitOfAPrincipal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quotas := new(execution.Quotas)
		l := &launcher{script: obedient}
		var sups [2]*execution.Supervisor
		for i := range sups {
			sups[i] = execution.New(execution.Options{Launcher: l, Dir: t.TempDir(), Quotas: quotas})
			defer sups[i].Close()
		}
		ann := principal.Principal{ID: "1", Name: "ann", MaxExecutions: 1}
		e, err := sups[0].As(ann).Start(t.Context(), command("x"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sups[1].As(ann).Start(t.Context(), command("x")); execution.CodeOf(err) != execution.LimitExceeded {
			t.Errorf("the other supervisor says %v", err)
		}
		if _, err := e.Stop(t.Context(), execution.StopOptions{Force: time.Second}); err != nil {
			t.Fatal(err)
		}
		if _, err := sups[1].As(ann).Start(t.Context(), command("x")); err != nil {
			t.Errorf("after the end: %v", err)
		}
	})
}
