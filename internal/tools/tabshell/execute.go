package tabshell

import (
	"context"
	"math"
	"time"

	"whelk/internal/execution"
	"whelk/internal/tools/schema"
)

// run is a command that somebody asked for.
type run struct {
	command string // the text, as results show it
	head    bool   // keeps the beginning of output that is too long
	// limit is the time it may take; zero and less end it at once.
	limit time.Duration
}

// status is how a command of a finished execution ended. One whose time is over before
// it begins has timed out, even where it was faster than its end.
func (r run) status(n execution.Snapshot) execution.Status {
	if r.limit <= 0 && n.Status == execution.Completed {
		return execution.TimedOut
	}
	return n.Status
}

func execute(s *set, ctx context.Context, args schema.Args) string {
	command, _ := args.String("command")
	r := run{command: s.sup.Redaction(nil)(command), head: s.opts.Head, limit: s.opts.Timeout}
	if seconds, given := args.Float("timeout"); given {
		r.limit = duration(seconds)
	}
	if mode, given := args.String("output_truncation_mode"); given {
		r.head = mode == keepHead
	}
	background, _ := args.Bool("background")
	e, err := s.start(ctx, command, r, args)
	if ctx.Err() != nil {
		if e != nil {
			s.abandon(e)
		}
		return ""
	}
	switch code := execution.CodeOf(err); {
	case code == execution.PolicyDenied, code == execution.ApprovalRequired:
		return rejected(err)
	case background:
		return s.tasks.add(ctx, r, e, err).begun()
	case err != nil:
		return unstarted(r, err).text()
	}
	return s.foreground(ctx, r, e)
}

// start starts the command of a call.
func (s *set) start(ctx context.Context, command string, r run, args schema.Args) (*execution.Execution, error) {
	request := execution.Request{Command: &command, Timeout: r.timeout()}
	request.Shell, _ = args.String("shell")
	dir, given := args.String("cwd")
	if given && dir == "" {
		return nil, &execution.Error{Code: execution.FailedToStart, Text: "cwd '' is empty: name a directory, or leave cwd out for the server's own"}
	}
	request.Dir = dir
	return s.caller(ctx).Start(ctx, request)
}

// foreground waits for the end of a command, however long its timeout lets it run.
func (s *set) foreground(ctx context.Context, r run, e *execution.Execution) string {
	if e.Await(ctx, Forever) == execution.Cancelled {
		s.abandon(e)
		return ""
	}
	text := s.outcome(r, e, e.Snapshot()).text()
	e.Release() // it has no handle by which anybody could ask again
	return text
}

// abandon ends a command whose caller has gone.
func (s *set) abandon(e *execution.Execution) {
	e.Cancel()
	e.Release()
}

// timeout is the limit as requests have it.
func (r run) timeout() time.Duration {
	switch {
	case r.limit <= 0:
		return 1 // the shortest there is: that server starts the command and kills it
	case r.limit == Forever:
		return -1
	}
	return r.limit
}

// duration is a number of seconds, at most Forever.
func duration(seconds float64) time.Duration {
	if seconds >= Forever.Seconds() {
		return Forever
	}
	return time.Duration(math.Max(seconds, 0) * float64(time.Second))
}
