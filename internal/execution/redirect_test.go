package execution_test

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	stages "whelk/internal/command"
	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/proc"
)

// pipeline is a request whose elements are divided at blanks; "”" is an empty
// one.
func pipeline(text string) execution.Request {
	argv := strings.Fields(text)
	for i, arg := range argv {
		if arg == "''" {
			argv[i] = ""
		}
	}
	return execution.Request{Argv: argv, Operators: true}
}

// workspace is a directory with what redirections may meet, beside one that
// they may not.
func workspace(t *testing.T) (dir string) {
	t.Helper()
	base := t.TempDir()
	dir = filepath.Join(base, "work")
	outside := filepath.Join(base, "outside")
	for _, d := range []string{dir, outside, filepath.Join(dir, "sub")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{
		filepath.Join(dir, "in.txt"): "alpha\nbeta\n", filepath.Join(dir, "old.txt"): "old\n",
		filepath.Join(dir, "closed"): "secret\n", filepath.Join(outside, "secret"): "secret\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"escf": "../outside/secret", "escd": "../outside", "escabs": filepath.Join(outside, "secret"),
		"okl": "in.txt", "dangling": "new-by-link", "loop": "loop", "dev": "/dev/null",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// listing is all that is in a directory, with its content.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(filepath.Dir(dir), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all[path] = d.Type().String()
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			all[path] += string(b)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRefusedRedirectionsStartAndChangeNothing(t *testing.T) {
	tests := []struct {
		name, argv string
		code       execution.Code
		fault      execution.RedirectFault
		says       string
	}{
		{"an absolute path", "cat > /dev/null", execution.InvalidArgument, execution.FileAbsolute, "argv[1] > /dev/null: the file must be named relative"},
		{"an absolute path in front of the one that counts", "cat > /dev/null > x", execution.InvalidArgument, execution.FileAbsolute, "/dev/null"},
		{"a parent", "cat < ../outside/secret", execution.InvalidArgument, execution.FileAbove, "may not contain .."},
		{"a parent that leads back", "cat < sub/../in.txt", execution.InvalidArgument, execution.FileAbove, ".."},
		{"a link out, to read", "cat < escf", execution.InvalidArgument, execution.FileOutside, "symbolic link"},
		{"a link out, to write", "cat > escf", execution.InvalidArgument, execution.FileOutside, "symbolic link"},
		{"a link out, to append", "cat >> escf", execution.InvalidArgument, execution.FileOutside, "symbolic link"},
		{"an absolute link", "cat < escabs", execution.InvalidArgument, execution.FileOutside, "symbolic link"},
		{"a link to a directory outside", "cat > escd/new", execution.InvalidArgument, execution.FileOutside, "symbolic link"},
		{"a device by a link", "cat > dev", execution.InvalidArgument, execution.FileOutside, "symbolic link"},
		{"a FIFO to read", "cat < fifo", execution.InvalidArgument, execution.FileIrregular, "FIFO"},
		{"a FIFO to write", "cat > fifo", execution.InvalidArgument, execution.FileIrregular, "FIFO"},
		{"a directory to write", "cat > sub", execution.FailedToStart, execution.FileUnavailable, "is a directory"},
		{"a directory to read", "cat < sub", execution.FailedToStart, execution.FileUnavailable, "is a directory"},
		{"a tilde is a name", "cat > ~/zz", execution.FailedToStart, execution.FileUnavailable, "~/zz: no such file or directory"},
		{"a missing file", "cat < none", execution.FailedToStart, execution.FileUnavailable, "no such file"},
		{"a file as directory", "cat > in.txt/x", execution.FailedToStart, execution.FileUnavailable, "not a directory"},
		{"a link without end", "cat < loop", execution.FailedToStart, execution.FileUnavailable, "symbolic links"},
		{"in a later stage (M7)", "cat in.txt | sort > old.txt | cat < none", execution.FailedToStart, execution.FileUnavailable, "argv[8] < none"},
		{"after one that would be emptied", "cat > old.txt | cat > escf", execution.InvalidArgument, execution.FileOutside, "escf"},
		{"after one that would be created", "cat > new.txt | cat > escf", execution.InvalidArgument, execution.FileOutside, "escf"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := workspace(t)
			before := listing(t, dir)
			_, err := resolve(t, execution.Options{Dir: dir, Environ: os.Environ()}, pipeline(test.argv))
			if execution.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v of code %q; want %q, and that it says %q", err, execution.CodeOf(err), test.code, test.says)
			}
			if fault, ok := errors.AsType[*execution.RedirectError](err); !ok || fault.Fault != test.fault {
				t.Errorf("fault %+v; want %v", fault, test.fault)
			}
			if after := listing(t, dir); !maps.Equal(before, after) {
				t.Errorf("the directory has changed: %v; was %v", after, before)
			}
		})
	}
}

func TestFilesThatCannotBeOpenedAreNamed(t *testing.T) {
	dir := workspace(t)
	if err := os.Chmod(filepath.Join(dir, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		becomeNobody(t, dir, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir)))
	}
	for _, argv := range []string{"cat < closed", "cat > closed", "cat >> closed"} {
		_, err := resolve(t, execution.Options{Dir: dir, Environ: os.Environ()}, pipeline(argv))
		if execution.CodeOf(err) != execution.FailedToStart || !strings.Contains(err.Error(), "closed: permission denied") {
			t.Errorf("%s: %v", argv, err)
		}
	}
}

