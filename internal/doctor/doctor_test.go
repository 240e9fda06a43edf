package doctor

import (
	"errors"
	"strings"
	"testing"

	"whelk/internal/proc"
)

func TestFindingsFollowFromFacts(t *testing.T) {
	full := proc.Facts{Containment: proc.Cgroup, Subreaper: true, ChildrenListed: true, Labels: true, PidfdGroups: true}
	tests := []struct {
		name   string
		change func(*proc.Facts)
		check  func(proc.Facts) Result
		status Status
		says   string
	}{
		{"cgroup", func(*proc.Facts) {}, containment, OK, "cgroup"},
		{"subreaper", func(f *proc.Facts) {
			f.Containment, f.ContainmentFault = proc.Subreaper, errors.New("read-only file system")
		}, containment, Warning, "read-only file system"},
		{"group", func(f *proc.Facts) { f.Containment = proc.Group }, containment, Problem, "escapes"},
		{"pidfd", func(*proc.Facts) {}, signals, OK, "pidfd"},
		{"no pidfd", func(f *proc.Facts) { f.PidfdGroups = false }, signals, Warning, "number"},
		{"orphans", func(*proc.Facts) {}, orphans, OK, "come to the server"},
		{"no subreaper", func(f *proc.Facts) { f.Subreaper = false }, orphans, Problem, "do not come"},
		{"no children", func(f *proc.Facts) { f.ChildrenListed = false }, orphans, Problem, "CONFIG_PROC_CHILDREN"},
		{"no labels", func(f *proc.Facts) { f.Labels = false }, orphans, Problem, "RLIMIT_LOCKS"},
		{"guardian", func(*proc.Facts) {}, guardian, OK, "killed"},
		{"blind guardian", func(f *proc.Facts) { f.Labels = false }, guardian, Problem, "RLIMIT_LOCKS"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := full
			test.change(&f)
			r := test.check(f)
			if r.Status != test.status || !strings.Contains(r.Detail, test.says) {
				t.Errorf("%+v; want %s and %q", r, test.status, test.says)
			}
			if (r.Status == OK) != (r.Fix == "") {
				t.Errorf("fix %q of a check that is %s", r.Fix, r.Status)
			}
		})
	}
}

func TestShellAndPath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", "/bin:"+dir)
	for shell, want := range map[string]Status{"/bin/sh": OK, "sh": OK, "/no/such": Problem, "no-such-shell": Problem, dir: Problem} {
		if r := checkShell(shell); r.Status != want {
			t.Errorf("%s: %+v", shell, r)
		}
	}
	for path, want := range map[string]Status{"/bin:/usr/bin": OK, "": Warning, "/bin:.": Warning, ":/bin": Warning} {
		t.Setenv("PATH", path)
		if r := checkPath(); r.Status != want {
			t.Errorf("%q: %+v", path, r)
		}
	}
}

func TestRunFindsThisMachineUsable(t *testing.T) {
	results, err := Run("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range results {
		if r.Name == "" || r.Detail == "" || seen[r.Name] {
			t.Errorf("%+v", r)
		}
		seen[r.Name] = true
	}
	if !seen["containment"] || !seen["guardian"] {
		t.Errorf("%+v", results)
	}
}
