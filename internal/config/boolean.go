package config

import "errors"

// boolean reads true or false, as they are written.
func boolean(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, text string) error {
		if text != "true" && text != "false" {
			return errors.New("it is neither true nor false")
		}
		*field(c) = text == "true"
		return nil
	}
}
