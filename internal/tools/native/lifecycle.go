package native

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"whelk/internal/execution"
	"whelk/internal/tools/schema"
)

// find looks up the execution that a call is about. The handle is returned as
// answers show it: what is no handle may be of any length.
func (s *set) find(ctx context.Context, args schema.Args) (string, *execution.Execution, error) {
	id, _ := args.String("execution_id")
	e, err := s.caller(ctx).Get(id)
	if err != nil {
		id = strings.ToValidUTF8(id[:min(len(id), maxHandle)], "")
	}
	return id, e, err
}

// maxHandle is how much of an unknown handle an answer repeats, in bytes.
const maxHandle = 100

func read(s *set, ctx context.Context, args input) *answer {
	id, e, err := s.find(ctx, args.Args)
	if err != nil {
		return new(answer).add("execution_id", id).failed(err)
	}
	o, err := s.readOptions(args.Args)
	if err != nil {
		return new(answer).add("execution_id", id).failed(&execution.Error{Code: execution.InvalidArgument, Text: err.Error()})
	}
	if ctx.Err() != nil {
		return nil // what a cancelled read took from the cursor would be lost
	}
	n := e.Snapshot()
	page := e.Read(o)
	a := new(answer).add("execution_id", id).add("status", n.Status.String()).addExit(n)
	return a.addCursor(id, o, page, s.opts.Dialect).addStreams(o, page).addRest(n)
}

func wait(s *set, ctx context.Context, args input) *answer {
	id, e, err := s.find(ctx, args.Args)
	if err != nil {
		return new(answer).add("execution_id", id).failed(err)
	}
	o, err := s.readOptions(args.Args)
	if err != nil {
		return new(answer).add("execution_id", id).failed(&execution.Error{Code: execution.InvalidArgument, Text: err.Error()})
	}
	budget := s.opts.MaxWait
	if ms, ok := args.Int("timeout_ms"); ok {
		budget = min(max(fromMilliseconds(ms), 0), s.opts.MaxWait)
	}
	began := time.Now()
	outcome := e.Await(ctx, budget)
	if outcome == execution.Cancelled {
		return nil
	}
	waited := time.Since(began)
	n := e.Snapshot()
	page := e.Read(o)
	a := new(answer).add("execution_id", id).add("status", n.Status.String()).addExit(n)
	a.add("wait_result", waitResult(n, outcome)).add("waited_ms", milliseconds(waited)).add("max_wait_ms", budget.Milliseconds())
	return a.addStreams(o, page).addCursor(id, o, page, s.opts.Dialect).addRest(n)
}

func waitResult(n execution.Snapshot, outcome execution.Outcome) string {
	switch {
	case n.Ended:
		return "exited"
	case outcome == execution.ShuttingDown:
		return "server_shutting_down"
	}
	return "deadline_reached"
}

func write(s *set, ctx context.Context, args input) *answer {
	id, e, err := s.find(ctx, args.Args)
	if err != nil {
		return new(answer).add("execution_id", id).add("ok", false).failed(err)
	}
	input, _ := args.String("input")
	if newline, _ := args.Bool("newline"); newline {
		input += "\n"
	}
	last, _ := args.Bool("close_stdin")
	limited, cancel := context.WithTimeout(ctx, s.opts.MaxWait)
	defer cancel()
	n, err := e.Write(limited, []byte(input), last)
	if ctx.Err() != nil {
		return nil
	}
	a := new(answer).add("execution_id", id).add("ok", err == nil).add("accepted_bytes", int64(n))
	if err != nil {
		return a.failed(err)
	}
	return a
}

// stopMargin is kept of a stop's time for what follows its SIGKILL: seeing the
// tree gone (5 s), draining its output (3 s) and answering. Where the operator
// lets no call take so long, the grace is half of what a call may take.
const stopMargin = 9 * time.Second

