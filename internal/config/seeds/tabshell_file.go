package seeds

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"whelk/internal/nearest"
	"whelk/internal/yamlfile"
)

// readFile takes over what a file says. Each fault names the file and, where there is
// one, the line and the key.
func (s *TabShell) readFile(path string) []error {
	text, warnings, err := yamlfile.Read(path)
	if err != nil {
		return []error{fmt.Errorf("--config %q: %w", shown(path), err)}
	}
	s.Warnings = append(s.Warnings, warnings...)
	clean, line, err := yamlfile.Clean(text)
	if err != nil {
		return []error{faultAt(path, line, err)}
	}
	root, line, err := yamlfile.Parse(clean)
	switch {
	case err != nil:
		return []error{faultAt(path, line, err)}
	case root == nil:
		return nil
	}
	entries, ok := yamlfile.Pairs(root)
	if !ok {
		return []error{faultAt(path, yamlfile.Line(root), errors.New("a file is a mapping from keys to values, such as default_timeout: 60"))}
	}
	var faults []error
	for _, entry := range entries {
		warning, err := s.readEntry(entry)
		if err != nil {
			faults = append(faults, faultAt(path, yamlfile.Line(entry.Key), err))
		}
		if warning != "" {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s:%d: %s", path, yamlfile.Line(entry.Key), warning))
		}
	}
	return faults
}

func faultAt(path string, line int, err error) error {
	return fmt.Errorf("%s:%d: %w", path, line, err)
}

// readEntry takes over one line. A key that means nothing is left out, with a
// warning, as tab-shell-mcp does; but not one that may be meant for another, nor one
// that holds more than a word: a list of commands may stand in it.
func (s *TabShell) readEntry(entry *ast.MappingValueNode) (warning string, err error) {
	key := yamlfile.Key(entry)
	var keys []string
	for _, o := range tabShellOptions() {
		if o.key != key {
			keys = append(keys, o.key)
			continue
		}
		if yamlfile.IsNull(entry.Value) {
			return "", nil // as if the line were not there
		}
		err := o.fromNode(s, entry.Value)
		switch text, single := yamlfile.Scalar(entry.Value); {
		case err == nil:
			return "", nil
		case !errors.Is(err, errKind):
			return "", fmt.Errorf("%s takes %s: %w", key, o.takes, err)
		case single:
			return "", fmt.Errorf("%s takes %s, not %q", key, o.takes, shown(text))
		}
		return "", fmt.Errorf("%s takes %s", key, o.takes)
	}
	has := "; it has " + strings.Join(keys, ", ")
	_, single := yamlfile.Scalar(entry.Value)
	near := nearest.Name(key, keys)
	switch {
	case near != "":
		return "", fmt.Errorf("there is no key %s; did you mean %s?", shown(key), near)
	case !single && !yamlfile.IsNull(entry.Value):
		return "", fmt.Errorf("there is no key %s%s", shown(key), has)
	}
	return fmt.Sprintf("there is no key %s%s: the line is left out", shown(key), has), nil
}
