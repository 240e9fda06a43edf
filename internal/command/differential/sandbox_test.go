package differential

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"

	"whelk/internal/command"
)

// ownerVariable says that the sandbox has a user namespace: its root is the
// user who runs the tests, and there is no other user to change to.
const ownerVariable = "WHELK_DIFFERENTIAL_OWNER"

// sandbox runs programs in namespaces of their own, one at a time.
type sandbox struct {
	t    *testing.T
	send *json.Encoder
	recv *json.Decoder
}

// newSandbox starts the sandbox. It skips the test where the kernel does not
// let this process have namespaces.
func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	cmd := sandboxCommand(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the sandbox ended badly: %v: %s", err, stderr.Bytes())
		}
	})
	s := &sandbox{t: t, send: json.NewEncoder(in), recv: json.NewDecoder(out)}
	switch first, err := s.answer(); {
	case err != nil:
		t.Fatalf("the sandbox did not start: %v", err)
	case first.Kernel:
		t.Skipf("kernel: a sandbox is refused: %s", first.Fail)
	case first.Fail != "":
		t.Fatalf("the sandbox did not start: %s", first.Fail)
	}
	return s
}

// sandboxCommand is this test binary as the first process of its namespaces.
func sandboxCommand(t *testing.T) *exec.Cmd {
	t.Helper()
	for _, needed := range append([]string{"unshare", "bash", "dash"}, tools...) {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skipf("no %s on this machine", needed)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	namespaces := []string{"--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"}
	owner := ""
	if os.Geteuid() != 0 {
		namespaces = append(namespaces, "--user", "--map-root-user")
		owner = "1"
	}
	if out, err := exec.Command("unshare", append(namespaces, "true")...).CombinedOutput(); err != nil {
		t.Skipf("kernel: namespaces are refused: %v: %s", err, bytes.TrimSpace(out))
	}
	cmd := exec.Command("unshare", append(namespaces, "--", self)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), rootVariable + "=" + t.TempDir(), ownerVariable + "=" + owner}
	return cmd
}

func (s *sandbox) answer() (answer, error) {
	var given answer
	err := s.recv.Decode(&given)
	return given, err
}

// run runs a program, with the text of its analysis if it has one, and returns
// what the stubs noted.
func (s *sandbox) run(p program, a *command.Analysis) [][]string {
	s.t.Helper()
	env := append([]string{"PATH=/stubs:/tools:/sh-" + p.Sh, "HOME=" + workplace, "LC_ALL=C"}, pairs(p.Env)...)
	argv := p.Argv
	if argv == nil {
		text := a.Text
		if a.Refused != nil {
			text = p.Text
		}
		argv = []string{"/bin/" + p.interpreter(), "-c", text}
	}
	if err := s.send.Encode(request{Argv: argv, Env: env, Stdin: p.Stdin}); err != nil {
		s.t.Fatalf("ask the sandbox: %v", err)
	}
	given, err := s.answer()
	if err != nil {
		s.t.Fatalf("the sandbox died of %s: %v", p, err)
	}
	if given.Fail != "" {
		s.t.Fatalf("the sandbox could not run %s: %s", p, given.Fail)
	}
	return given.Ran
}

// pairs returns variables as a process takes them.
func pairs(env map[string]string) []string {
	var out []string
	for name, value := range env {
		out = append(out, name+"="+value)
	}
	return out
}
