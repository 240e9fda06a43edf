package mcptest

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// programName is the command as which tests know the program.
const programName = "whelk"

// parallelTests is how many parallel tests run at once unless -parallel says
// otherwise. These tests wait for processes; they need no processor each.
const parallelTests = "16"

// Main is for TestMain of the package that has the program. It puts the test
// binary into PATH under the program's name; a process that was started by
// that name runs program with its arguments instead of the tests. So tests
// drive the very code, race detector included, and scripts call it as anybody
// would. A name, unlike a variable, reaches what the program itself starts
// and no command. links are further names of it, which get symbolic links in PATH.
func Main(m *testing.M, program func(name string, args []string) int, links ...string) {
	if name := filepath.Base(os.Args[0]); name == programName || slices.Contains(links, name) {
		os.Exit(program(name, os.Args[1:]))
	}
	os.Exit(runTests(m, links))
}

func runTests(m *testing.M, links []string) int {
	heedSignals()
	dir, err := os.MkdirTemp("", "mcptest")
	if err == nil {
		defer os.RemoveAll(dir)
		err = putProgram(filepath.Join(dir, programName))
	}
	for _, link := range links {
		if err == nil {
			err = os.Symlink(programName, filepath.Join(dir, link))
		}
	}
	if err == nil {
		err = os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcptest: put the program into PATH:", err)
		return 1
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", parallelTests) // it exists: testing declares it
	}
	return m.Run()
}

// heedSignals makes programs start with the signals that end servers heeded,
// also if the tests themselves run under nohup: a caught signal, unlike an
// ignored one, is reset by an exec.
func heedSignals() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// putProgram makes path the test binary: not by a symbolic link, because the
// program must find its own file under the program's name.
func putProgram(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if os.Link(self, path) == nil {
		return nil
	}
	from, err := os.Open(self) // on another file system
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, from); err != nil {
		return err
	}
	return to.Close()
}

// Program returns the file of the program that Main made.
func Program(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath(programName)
	if err != nil {
		t.Fatalf("%v: TestMain must call mcptest.Main", err)
	}
	return path
}

// OpenProgram returns the program's file in a directory, both open to every
// user: for tests that run it as another one.
func OpenProgram(t testing.TB) (path, dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcptest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path = filepath.Join(dir, programName)
	if err := putProgram(path); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{dir, path} {
		if err := os.Chmod(p, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return path, dir
}
