package config

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
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

// applyTools reads names of tool sets with commas between them.
func applyTools(c *Config, text string) error {
	c.Tools = nil
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if err := checkChoice(name, []string{ToolsNative, ToolsYieldShell, ToolsTabShell, ToolsMCPShell}); err != nil {
			return err
		}
		if slices.Contains(c.Tools, name) {
			return errors.New(name + " is there twice; write it once")
		}
		c.Tools = append(c.Tools, name)
	}
	if slices.Contains(c.Tools, ToolsNative) && slices.Contains(c.Tools, ToolsYieldShell) {
		return errors.New(ToolsYieldShell + " and " + ToolsNative + " are two dialects of the same tools; choose one")
	}
	return nil
}

// applyAudit reads where records go. A relative path starts at the server's own
// directory.
func applyAudit(c *Config, text string) error {
	c.Audit = text
	if text == AuditOff || text == AuditStderr {
		return nil
	}
	if text == "" {
		return errors.New("it is empty; write off, stderr or the path of a file")
	}
	path, err := filepath.Abs(text)
	if err != nil {
		return fmt.Errorf("the server's own directory is not found (%w); write an absolute path", err)
	}
	c.Audit = path
	return nil
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