func stop(s *set, ctx context.Context, args input) *answer {
	id, e, err := s.find(ctx, args.Args)
	a := new(answer).add("execution_id", id)
	if err != nil {
		return a.add("stopped", false).failed(err)
	}
	name := defaultSignal
	if given, ok := args.String("signal"); ok {
		name = given
	}
	signal, err := execution.ParseSignal(name)
	if err != nil {
		return a.add("stopped", false).failed(err)
	}
	force := defaultForce
	if ms, ok := args.Int("force_after_ms"); ok {
		force = fromMilliseconds(ms)
	}
	force = min(max(force, 0), max(s.opts.MaxWait-stopMargin, s.opts.MaxWait/2))
	limited, cancel := context.WithTimeout(ctx, s.opts.MaxWait)
	defer cancel()
	receipt, err := e.Stop(limited, execution.StopOptions{Signal: signal, Force: force})
	switch {
	case ctx.Err() != nil:
		return nil // the stop goes on
	case errors.Is(err, context.DeadlineExceeded):
		err = &execution.Error{Code: execution.LimitExceeded, Text: fmt.Sprintf("%s is sent, and SIGKILL follows it after %v: use wait to see the end", name, force)}
	}
	if err != nil {
		a.add("stopped", false).failed(err)
	} else {
		a.add("stopped", true).add("signal", name).add("error", nil)
	}
	if receipt.Ended > 0 || err == nil {
		n := receipt.Snapshot
		a.add("forced", receipt.Forced).add("reaped", int64(receipt.Ended)).add("status", n.Status.String()).add("exit_code", int64(n.ExitCode))
	}
	return a.addMembers("survivors", receipt.Survivors)
}

const (
	defaultSignal = "SIGTERM"
	// defaultForce is mcp-yieldshell's grace before SIGKILL.
	defaultForce = 10 * time.Second
	// defaultListed is how many executions ps shows.
	defaultListed = 50
	// defaultAge is from which age on cleanup removes records.
	defaultAge = time.Hour
)

// listedTotal bounds the texts in one ps answer, in bytes: clients drop a
// connection over a message of 1 MiB, and each byte may take six in JSON, twice.
const listedTotal = 64 << 10

func ps(s *set, ctx context.Context, args input) *answer {
	limit := int64(defaultListed)
	if n, ok := args.Int("limit"); ok {
		limit = n
	}
	all, given := args.Bool("include_completed")
	all = all || !given
	list := []*answer{}
	left := listedTotal
	for _, e := range s.caller(ctx).List() {
		if int64(len(list)) >= limit {
			break
		}
		n := e.Snapshot()
		if !all && n.Ended {
			continue
		}
		if left -= len(n.Name) + len(n.Command) + len(n.Dir); left < 0 {
			return new(answer).add("executions", list).add("hint", "More executions than fit into one answer: only the newest are shown. cleanup forgets ended ones.")
		}
		list = append(list, listed(n).addMembers("detached", e.Detached()))
	}
	return new(answer).add("executions", list)
}

// listed is one execution as ps shows it.
func listed(n execution.Snapshot) *answer {
	a := new(answer).add("execution_id", n.ID).add("process_id", int64(n.PID))
	a.add("name", orNull(n.Name)).add("command", n.Command).add("cwd", n.Dir)
	a.add("status", n.Status.String()).addExit(n)
	a.add("started_at", seconds(n.Started)).add("ended_at", seconds(n.EndedAt)).add("duration_ms", milliseconds(n.Duration))
	a.add("stdout_bytes", n.Output.Stdout).add("stderr_bytes", n.Output.Stderr)
	a.add("last_output_at", seconds(n.Output.LastOutput)).add("idle_ms", idle(n)).add("latest_seq", int64(n.Output.Latest))
	a.add("stdin_error", orNull(n.StdinError))
	if n.Ended || n.ShellExited {
		a.add("cpu_ms", milliseconds(n.CPU))
	}
	if n.ShellExited {
		a.add("shell_exit_code", int64(n.ExitCode))
	}
	return a.addSet("limit_exceeded", n.Limit)
}

// idle is how long nothing has been written, null if nothing ever was.
func idle(n execution.Snapshot) any {
	if n.Output.LastOutput.IsZero() {
		return nil
	}
	return milliseconds(time.Since(n.Output.LastOutput))
}

func cleanup(s *set, ctx context.Context, args input) *answer {
	ages := [2]time.Duration{defaultAge, defaultAge}
	for i, name := range []string{"completed_older_than_ms", "stopped_older_than_ms"} {
		ms, ok := args.Int(name)
		if !ok {
			continue
		}
		if ms < 0 {
			text := fmt.Sprintf("ages are not negative: %s is %d. Nothing was removed", name, ms)
			return new(answer).add("removed", int64(0)).failed(&execution.Error{Code: execution.InvalidArgument, Text: text})
		}
		ages[i] = fromMilliseconds(ms)
	}
	return new(answer).add("removed", int64(s.caller(ctx).Cleanup(ages[0], ages[1])))
}
