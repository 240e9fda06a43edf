package main

import (
	"bufio"
	"regexp"
	"strconv"
	"strings"
)

// results are what a run of benchmarks printed.
type results struct {
	about    []string                      // the lines that describe the machine
	measures map[string]map[string]float64 // benchmark → unit → value
}

// benchmarkLine has the name, without the number of processors, and the pairs
// of value and unit that follow the number of iterations.
var benchmarkLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// aboutLine is a line of configuration in the format of Go's benchmarks.
var aboutLine = regexp.MustCompile(`^(cpu|limits): `)

func read(lines *bufio.Scanner) (results, error) {
	r := results{measures: map[string]map[string]float64{}}
	seen := map[string]bool{}
	for lines.Scan() {
		line := lines.Text()
		if aboutLine.MatchString(line) && !seen[line] {
			seen[line] = true
			r.about = append(r.about, line)
		}
		if m := benchmarkLine.FindStringSubmatch(line); m != nil {
			r.measures[m[1]] = pairs(strings.Fields(m[2]))
		}
	}
	return r, lines.Err()
}

func pairs(words []string) map[string]float64 {
	values := map[string]float64{}
	for i := 0; i+1 < len(words); i += 2 {
		if value, err := strconv.ParseFloat(words[i], 64); err == nil {
			values[words[i+1]] = value
		}
	}
	return values
}
