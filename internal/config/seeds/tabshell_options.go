package seeds

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"whelk/internal/yamlfile"
)

// tabShellOption is one setting of tab-shell-mcp: its key in a file, its flag if it has
// one, and what both take.
type tabShellOption struct {
	key, flag string
	kind      string // of the value, in a line of help
	doc       string
	takes     string
	fromText  func(*TabShell, string) error
	fromNode  func(*TabShell, ast.Node) error
}

// errKind says that a value is not of the kind that the option takes.
var errKind = errors.New("a value of another kind")

// tabShellOptions are all there are, in the order of the document.
func tabShellOptions() []tabShellOption {
	return []tabShellOption{
		textOption("shell", "shell", "shell of commands that name none; empty is $SHELL, or /bin/sh", func(s *TabShell) *string { return &s.Shell }),
		secondsOption("default_timeout", "timeout", "limit of commands that name none (30)", func(s *TabShell) *time.Duration { return &s.Timeout }),
		integerOption("max_output_length", "max-output-length", "most characters of stdout and stderr together (50000)", func(s *TabShell) *int { return &s.MaxOutput }),
		choiceOption("output_truncation_mode", "output-truncation-mode", "which end of longer output is kept (tail)", func(s *TabShell) *string { return &s.Truncate }, "head", "tail"),
		secondsOption("keepalive_interval", "", "between notifications of progress (5)", func(s *TabShell) *time.Duration { return &s.Keepalive }),
		secondsOption("completed_task_ttl", "completed-task-ttl", "how long ended tasks are kept; 0 is until the end (3600)", func(s *TabShell) *time.Duration { return &s.TimeToLive }),
		namesOption("blacklist", "blacklist", "commands that may not run", func(s *TabShell) *[]string { return &s.Blacklist }),
		namesOption("whitelist", "whitelist", "the only commands that may run; the blacklist has no effect then", func(s *TabShell) *[]string { return &s.Whitelist }),
		choiceOption("transport", "transport", "how clients speak to it (stdio)", func(s *TabShell) *string { return &s.Transport }, TabShellStdio, TabShellHTTP),
		textOption("host", "host", "address that streamable-http listens on (127.0.0.1)", func(s *TabShell) *string { return &s.Host }),
		integerOption("port", "port", "port that streamable-http listens on (8000)", func(s *TabShell) *int { return &s.Port }),
		{
			key: "non_interactive_env", takes: `a mapping from variables to texts, such as CI: "true"`,
			fromNode: func(s *TabShell, n ast.Node) error { return setEnv(&s.Env, n) },
		},
	}
}

func textOption(key, flag, doc string, field func(*TabShell) *string) tabShellOption {
	return tabShellOption{
		key: key, flag: flag, kind: "TEXT", doc: doc, takes: "a text",
		fromText: func(s *TabShell, text string) error {
			*field(s) = text
			return nil
		},
		fromNode: func(s *TabShell, n ast.Node) error {
			text, err := textOf(n)
			if err == nil {
				*field(s) = text
			}
			return err
		},
	}
}

func choiceOption(key, flag, doc string, field func(*TabShell) *string, values ...string) tabShellOption {
	o := textOption(key, flag, doc, field)
	o.kind, o.takes = "{"+strings.Join(values, ",")+"}", strings.Join(values, " or ")
	o.fromText = func(s *TabShell, text string) error {
		if !slices.Contains(values, text) {
			return errKind
		}
		*field(s) = text
		return nil
	}
	o.fromNode = func(s *TabShell, n ast.Node) error {
		text, err := textOf(n)
		if err != nil {
			return err
		}
		return o.fromText(s, text)
	}
	return o
}

func secondsOption(key, flag, doc string, field func(*TabShell) *time.Duration) tabShellOption {
	set := func(s *TabShell, text string) error {
		seconds, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if math.IsNaN(seconds) || err != nil && !errors.Is(err, strconv.ErrRange) {
			return errKind
		}
		*field(s) = duration(seconds)
		return nil
	}
	return tabShellOption{
		key: key, flag: flag, kind: "SECONDS", doc: doc, takes: "a number of seconds, such as 30 or 0.5", fromText: set,
		fromNode: func(s *TabShell, n ast.Node) error {
			switch n := n.(type) {
			case *ast.IntegerNode:
				return set(s, fmt.Sprint(n.Value))
			case *ast.FloatNode:
				*field(s) = duration(n.Value)
				return nil
			case *ast.InfinityNode:
				*field(s) = duration(n.Value)
				return nil
			}
			return errKind
		},
	}
}

// duration is a number of seconds, cut to what a time can be.
func duration(seconds float64) time.Duration {
	switch {
	case seconds >= Forever.Seconds():
		return Forever
	case seconds <= -Forever.Seconds():
		return -Forever
	}
	return time.Duration(seconds * float64(time.Second))
}

func integerOption(key, flag, doc string, field func(*TabShell) *int) tabShellOption {
	set := func(s *TabShell, text string) error {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil && !errors.Is(err, strconv.ErrRange) { // then n is the nearest there is
			return errKind
		}
		*field(s) = n
		return nil
	}
	return tabShellOption{
		key: key, flag: flag, kind: "NUMBER", doc: doc, takes: "a whole number", fromText: set,
		fromNode: func(s *TabShell, n ast.Node) error {
			if n, ok := n.(*ast.IntegerNode); ok {
				return set(s, fmt.Sprint(n.Value))
			}
			return errKind
		},
	}
}

func namesOption(key, flag, doc string, field func(*TabShell) *[]string) tabShellOption {
	return tabShellOption{
		key: key, flag: flag, kind: "NAME,…", doc: doc, takes: "a list of names, such as [rm, dd]",
		fromText: func(s *TabShell, text string) error {
			*field(s) = strings.Split(text, ",") // package policy drops blank ones
			return nil
		},
		fromNode: func(s *TabShell, n ast.Node) error {
			items, ok := yamlfile.List(n)
			if !ok {
				return errKind
			}
			names := []string{}
			for _, item := range items {
				name, err := textOf(item)
				if err != nil {
					return err
				}
				names = append(names, name)
			}
			*field(s) = names
			return nil
		},
	}
}

// textOf returns a value that is a text, and not a number or a boolean that looks like
// one.
func textOf(n ast.Node) (string, error) {
	switch n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		text, _ := yamlfile.Scalar(n)
		return text, nil
	}
	return "", errKind
}

// setEnv reads a mapping from names to texts, in the order of names.
func setEnv(env *[]string, n ast.Node) error {
	entries, ok := yamlfile.Pairs(n)
	if !ok {
		return errKind
	}
	list := []string{}
	for _, entry := range entries {
		name := yamlfile.Key(entry)
		value, err := textOf(entry.Value)
		switch {
		case err != nil:
			return fmt.Errorf("the value of %s is no text; put it in quotes", shown(name))
		case name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00"):
			return fmt.Errorf("%q is no name of a variable, or its value holds NUL", shown(name))
		}
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	*env = list
	return nil
}
