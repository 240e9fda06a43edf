package mcpshell

import (
	"maps"
	"slices"
	"time"

	"whelk/internal/audit"
)

// record is the record of a call; r is nil if it was cancelled.
func record(c *call, r *result, began time.Time, caller string) audit.Record {
	rec := audit.Record{
		Time: began, Principal: caller,
		Dir: c.hide(c.dir), Env: slices.Collect(maps.Keys(c.request.Env)),
		Timeout: c.request.Timeout, OutputLimit: c.request.MaxStream,
		Duration: time.Since(began),
	}
	for _, word := range c.request.Argv {
		rec.Argv = append(rec.Argv, c.hide(word))
		switch word {
		case "<":
			rec.Redirections.Stdin = true
		case ">":
			rec.Redirections.Stdout = true
		case ">>":
			rec.Redirections.Stdout, rec.Redirections.StdoutAppend = true, true
		}
	}
	if r == nil {
		rec.Outcome, rec.Fault = audit.ProcessError, "cancelled"
		return rec
	}
	rec.Dir, rec.Outcome, rec.Fault = r.dir, r.outcome, r.fault
	rec.Stdout, rec.Stderr = int64(len(r.stdout)), int64(len(r.stderr))
	if r.outcome == audit.Rejected {
		rec.Reason = r.err
	}
	if r.exited {
		rec.ReturnCode = &r.status
	}
	return rec
}
