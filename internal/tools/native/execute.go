package native

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"whelk/internal/execution"
	"whelk/internal/output"
	"whelk/internal/policy"
	"whelk/internal/tools/schema"
)

func execute(s *set, ctx context.Context, args input) *answer {
	request, err := executeRequest(args.Args)
	if err != nil {
		return s.failedToStart(ctx, request, &execution.Error{Code: execution.InvalidArgument, Text: err.Error()})
	}
	s.opts.Dialect.repair(&request)
	request.Approved = args.approved
	e, err := s.caller(ctx).Start(ctx, request)
	if ctx.Err() != nil {
		if e != nil {
			e.Cancel()
		}
		return nil
	}
	if err != nil {
		return s.failedToStart(ctx, request, err)
	}
	outcome := e.Await(ctx, s.yield(args.Args))
	if outcome == execution.Cancelled {
		// Nobody was told the handle: a command that nobody can address must
		// not stay.
		e.Cancel()
		return nil
	}
	return s.executed(e, outcome, output.ReadOptions{Max: s.maxOutput(args.Args)})
}

func (s *set) failedToStart(ctx context.Context, request execution.Request, err error) *answer {
	a := new(answer).add("status", "failed_to_start").failed(err)
	denial, ok := errors.AsType[*policy.Denial](err)
	if !ok {
		return a
	}
	a.addSet("rule", denial.Rule).addSet("suggest", denial.Suggest)
	if denial.Decision == policy.Ask {
		a.ask = s.approvalMessage(ctx, request, denial)
	}
	return a
}

// executed is the answer about an execution that has been started.
func (s *set) executed(e *execution.Execution, outcome execution.Outcome, o output.ReadOptions) *answer {
	n := e.Snapshot()
	page := e.Read(o)
	a := new(answer)
	if !n.Ended {
		a.add("status", "backgrounded").add("execution_id", n.ID).add("process_id", int64(n.PID))
	} else {
		a.add("status", n.Status.String()).add("execution_id", n.ID).add("process_id", int64(n.PID)).addExit(n)
	}
	a.add("duration_ms", milliseconds(n.Duration)).addStreams(o, page).addCursor(e.ID(), o, page, s.opts.Dialect).addRest(n)
	if !n.Ended {
		return a.add("message", backgroundMessage(n, outcome))
	}
	return a.addMembers("detached", e.Detached())
}

func backgroundMessage(n execution.Snapshot, outcome execution.Outcome) string {
	switch {
	case outcome == execution.ShuttingDown:
		return "The server is shutting down; the command is being ended with it."
	case n.ShellExited:
		return fmt.Sprintf("The shell has exited with %d, but processes that it started still run: wait for them, read their output, or stop them, by execution_id.", n.ExitCode)
	}
	return "The command goes on in the background: wait for it, read its output, or stop it, by its execution_id."
}

// yield is how long execute waits: what was asked for or the default, within
// the operator's ceiling. Zero and less answer at once.
func (s *set) yield(args schema.Args) time.Duration {
	d := s.opts.Yield
	if ms, ok := args.Int("yield_ms"); ok {
		d = fromMilliseconds(ms)
	}
	return min(max(d, 0), s.opts.longestYield())
}

// fromMilliseconds turns milliseconds of the wire into a duration. What is
// longer than a Duration can say (292 years) is that long.
func fromMilliseconds(ms int64) time.Duration {
	const longest = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(max(min(ms, longest), -longest)) * time.Millisecond
}

func executeRequest(args schema.Args) (r execution.Request, err error) {
	if names, ok := args.Strings("side_effects"); ok {
		if r.Effects, err = declared(names); err != nil {
			return r, err
		}
	}
	if text, ok := args.String("command"); ok {
		r.Command = &text
	}
	r.Argv, _ = args.Strings("argv")
	if shell, ok := args.String("shell"); ok {
		if strings.TrimSpace(shell) == "" {
			return r, errors.New("shell must not be empty: name a shell, or leave it out for the default")
		}
		if len(r.Argv) > 0 {
			return r, errors.New("shell is for command; argv runs without a shell")
		}
		r.Shell = shell
	}
	r.Dir, _ = args.String("cwd")
	r.Env, _ = args.Map("env")
	r.Name, _ = args.String("name")
	r.Input, _ = args.String("stdin")
	if closing, ok := args.Bool("close_stdin"); ok {
		r.KeepInput = !closing
	}
	r.Timeout = limit(args, "timeout_ms")
	r.IdleTimeout = limit(args, "idle_timeout_ms")
	return r, nil
}

// limit decodes a limit in milliseconds: absent is the operator's default, zero
// and less is none.
func limit(args schema.Args, name string) time.Duration {
	ms, ok := args.Int(name)
	switch {
	case !ok:
		return 0
	case ms <= 0:
		return -1
	}
	return fromMilliseconds(ms)
}

// declared reads mcp-yieldshell's declaration of side effects.
func declared(names []string) ([]policy.Effect, error) {
	if len(names) == 0 {
		return nil, errors.New(`side_effects must not be empty: declare ["NONE"] for a command without side effects`)
	}
	return policy.ParseDeclared(names)
}
