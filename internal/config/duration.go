package config

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// duration reads a duration from least to most, both inclusive.
func duration(field func(*Config) *time.Duration, least, most time.Duration) func(*Config, string) error {
	return func(c *Config, text string) error {
		d, err := parseDuration(text)
		switch {
		case err != nil:
			return err
		case d < least:
			return fmt.Errorf("it is too short; write %s or more", formatDuration(least))
		case d > most:
			return fmt.Errorf("it is too long; write %s or less", formatDuration(most))
		}
		*field(c) = d
		return nil
	}
}

// parseDuration reads a duration of 0 or more, as Go writes it. A bare number is
// refused: seconds and milliseconds are equally likely, and a factor of a thousand
// apart.
func parseDuration(text string) (time.Duration, error) {
	const longestGuess = 10 // digits; a longer number is no duration that anyone meant
	switch {
	case text == "":
		return 0, errors.New("it is empty; write a duration such as 30s, or 0")
	case text == "0":
		return 0, nil
	case isDigits(text) && len(text) <= longestGuess:
		return 0, fmt.Errorf("it has no unit; write %ss for seconds or %sms for milliseconds", text, text)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, errors.New("it is not a duration, or is one past 292 years; " +
			"write numbers with their units (ms, s, m, h), such as 500ms, 30s or 1h30m")
	}
	if d < 0 {
		return 0, errors.New("it is negative; write 0 or more")
	}
	return d, nil
}

// formatDuration writes d as a person would: 10m, not 10m0s.
func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
