package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func checkShell(shell string) Result {
	r := Result{Name: "shell", Status: OK, Detail: shell}
	path := shell
	if !strings.Contains(shell, "/") {
		path = lookUp(shell)
	}
	info, err := os.Stat(path)
	switch {
	case path == "" || err != nil:
		r.Status, r.Detail = Problem, fmt.Sprintf("%s is not found", shell)
		r.Fix = "name one that exists: --shell /bin/sh"
	case info.IsDir() || info.Mode()&0o111 == 0:
		r.Status, r.Detail = Problem, fmt.Sprintf("%s is no program", path)
		r.Fix = "name one that is: --shell /bin/sh"
	}
	return r
}

// lookUp finds a program as the server does: in the absolute entries of PATH.
func lookUp(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil && filepath.IsAbs(dir) {
			return path
		}
	}
	return ""
}

// checkPath warns of what commands would run out of the workspace.
func checkPath() Result {
	path := os.Getenv("PATH")
	if path == "" {
		return Result{Name: "PATH", Status: Warning, Detail: "not set: commands get a default", Fix: "set PATH in the client's configuration of the server if programs are missing"}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			return Result{
				Name: "PATH", Status: Warning,
				Detail: fmt.Sprintf("it has the relative entry %q: a shell would run programs out of the workspace by it", dir),
				Fix:    "remove it from PATH",
			}
		}
	}
	return Result{Name: "PATH", Status: OK, Detail: path}
}