// becomeNobody takes from this thread what root may do to files until the end of
// the test, and gives it the directories.
func becomeNobody(t *testing.T, dirs ...string) {
	t.Helper()
	const nobody = 65534
	for _, dir := range dirs {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	runtime.LockOSThread()
	if _, err := unix.SetfsuidRetUid(nobody); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = unix.SetfsuidRetUid(0)
		runtime.UnlockOSThread()
	})
}

func TestNothingIsOpenedForWhatMayNotRun(t *testing.T) {
	deny, _, err := policy.New(policy.Options{Deny: []string{"rm"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := workspace(t)
	before := listing(t, dir)
	for name, request := range map[string]execution.Request{
		"a denied stage":    pipeline("cat in.txt > new.txt | rm x > old.txt"),
		"a missing program": pipeline("cat > old.txt | no-such-program > new.txt"),
	} {
		if _, err := resolve(t, execution.Options{Dir: dir, Environ: os.Environ(), Policy: deny}, request); err == nil {
			t.Errorf("%s was started", name)
		}
	}
	l := &launcher{refuse: &proc.StartError{Step: "start", Err: syscall.EAGAIN}}
	sup := execution.New(execution.Options{Dir: dir, Environ: os.Environ(), Launcher: l})
	defer sup.Close()
	if _, err := stdio(sup).Start(t.Context(), pipeline("cat > new.txt")); execution.CodeOf(err) != execution.FailedToStart {
		t.Errorf("error %v", err)
	}
	if after := listing(t, dir); !maps.Equal(before, after) {
		t.Errorf("the directory has changed: %v; was %v", after, before)
	}
}

// opened starts argv and returns what the files of its stages are: the content
// that is read, and the names of what is written.
func opened(t *testing.T, dir, argv string) (files []string) {
	t.Helper()
	l := &launcher{script: after(0, "")}
	l.onLaunch = func(spec *proc.Spec) {
		for _, st := range append([]proc.Stage{{In: spec.In, Out: spec.Out}}, spec.Next...) {
			if st.In != nil {
				b, err := io.ReadAll(st.In)
				files = append(files, "<"+string(b))
				if err != nil {
					t.Error(err)
				}
			}
			if st.Out != nil {
				if _, err := st.Out.WriteString("new"); err != nil {
					t.Error(err)
				}
				flags, err := unix.FcntlInt(st.Out.Fd(), unix.F_GETFL, 0)
				if err != nil || flags&unix.O_NONBLOCK != 0 {
					t.Errorf("%s does not block: %#x, %v", st.Out.Name(), flags, err)
				}
				name, err := filepath.Rel(dir, st.Out.Name())
				if err != nil {
					t.Error(err)
				}
				files = append(files, ">"+name)
			}
		}
	}
	sup := execution.New(execution.Options{Dir: dir, Environ: os.Environ(), Launcher: l})
	defer sup.Close()
	<-start(t, sup, pipeline(argv)).Done()
	return files
}

func TestRedirectionsOpenTheirFiles(t *testing.T) {
	tests := []struct {
		name, argv string
		files      []string
		content    map[string]string // "absent": it must not be there
	}{
		{"input", "cat < in.txt -n", []string{"<alpha\nbeta\n"}, nil},
		{"input by a link inside", "cat < okl", []string{"<alpha\nbeta\n"}, nil},
		{"output empties", "cat > old.txt", []string{">old.txt"}, map[string]string{"old.txt": "new"}},
		{"output creates", "cat > sub/a.txt", []string{">sub/a.txt"}, map[string]string{"sub/a.txt": "new"}},
		{"output by a link to nothing", "cat > dangling", []string{">dangling"}, map[string]string{"new-by-link": "new"}},
		{"append", "cat >> old.txt", []string{">old.txt"}, map[string]string{"old.txt": "old\nnew"}},
		{"append creates", "cat >> a.txt", []string{">a.txt"}, map[string]string{"a.txt": "new"}},
		{"before the program", "> a.txt cat", []string{">a.txt"}, map[string]string{"a.txt": "new"}},
		{"the last output wins", "cat > old.txt > b.txt >> a.txt", []string{">a.txt"}, map[string]string{"a.txt": "new", "old.txt": "old\n", "b.txt": "absent"}},
		{"the last input wins", "cat < none < in.txt", []string{"<alpha\nbeta\n"}, nil},
		{"in each stage (M7)", "cat < in.txt > a.txt | cat < old.txt > b.txt", []string{"<alpha\nbeta\n", ">a.txt", "<old\n", ">b.txt"}, map[string]string{"a.txt": "new", "b.txt": "new"}},
		{"a file that is read and written is emptied, as by a shell", "cat < old.txt > old.txt", []string{"<", ">old.txt"}, map[string]string{"old.txt": "new"}},
		{"a name with odd characters", "cat > $(x)*;", []string{">$(x)*;"}, map[string]string{"$(x)*;": "new"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := workspace(t)
			if got := opened(t, dir, test.argv); !slices.Equal(got, test.files) {
				t.Errorf("files %q; want %q", got, test.files)
			}
			for name, want := range test.content {
				b, err := os.ReadFile(filepath.Join(dir, name))
				if errors.Is(err, os.ErrNotExist) {
					b = []byte("absent")
				}
				if string(b) != want {
					t.Errorf("%s has %q; want %q", name, b, want)
				}
			}
		})
	}
}

func TestCreatedFilesHaveTheModeThatTheUmaskLeaves(t *testing.T) {
	dir := workspace(t)
	old := unix.Umask(0o027)
	defer unix.Umask(old)
	opened(t, dir, "cat > a.txt")
	info, err := os.Stat(filepath.Join(dir, "a.txt"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v; want 0640", info, err)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestNoDescriptorIsLeft(t *testing.T) {
	dir := workspace(t)
	opened(t, dir, "cat < in.txt > a.txt")
	before := descriptors(t)
	for range 20 {
		opened(t, dir, "cat < in.txt > a.txt | cat >> b.txt")
		_, err := resolve(t, execution.Options{Dir: dir, Environ: os.Environ()}, pipeline("cat < in.txt > a.txt | cat > escf"))
		if err == nil {
			t.Fatal("started")
		}
	}
	if now := descriptors(t); now > before {
		t.Errorf("descriptors grew from %d to %d", before, now)
	}
}

func TestStageFaultsComeBeforeThePolicy(t *testing.T) {
	deny, _, err := policy.New(policy.Options{Deny: []string{"cat"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, argv := range []string{"| cat", "cat |", "cat | | cat", "cat <", "cat > ''", "cat > | x", "< f", "cat | '' x"} {
		_, err := resolve(t, execution.Options{Dir: "/", Policy: deny}, pipeline(argv))
		if execution.CodeOf(err) != execution.InvalidArgument {
			t.Errorf("%s: %v of code %q", argv, err, execution.CodeOf(err))
		}
	}
	_, err = resolve(t, execution.Options{Dir: "/"}, pipeline("cat | > f"))
	if fault, ok := errors.AsType[*stages.StageError](err); !ok || fault.Fault != stages.NoProgram {
		t.Errorf("error %v", err)
	}
}
