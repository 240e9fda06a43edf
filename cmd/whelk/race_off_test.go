//go:build !race

package main

// raceEnabled tells whether the program carries the race detector.
const raceEnabled = false
