package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// stateOption is the name of the option that says where state is kept.
const stateOption = "state-dir"

// applyStateDir makes the directory absolute. It need not exist: who needs it
// makes it.
func applyStateDir(c *Config, text string) error {
	switch {
	case text == "":
		return nil
	case strings.HasPrefix(text, "~"):
		return errors.New("~ stands for nothing here, write the whole path")
	}
	dir, err := filepath.Abs(text)
	if err != nil {
		return fmt.Errorf("the server's own directory is not found (%w); write an absolute path", err)
	}
	c.StateDir = dir
	return nil
}

// defaultState gives the state directory if nobody names one, so that people
// see which one is used. A relative XDG_STATE_HOME is to be ignored (XDG Base
// Directory Specification).
func defaultState(environ []string) source {
	return func(o Option) (setting, bool) {
		if o.Name != stateOption {
			return setting{}, false
		}
		dir := variable(environ, "XDG_STATE_HOME")
		if !filepath.IsAbs(dir) {
			home := variable(environ, "HOME")
			if !filepath.IsAbs(home) || !ours(home) {
				return setting{}, false
			}
			dir = filepath.Join(home, ".local", "state")
		}
		return newSetting("default", filepath.Join(dir, "whelk")), true
	}
}
