package main

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"whelk/internal/config"
	"whelk/internal/redact"
)

// secretsOf returns what is hidden: of the server's environment, and of what the
// operator lays over it for commands, the values whose names are chosen, by
// redact-env or by one of the expressions of a tool set's own; "" chooses none.
func secretsOf(c *config.Config, environ []string, own ...string) (*redact.Set, error) {
	o := redact.Options{Encoded: true, Formats: c.RedactFormats}
	var chosen []string
	for _, text := range append(own, c.RedactEnv) {
		if text != "" {
			chosen = append(chosen, "(?:"+text+")")
		}
	}
	if len(chosen) > 0 {
		names, err := regexp.Compile(strings.Join(chosen, "|"))
		if err != nil {
			return nil, err // each alone has compiled
		}
		o.Names = names
	}
	return redact.New(o, slices.Concat(environ, c.EnvSet)), nil
}

// redactedWriter hides the secrets of all sets in what it writes, each call's
// text by itself. The logger makes one call a line.
type redactedWriter struct {
	to   io.Writer
	sets []*toolSet
}

func (w redactedWriter) Write(p []byte) (int, error) {
	text := string(p)
	for _, set := range w.sets {
		text = set.options.Secrets.Text(text)
	}
	if _, err := io.WriteString(w.to, text); err != nil {
		return 0, err
	}
	return len(p), nil
}
