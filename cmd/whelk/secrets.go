package main

import (
	"io"
	"regexp"
	"slices"

	"whelk/internal/config"
	"whelk/internal/redact"
)

// secretsOf returns what is hidden: of the server's environment, and of what the
// operator lays over it for commands, the values whose names are chosen.
func secretsOf(c *config.Config, environ []string) (*redact.Set, error) {
	o := redact.Options{Formats: c.RedactFormats}
	if c.RedactEnv != "" {
		names, err := regexp.Compile(c.RedactEnv)
		if err != nil {
			return nil, err
		}
		o.Names, o.Encoded = names, true
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
