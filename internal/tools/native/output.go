package native

import (
	"errors"
	"fmt"

	"whelk/internal/execution"
	"whelk/internal/output"
	"whelk/internal/tools/schema"
)

// readOptions decodes the arguments that say what to read; read and wait share
// them. The error is for the caller.
func (s *set) readOptions(args schema.Args) (o output.ReadOptions, err error) {
	o.Max = s.maxOutput(args)
	since, hasSince := args.Int("since_seq")
	tail, hasTail := args.Int("tail_lines")
	switch {
	case hasSince && hasTail:
		return o, errors.New("tail_lines and since_seq exclude each other: use tail_lines for the newest output, since_seq to go on from a position")
	case hasTail && tail <= 0:
		return o, fmt.Errorf("tail_lines is %d: give 1 or more", tail)
	}
	if hasSince {
		o.Since = output.Seq(max(since, 1)) // 0 and less are the beginning
	}
	o.TailLines = int(min(tail, 1<<31-1))
	if name, ok := args.String("streams"); ok {
		switch name {
		case "both":
		case "stdout":
			o.Streams = output.OnlyStdout
		case "stderr":
			o.Streams = output.OnlyStderr
		default:
			return o, fmt.Errorf("streams is '%.40s': give both, stdout or stderr", name)
		}
	}
	return o, nil
}

// maxOutput is the most bytes this answer may carry: what was asked for within
// the operator's cap, the cap itself if nothing sensible was.
func (s *set) maxOutput(args schema.Args) int {
	asked, _ := args.Int("max_output_bytes")
	if asked <= 0 || asked > int64(s.opts.MaxOutput) {
		return s.opts.MaxOutput
	}
	return int(asked)
}

// addCursor adds the fields that say where a page stands.
func (a *answer) addCursor(id string, o output.ReadOptions, p output.Page, d Dialect) *answer {
	a.add("start_seq", int64(p.Start)).add("next_seq", int64(p.Next)).add("latest_seq", int64(p.Latest))
	a.add("capped", p.Capped).add("evicted", p.Evicted)
	return a.addSet("hint", hint(id, o, p, d))
}

// hint names the call that gets what a page left out.
func hint(id string, o output.ReadOptions, p output.Page, d Dialect) string {
	h := ""
	if p.Capped {
		h = more(o, p) + fmt.Sprintf(" (execution_id='%s').", id)
	}
	if p.Evicted {
		lost := "Older output"
		if p.EvictedBytes > 0 {
			lost = fmt.Sprintf("%d bytes of older output", p.EvictedBytes)
		}
		h = join(h, lost+" fell out of the buffer and cannot be read any more: read more often, or raise the buffer ("+d.bufferSetting()+").")
	}
	if p.Clamped {
		h = join(h, fmt.Sprintf("since_seq %d is past the end: %d is used.", o.Since, p.Start))
	}
	return h
}

// more says how to get what the cap kept back. Only a read from the cursor is
// continued by reading again; the others have left the cursor where it was.
func more(o output.ReadOptions, p output.Page) string {
	switch {
	case o.TailLines > 0:
		return fmt.Sprintf("Only the newest bytes of these lines are shown, from %d on: ask for a larger max_output_bytes, or read from an older since_seq", p.Start)
	case o.Streams == output.OnlyStdout:
		return fmt.Sprintf("There is more output: pass since_seq=%d with streams=stdout", p.Next)
	case o.Streams == output.OnlyStderr:
		return fmt.Sprintf("There is more output: pass since_seq=%d with streams=stderr", p.Next)
	case o.Since > 0:
		return fmt.Sprintf("There is more output: pass since_seq=%d", p.Next)
	}
	return fmt.Sprintf("There is more output: read again, or pass since_seq=%d", p.Next)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// addStreams adds the output of the selected streams.
func (a *answer) addStreams(o output.ReadOptions, p output.Page) *answer {
	if o.Streams != output.OnlyStderr {
		a.add("stdout", stream(p.Stdout))
	}
	if o.Streams != output.OnlyStdout {
		a.add("stderr", stream(p.Stderr))
	}
	return a
}

// addExit adds how the process ended, null while the execution runs. That the
// shell itself has exited while others of its group run is a field of its own:
// the execution has not ended.
func (a *answer) addExit(n execution.Snapshot) *answer {
	if !n.Ended {
		return a.add("exit_code", nil).add("signal", nil)
	}
	return a.add("exit_code", int64(n.ExitCode)).add("signal", orNull(execution.SignalName(n.Signal)))
}

// addRest adds the optional fields that close every answer about an execution.
func (a *answer) addRest(n execution.Snapshot) *answer {
	if n.ShellExited {
		a.add("shell_exit_code", int64(n.ExitCode))
	}
	a.addSet("limit_exceeded", n.Limit).addSet("stdin_error", n.StdinError)
	if n.Redactions > 0 {
		a.add("redactions", n.Redactions)
	}
	return a
}
