package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size reads a number of bytes from least to most, both inclusive.
func size(field func(*Config) *int64, least, most int64) func(*Config, string) error {
	return func(c *Config, text string) error {
		n, err := parseSize(text)
		switch {
		case err != nil:
			return err
		case n < least:
			return fmt.Errorf("it is too small; write %s or more", formatSize(least))
		case n > most:
			return fmt.Errorf("it is too large; write %s or less", formatSize(most))
		}
		*field(c) = n
		return nil
	}
}

// parseSize reads a whole number of bytes, KiB, MiB or GiB. KB and its kin are
// refused: half of those who write them mean 1000.
func parseSize(text string) (int64, error) {
	unit := strings.TrimLeft(text, "0123456789")
	digits := strings.TrimSuffix(text, unit)
	switch {
	case text == "":
		return 0, errors.New("it is empty; write a size such as 20000 or 256KiB")
	case strings.HasPrefix(text, "-"):
		return 0, errors.New("it is negative; write a size such as 20000 or 256KiB")
	case digits == "" || strings.HasPrefix(unit, "."):
		return 0, errors.New("it is not a size; write a whole number with B, KiB, MiB, GiB or nothing after it, such as 256KiB")
	}
	shift, ok := unitShift(unit)
	if !ok {
		return 0, fmt.Errorf("the unit %q is not known; write B, KiB, MiB, GiB or nothing, such as 256KiB", shown(unit))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > math.MaxInt64>>shift {
		return 0, errors.New("it is too large")
	}
	return n << shift, nil
}

// unitShift returns the power of two that a unit stands for.
func unitShift(unit string) (shift uint, ok bool) {
	switch unit {
	case "", "B":
		return 0, true
	case "KiB":
		return 10, true
	case "MiB":
		return 20, true
	case "GiB":
		return 30, true
	}
	return 0, false
}

// formatSize writes n in the largest unit that it is a whole number of.
func formatSize(n int64) string {
	for _, unit := range []string{"GiB", "MiB", "KiB"} {
		shift, _ := unitShift(unit)
		if n != 0 && n&(1<<shift-1) == 0 {
			return strconv.FormatInt(n>>shift, 10) + unit
		}
	}
	return strconv.FormatInt(n, 10)
}
