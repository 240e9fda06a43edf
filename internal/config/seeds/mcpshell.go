package seeds

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The defaults of mcp-shell-server.
const (
	mcpShellTimeout     = 30  // seconds
	mcpShellMaxTimeout  = 300 // seconds
	mcpShellOutputLimit = 1 << 20
	mcpShellPath        = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

	// mcpShellMaxSeconds is the longest time that a time.Duration can say.
	mcpShellMaxSeconds = int64(math.MaxInt64 / time.Second)
)

// MCPShell are the settings of mcp-shell-server. It has neither flags nor a file.
type MCPShell struct {
	// Commands are the names that may be run and Patterns expressions for more of
	// them, each in the order of the variables and once. Neither is checked here.
	Commands, Patterns []string
	// Timeout is the runtime limit of a call that names none; it is never longer
	// than MaxTimeout, which bounds every call.
	Timeout, MaxTimeout time.Duration
	// OutputLimit is the most bytes that a command may write to one stream.
	OutputLimit int64
	// Environ is the whole environment of commands, NAME=value: the safe PATH, and
	// those of the server's variables that are listed.
	Environ []string
	// CallEnv are the names that a call may give a value to, sorted.
	CallEnv []string
}

// ReadMCPShell reads the settings from the server's environment. A number that is
// none is an error; zero and less is the default, as in mcp-shell-server.
func ReadMCPShell(environ []string) (MCPShell, error) {
	vars := mcpShellVariables(environ)
	seconds, err := vars.positive("MCP_SHELL_DEFAULT_TIMEOUT_SECONDS", mcpShellTimeout, mcpShellMaxSeconds)
	if err != nil {
		return MCPShell{}, err
	}
	most, err := vars.positive("MCP_SHELL_MAX_TIMEOUT_SECONDS", mcpShellMaxTimeout, mcpShellMaxSeconds)
	if err != nil {
		return MCPShell{}, err
	}
	limit, err := vars.positive("MCP_SHELL_OUTPUT_LIMIT_BYTES", mcpShellOutputLimit, math.MaxInt)
	if err != nil {
		return MCPShell{}, err
	}
	s := MCPShell{
		Commands:    vars.list("ALLOW_COMMANDS", "ALLOWED_COMMANDS"), // two names of one list
		Patterns:    vars.list("ALLOW_PATTERNS"),
		Timeout:     time.Duration(min(seconds, most)) * time.Second,
		MaxTimeout:  time.Duration(most) * time.Second,
		OutputLimit: limit,
		Environ:     []string{"PATH=" + vars.text("MCP_SHELL_SAFE_PATH", mcpShellPath)},
	}
	for _, name := range vars.list("MCP_SHELL_CHILD_ENV_ALLOWLIST") {
		// The path is safe because nobody but the operator says it: it decides
		// which file an allowed name runs.
		if name == "PATH" {
			continue
		}
		s.CallEnv = append(s.CallEnv, name)
		if value, ok := vars[name]; ok {
			s.Environ = append(s.Environ, name+"="+value)
		}
	}
	slices.Sort(s.CallEnv)
	return s, nil
}

// mcpShellVars are environment variables by name.
type mcpShellVars map[string]string

// mcpShellVariables returns the variables of an environment. Of one that is there
// twice the first counts, as in os.Getenv.
func mcpShellVariables(environ []string) mcpShellVars {
	v := make(mcpShellVars, len(environ))
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if _, seen := v[name]; !seen {
			v[name] = value
		}
	}
	return v
}

// text returns a variable without the blanks around it, or what counts if nothing
// is left.
func (v mcpShellVars) text(name, standard string) string {
	if text := strings.TrimSpace(v[name]); text != "" {
		return text
	}
	return standard
}

// list returns what stands between the commas of the variables, without blanks
// around it, in order and each once.
func (v mcpShellVars) list(names ...string) []string {
	var all []string
	for _, name := range names {
		for item := range strings.SplitSeq(v[name], ",") {
			if item = strings.TrimSpace(item); item != "" && !slices.Contains(all, item) {
				all = append(all, item)
			}
		}
	}
	return all
}

// positive returns a whole number from 1 to most. A variable that is empty, zero
// or less counts as unset.
func (v mcpShellVars) positive(name string, standard, most int64) (int64, error) {
	text := strings.TrimSpace(v[name])
	if text == "" {
		return standard, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		const shown = 60 // bytes: enough to recognize it
		if len(text) > shown {
			text = strings.ToValidUTF8(text[:shown], "") + "…"
		}
		return 0, fmt.Errorf("%s is %q: write a whole number, such as %d, or leave the variable out", name, text, standard)
	case n > most:
		return 0, fmt.Errorf("%s is %d, which is too large: the most is %d", name, n, most)
	case n <= 0:
		return standard, nil
	}
	return n, nil
}
