package seeds

import (
	"fmt"
	"strings"
)

// TabShellHelp is what --help of tab-shell-mcp tells.
func TabShellHelp() string {
	var b strings.Builder
	b.WriteString("Serves the tools of tab-shell-mcp: commands, and tasks in the background.\n\n" +
		"Usage: tab-shell-mcp [flags]\n\n")
	line := func(name, kind, doc string) { fmt.Fprintf(&b, "  %-40s %s\n", name+" "+kind, doc) }
	line("--config", "FILE", "file in YAML; flags win over it")
	for _, o := range tabShellOptions() {
		if o.flag != "" {
			line("--"+o.flag, o.kind, o.doc)
		}
	}
	line("-h, --help", "", "this text")
	b.WriteString("\nThe file has these keys:\n")
	for _, o := range tabShellOptions() {
		fmt.Fprintf(&b, "  %-40s %s\n", o.key, o.takes)
	}
	return b.String()
}
