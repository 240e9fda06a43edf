//go:build !race

package proc_test

// raceEnabled tells whether the program carries the race detector.
const raceEnabled = false
