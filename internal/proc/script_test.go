package proc_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"whelk/internal/proc"
)

func TestScriptRunsLikeAnArgument(t *testing.T) {
	body := `exec 3<&-; set -e
cat
ls /proc/self/fd | tr '\n' ' '
echo "$0"
cat <<EOF | wc -c
` + strings.Repeat("x", 400_000) + `
EOF
exit 9
` + strings.Repeat("# filler\n", 20_000)
	for shell, source := range map[string]string{
		"sh": ". " + proc.ScriptPath, "dash": ". " + proc.ScriptPath, "bash": ". " + proc.ScriptPath,
		"zsh": `eval "$(<` + proc.ScriptPath + `)"`,
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("no %s on this machine", shell)
			}
			r := launch(t, &proc.Spec{
				Path: path, Argv: []string{shell, "-c", source},
				Dir: "/", Env: os.Environ(), Script: body,
			})
			exit, out, errs := r.wait(t)
			// ls has a descriptor of its own, the directory it reads.
			if want := "0 1 2 3 " + shell + "\n400001\n"; out != want || exit.Code != 9 || errs != "" {
				t.Errorf("stdout %q, stderr %q, exit %d; want %q, nothing, 9", out, errs, exit.Code, want)
			}
		})
	}
}
