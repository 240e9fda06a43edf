package execution_test

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/proc"
)

func TestOperatorsMakeStages(t *testing.T) {
	o := execution.Options{Dir: "/", Environ: []string{"PATH=/bin"}}
	t.Run("where they are asked for", func(t *testing.T) {
		spec, err := resolve(t, o, pipeline("cat f | grep a|b |& | ./bin/wc -l"))
		if err != nil {
			t.Fatal(err)
		}
		want := []proc.Stage{
			{Path: "/bin/cat", Argv: []string{"cat", "f"}},
			{Path: "/bin/grep", Argv: []string{"grep", "a|b", "|&"}},
			{Path: "/bin/wc", Argv: []string{"./bin/wc", "-l"}},
		}
		got := append([]proc.Stage{{Path: spec.Path, Argv: spec.Argv}}, spec.Next...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stages (-want +got):\n%s", diff)
		}
	})
	t.Run("and only there", func(t *testing.T) {
		argv := []string{"grep", "|", "f", ">", "../x", "&&"}
		spec, err := resolve(t, o, execution.Request{Argv: argv})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(spec.Argv, argv) || len(spec.Next) > 0 || spec.Out != nil {
			t.Errorf("spec %+v", spec)
		}
	})
}

func TestEachStageNeedsItsProgram(t *testing.T) {
	_, err := resolve(t, execution.Options{Dir: "/"}, pipeline("cat f | no-such-program"))
	if execution.CodeOf(err) != execution.FailedToStart || !strings.Contains(err.Error(), "argv[3] no-such-program") {
		t.Errorf("error %v", err)
	}
}

func TestPipelinesAreBounded(t *testing.T) {
	_, err := resolve(t, execution.Options{Dir: "/"}, pipeline("cat"+strings.Repeat(" | cat", 100)))
	if execution.CodeOf(err) != execution.LimitExceeded || !strings.Contains(err.Error(), "101 programs; at most 100") {
		t.Errorf("error %v", err)
	}
	if _, err := resolve(t, execution.Options{Dir: "/"}, pipeline("cat"+strings.Repeat(" | cat", 99))); err != nil {
		t.Error(err)
	}
}

func TestThePolicyJudgesEachStage(t *testing.T) {
	allow, _, err := policy.New(policy.Options{Allow: []string{"cat", "grep", "sh"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := workspace(t)
	for argv, ok := range map[string]bool{
		"cat in.txt | grep a":            true,
		"cat in.txt | rm old.txt":        false,
		"cat in.txt | sh":                false, // what it would run is not known
		"cat in.txt > .git/hooks/commit": false,
		"cat in.txt ; rm old.txt":        false,
		"cat in.txt | env rm old.txt":    false,
	} {
		_, err := resolve(t, execution.Options{Dir: dir, Environ: os.Environ(), Policy: allow}, pipeline(argv))
		if ok && err != nil || !ok && execution.CodeOf(err) != execution.PolicyDenied {
			t.Errorf("%s: %v", argv, err)
		}
	}
}

func TestListsShowOperatorsAsAShellWrites(t *testing.T) {
	argv := []string{"cat", "|", "cat", "a b", ">", "x", ">>", "it's", "|&"}
	for operators, want := range map[bool]string{
		true:  `cat | cat 'a b' > x >> 'it'\''s' '|&'`,
		false: `cat '|' cat 'a b' '>' x '>>' 'it'\''s' '|&'`,
	} {
		bubble(t, execution.Options{Dir: t.TempDir()}, after(0, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
			e := start(t, sup, execution.Request{Argv: argv, Operators: operators})
			<-e.Done()
			if got := e.Snapshot().Command; got != want {
				t.Errorf("shown as %s; want %s", got, want)
			}
		})
	}
}

func TestStagesAreInTheSnapshot(t *testing.T) {
	exits := []proc.Exit{
		{Code: -1, Signal: syscall.SIGPIPE}, {Code: 1}, {}, {Code: -1, Signal: syscall.SIGTERM}, {Code: -1, Signal: syscall.SIGPIPE},
	}
	script := func(f *fake) {
		f.mu.Lock()
		f.all = exits
		f.mu.Unlock()
		f.ends(exits[4])
	}
	bubble(t, execution.Options{}, script, func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		e := start(t, sup, pipeline("cat | grep a | /bin/sort | head | tail"))
		<-e.Done()
		n := e.Snapshot()
		want := []execution.StageExit{
			{Name: "cat", ExitCode: -13, Signal: syscall.SIGPIPE}, // its reader has gone: no failure by itself
			{Name: "grep", ExitCode: 1, Failed: true},
			{Name: "/bin/sort"},
			{Name: "head", ExitCode: -15, Signal: syscall.SIGTERM, Failed: true},
			{Name: "tail", ExitCode: -13, Signal: syscall.SIGPIPE, Failed: true}, // its reader is the server
		}
		if diff := cmp.Diff(want, n.Stages); diff != "" {
			t.Errorf("stages (-want +got):\n%s", diff)
		}
		if n.ExitCode != -13 || n.Status != execution.Completed {
			t.Errorf("exit code %d, status %v", n.ExitCode, n.Status)
		}
	})
	bubble(t, execution.Options{}, after(0, ""), func(t *testing.T, sup *execution.Supervisor, _ *launcher) {
		e := start(t, sup, command("x"))
		<-e.Done()
		if n := e.Snapshot(); n.Stages != nil {
			t.Errorf("stages %v of a single program", n.Stages)
		}
	})
}

func TestInputThatAFileReplacesIsReported(t *testing.T) {
	r := pipeline("cat < in.txt")
	r.Input, r.KeepInput = "hello", true
	bubble(t, execution.Options{Dir: workspace(t)}, nil, func(t *testing.T, sup *execution.Supervisor, l *launcher) {
		e := start(t, sup, r)
		if got := e.Snapshot().StdinError; !strings.Contains(got, "0 of 5 bytes") || !strings.Contains(got, "reads a file") {
			t.Errorf("stdin error %q", got)
		}
		_, err := e.Write(t.Context(), []byte("x"), false)
		if execution.CodeOf(err) != execution.StdinClosed || !strings.Contains(err.Error(), "reads a file") {
			t.Errorf("write: %v", err)
		}
		l.last().ends(proc.Exit{})
		<-e.Done()
	})
}
