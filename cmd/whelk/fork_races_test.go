package main

import (
	"strings"
	"sync"
	"testing"

	"whelk/internal/mcptest"
)

func TestBO85ALongCommandIsNeverTextFileBusy(t *testing.T) {
	// Long texts are handed over while other commands are forked.
	t.Parallel()
	s := startServer(t, "--max-executions", "64")
	long := "exec 2>&1; echo ok " + strings.Repeat("#", 132_000)
	const width, rounds = 8, 12
	var wg sync.WaitGroup
	results := make(chan *mcptest.Result, 2*width*rounds)
	for range rounds {
		for range width {
			text, short := s.BeginExecute(long), s.BeginExecute("echo ok")
			wg.Go(func() { results <- text.Result() })
			wg.Go(func() { results <- short.Result() })
		}
		wg.Wait()
	}
	close(results)
	for r := range results {
		wantRun(t, r, "completed", 0, "ok\n")
	}
}
