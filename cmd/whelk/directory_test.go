package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBO50UnusableDirectoryIsNamed(t *testing.T) {
	t.Parallel()
	s := startWith(t, asStranger(t))
	if r := s.Execute("touch file; mkdir locked; chmod 000 locked"); r.Int("exit_code") != 0 {
		t.Fatalf("%#v", r)
	}
	for cwd, why := range map[string]string{
		"missing": "no such directory", "file": "not a directory", "locked": "permission denied",
		"file/below": "not a directory", "~": "not expanded",
	} {
		r := s.Execute("touch "+filepath.Join(s.Dir, "ran"), Args{"cwd": cwd})
		wantRefused(t, r, filepath.Join(s.Dir, cwd), why)
		if r.Status() != "failed_to_start" || strings.Contains(r.String("error"), "/bin/sh") {
			t.Errorf("%s: %#v", cwd, r)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "ran")); err == nil {
		t.Error("a command ran somewhere else")
	}
}

func TestBO51RemovedDirectoryIsAnErrorOnce(t *testing.T) {
	s := startServer(t)
	dir := filepath.Join(s.Dir, "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	wantRun(t, s.Execute(`rmdir "$PWD"; echo x`, Args{"cwd": dir}), "completed", 0, "x\n")
	wantRefused(t, s.Execute("pwd", Args{"cwd": dir}), dir, "no such directory")
	wantRun(t, s.Execute("pwd"), "completed", 0, s.Dir+"\n")
}

func TestBO51RemovedDefaultDirectoryIsNamed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, "--cwd", dir)
	wantRun(t, s.Execute(`rmdir "$PWD"; echo x`), "completed", 0, "x\n")
	wantRefused(t, s.Execute("pwd"), dir, "no such directory")
	wantRun(t, s.Execute("pwd", Args{"cwd": "/"}), "completed", 0, "/\n")
	if err := os.Mkdir(dir, 0o700); err != nil { // for the last command of the test
		t.Fatal(err)
	}
}

func TestBO52HardNamesOfDirectoriesArriveAsTheyAre(t *testing.T) {
	s := startServer(t)
	for _, name := range []string{
		"a space", "é", "$x", `"quoted"`, "it's", "new\nline", "-dash", "back\\slash", "*", "~", " ", "&& touch ran",
	} {
		dir := filepath.Join(s.Dir, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, cwd := range []string{dir, dir + "/", "./" + name} {
			r := s.Execute(`pwd; pwd -P; printf '%s\n' "$PWD"`, Args{"cwd": cwd})
			wantRun(t, r, "completed", 0, strings.Repeat(dir+"\n", 3))
			if got := listed(t, s, r.String("execution_id"))["cwd"]; got != dir {
				t.Errorf("ps shows %q for %q", got, dir)
			}
		}
	}
}

func TestBO52SymbolicLinkShowsTheRealDirectory(t *testing.T) {
	s := startServer(t)
	dir, link := filepath.Join(s.Dir, "real"), filepath.Join(s.Dir, "link")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	wantRun(t, s.Execute("pwd; pwd -P", Args{"cwd": link}), "completed", 0, dir+"\n"+dir+"\n")
}
