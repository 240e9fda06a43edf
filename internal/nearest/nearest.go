// Package nearest finds the name that somebody who misspelt one most likely
// meant, for the error that says so.
//
// The package is a leaf without state.
package nearest

import "strings"

// longestGuess is how many bytes of a misspelt name are worth comparing. It bounds
// the work that a hostile name can cause.
const longestGuess = 64

// Name returns the name that was most likely meant by guess, or "" when none is
// near: one that differs in case alone, that begins as the other does, or that is
// at most a third of its letters, rounded, away: two for a swap in five letters.
func Name(guess string, names []string) string {
	const shortestPrefix = 3 // letters; a shorter beginning says too little
	if len(guess) > longestGuess {
		return ""
	}
	guess = strings.ToLower(guess)
	best, bestDistance := "", longestGuess
	for _, name := range names {
		lower := strings.ToLower(name)
		distance := editDistance(guess, lower)
		longer, shorter := max(len(guess), len(lower)), min(len(guess), len(lower))
		begins := shorter >= shortestPrefix && guess[:shorter] == lower[:shorter]
		if (begins || distance <= (longer+1)/3) && distance < bestDistance {
			best, bestDistance = name, distance
		}
	}
	return best
}

// editDistance counts the bytes to insert, delete or replace to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
