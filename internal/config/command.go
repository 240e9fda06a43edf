package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// applyCwd makes the directory absolute once, so that nothing depends on the
// server's own directory later. A missing one is a fault now rather than in every
// call.
func applyCwd(c *Config, text string) error {
	dir, err := directory(text) // of "" the server's own
	if err != nil {
		return err
	}
	c.Cwd = dir
	return nil
}

// directory returns the absolute path of a directory, which must exist.
func directory(text string) (string, error) {
	dir, err := filepath.Abs(text)
	if err != nil {
		return "", fmt.Errorf("the server's own directory is not found (%w); write an absolute path", err)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(text, "~"):
		return "", errors.New("there is no such directory; ~ stands for nothing here, write the whole path")
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("there is no such directory")
	case err != nil:
		return "", fmt.Errorf("it cannot be used: %w", err)
	case !info.IsDir():
		return "", errors.New("it is not a directory")
	}
	return dir, nil
}

func applyShell(c *Config, text string) error {
	if text == "" {
		return errors.New("it is empty; write a shell such as /bin/sh")
	}
	c.Shell = text
	return nil
}

// applyEnvSet refuses what the kernel or a shell would drop or cut without a word
// (BO-48).
func applyEnvSet(c *Config, text string) error {
	name, _, found := strings.Cut(text, "=")
	switch {
	case !found || name == "":
		return errors.New("it has no name; write NAME=value")
	case strings.Contains(text, "\x00"):
		return errors.New("it holds a NUL byte, which no environment can; remove it")
	}
	c.EnvSet = append(c.EnvSet, text)
	return nil
}
