package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// blockedByDefault is the default of blocked-side-effects: the categories that
// mcp-yieldshell blocks, except RUNS_INLINE_CODE. The side effects of a command are
// found here and need not be declared, and python -c is everyday work.
const blockedByDefault = "KILLS_AGENT_PROCESS,MODIFIES_OS_SETTINGS,MODIFIES_OS_USER_SETTINGS,MODIFIES_PROTECTED_FILES"

// applyConfig keeps which file was read; reading it came before all options.
func applyConfig(c *Config, text string) error {
	if text == "" {
		return nil
	}
	path, err := filepath.Abs(text)
	if err != nil {
		return fmt.Errorf("the server's own directory is not found (%w); write an absolute path", err)
	}
	c.File = path
	return nil
}

// applyCommand reads a name, or a name with words. What they match is the policy's.
func applyCommand(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, text string) error {
		switch {
		case strings.TrimSpace(text) == "":
			return errors.New("it is empty; write a command such as git, or 'git push'")
		case strings.ContainsAny(text, "\x00\n"):
			return errors.New("it holds a NUL byte or a line break; write one command, such as 'git push'")
		}
		*field(c) = append(*field(c), strings.TrimSpace(text))
		return nil
	}
}

// applyRegex takes the empty text for no expression, which would match everything.
func applyRegex(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, text string) error {
		if _, err := regexp.Compile(text); err != nil {
			return fmt.Errorf("it is no regular expression of RE2 syntax: %w", err)
		}
		*field(c) = text
		return nil
	}
}

func applyOnUnknown(c *Config, text string) error {
	values := []string{DecisionDeny, DecisionAsk, DecisionAllow}
	if text == "" { // the default
		return nil
	}
	return choice(func(c *Config) *string { return &c.OnUnknown }, values...)(c, text)
}

// applyEffects reads names with commas between them; a comma alone says that there
// are none, which a variable could not say otherwise (mcp-yieldshell does the same).
func applyEffects(c *Config, text string) error {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(c.BlockedSideEffects, name) {
			c.BlockedSideEffects = append(c.BlockedSideEffects, name)
		}
	}
	return nil
}

func applyRoot(c *Config, text string) error {
	if text == "" {
		return errors.New("it is empty; write a directory")
	}
	dir, err := directory(text)
	if err != nil {
		return err
	}
	c.Roots = append(c.Roots, dir)
	return nil
}
