package mcpshell

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whelk/internal/execution"
	"whelk/internal/tools/schema"
)

// call is what a client asks for.
type call struct {
	request execution.Request // as far as it could be understood
	piped   bool              // it is a pipeline
	dir     string            // absolute; symbolic links are not resolved

	hide func(string) string // takes secrets out of a text
}

// read translates the arguments of a call. On an error the call has what was
// understood before.
func (s *set) read(raw json.RawMessage) (*call, error) {
	c := &call{dir: s.opts.Dir}
	args, err := s.tool.Decode(raw)
	if err != nil {
		return c, err
	}
	words, _ := args.Strings("command")
	c.request = execution.Request{
		Argv: cleaned(words), Operators: true,
		Timeout: s.timeout(args), MaxStream: s.outputLimit(args), Env: s.variables(args),
	}
	c.request.Input, _ = args.String("stdin")
	c.piped = slices.Contains(words, pipe)
	if dir, ok := args.String("directory"); ok {
		if strings.TrimSpace(dir) == "" {
			return c, errors.New("directory is empty: name one, or leave it out for the server's own")
		}
		c.request.Dir = dir
		c.dir = absolute(s.opts.Dir, dir)
	}
	switch {
	case len(words) == 0:
		return c, errors.New("no command: give the program and its arguments as the elements of command")
	case len(c.request.Argv) == 0 || strings.TrimSpace(c.request.Argv[0]) == "":
		return c, errors.New("the command is empty: its first element names the program")
	case s.opts.Refusal != "":
		return c, errors.New(s.opts.Refusal)
	}
	return c, nil
}

const pipe = "|"

// cleaned is a command without empty elements and without an operator | that
// nothing follows, as mcp-shell-server takes it.
func cleaned(words []string) []string {
	argv := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "" })
	if n := len(argv); n > 1 && argv[n-1] == pipe {
		argv = argv[:n-1]
	}
	return argv
}

// timeout is what the call asks for or the default, within the most.
func (s *set) timeout(args schema.Args) time.Duration {
	asked, ok := args.Int("timeout")
	if !ok {
		return s.opts.Timeout
	}
	return time.Duration(min(asked, seconds(s.opts.MaxTimeout))) * time.Second
}

// outputLimit is what the call asks for within the operator's limit, which it can
// only lower: the limit guards the client against what a command may write.
func (s *set) outputLimit(args schema.Args) int64 {
	if asked, ok := args.Int("output_limit"); ok {
		return min(asked, s.opts.OutputLimit)
	}
	return s.opts.OutputLimit
}

// variables are those of the call that the operator permits.
func (s *set) variables(args schema.Args) map[string]string {
	asked, _ := args.Map("envs")
	permitted := make(map[string]string)
	for name, value := range asked {
		if slices.Contains(s.opts.CallEnv, name) {
			permitted[name] = value
		}
	}
	return permitted
}

func absolute(base, dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(base, dir)
}
