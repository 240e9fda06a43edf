package config

import (
	"errors"
	"log/slog"
	"slices"
	"strings"

	"whelk/internal/nearest"
)

// choice reads one of values, as it is written.
func choice(field func(*Config) *string, values ...string) func(*Config, string) error {
	return func(c *Config, text string) error {
		if err := checkChoice(text, values); err != nil {
			return err
		}
		*field(c) = text
		return nil
	}
}

func checkChoice(text string, values []string) error {
	if slices.Contains(values, text) {
		return nil
	}
	reason := "it is none of " + strings.Join(values, ", ")
	if near := nearest.Name(text, values); near != "" {
		reason += "; did you mean " + near + "?"
	}
	return errors.New(reason)
}

// applyLogLevel does not use slog's own parser, which also takes "INFO+2" and would
// make that a spelling to keep.
func applyLogLevel(c *Config, text string) error {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}
	if err := checkChoice(text, []string{"debug", "info", "warn", "error"}); err != nil {
		return err
	}
	c.LogLevel = levels[text]
	return nil
}
