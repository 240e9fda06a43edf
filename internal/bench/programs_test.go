package bench

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// programs are the files of the server and of the limits, in one directory.
type programs struct {
	dir     string
	install func() error // builds them, once
}

// cPrograms are the limits that testdata has in C, each in one file.
func cPrograms() []string { return []string{"limit-spawn", "limit-pipe", "stamp"} }

func newPrograms(dir string) *programs {
	p := &programs{dir: dir}
	p.install = sync.OnceValue(p.build)
	return p
}

// built returns the programs, ready to run.
func built(tb testing.TB) *programs {
	tb.Helper()
	if err := shared.install(); err != nil {
		tb.Fatal(err)
	}
	watchSources(tb)
	return shared
}

func (p *programs) path(name string) string { return filepath.Join(p.dir, name) }

func (p *programs) build() error {
	err := run("go", "build", "-trimpath", "-ldflags=-s -w", "-o", p.dir+"/", "whelk/cmd/whelk", "./testdata/handloop")
	if err != nil {
		return err
	}
	if err := p.play("wake"); err != nil {
		return err
	}
	compiler, err := exec.LookPath("cc")
	if err != nil {
		compiler, err = exec.LookPath("gcc")
	}
	if err != nil {
		fmt.Println("limits: Go (no C compiler found)")
		return p.play(cPrograms()...)
	}
	fmt.Println("limits: C")
	for _, name := range cPrograms() {
		if err := run(compiler, "-O2", "-o", p.path(name), filepath.Join("testdata", name+".c")); err != nil {
			return err
		}
	}
	return nil
}

// play makes scripts that run the test binary in a role.
func (p *programs) play(names ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range names {
		script := fmt.Sprintf("#!/bin/sh\n%s=%s exec '%s' \"$@\"\n", roleVariable, name, self)
		if err := os.WriteFile(p.path(name), []byte(script), 0o700); err != nil {
			return err
		}
	}
	return nil
}

func run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// watchSources opens every directory of the module's code, because `go test`
// reuses a result until a directory that the test has opened changes, and what
// is tested here is not part of the test binary.
func watchSources(tb testing.TB) {
	for _, root := range []string{"../../cmd", "../../internal"} {
		err := filepath.WalkDir(root, func(string, fs.DirEntry, error) error { return nil })
		if err != nil {
			tb.Fatal(err)
		}
	}
}
