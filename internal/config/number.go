package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// number reads a whole number, least or more.
func number(field func(*Config) *int, least int) func(*Config, string) error {
	return func(c *Config, text string) error {
		n, err := parseNumber(text)
		if err != nil {
			return err
		}
		if n < least {
			return fmt.Errorf("it is too small; write %d or more", least)
		}
		*field(c) = n
		return nil
	}
}

func parseNumber(text string) (int, error) {
	switch {
	case text == "":
		return 0, errors.New("it is empty; write a whole number such as 50")
	case text[0] == '-' && isDigits(text[1:]):
		return 0, errors.New("it is negative; write a whole number such as 50")
	case !isDigits(text):
		return 0, errors.New("it is not a whole number; write digits alone, such as 50")
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, errors.New("it is too large")
	}
	return n, nil
}

// isDigits reports whether text is one decimal digit or more and nothing else.
func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
