package execution

import (
	"whelk/internal/output"
	"whelk/internal/proc"
)

// outputStreams are the streams of a log by those of a process.
var outputStreams = [...]output.Stream{proc.Stdout: output.Stdout, proc.Stderr: output.Stderr}

// pump carries the output into the log until its end. It may outlive the
// execution: a daemon that holds the output would die of SIGPIPE if nobody read
// it any more, and what it writes can still be read.
func (e *Execution) pump() {
	var written [len(outputStreams)]int64
	e.proc.Output().Each(func(s proc.Stream, piece []byte) {
		if len(piece) == 0 {
			e.endOutput(s)
			return
		}
		e.appendOutput(s, piece)
		before := written[s]
		written[s] += int64(len(piece))
		if e.most > 0 && before <= e.most && written[s] > e.most {
			e.overran.CompareAndSwap(0, 1+int32(outputStreams[s]))
			e.end(e.limitRequest(reasonOutput))
		}
	})
	for s := range outputStreams { // those that were not read to their end
		e.endOutput(proc.Stream(s))
	}
	clear(e.filters[:]) // they may be large, and the record is kept for long
	e.sup.unread(e)
	close(e.pumped)
}

// appendOutput puts what is decided of a piece into the log. What is withheld
// has been written all the same: a command that writes is not idle.
func (e *Execution) appendOutput(s proc.Stream, piece []byte) {
	if e.filters[s] != nil {
		piece = e.filters[s].Write(piece)
		e.countRedactions()
	}
	if len(piece) == 0 {
		e.log.Touch()
		return
	}
	e.log.Append(outputStreams[s], piece)
}

// endOutput puts what was withheld into the log and ends the stream. Doing so
// again does nothing.
func (e *Execution) endOutput(s proc.Stream) {
	if rest := e.filters[s].End(); len(rest) > 0 {
		e.countRedactions()
		e.log.Append(outputStreams[s], rest)
	}
	e.log.CloseStream(outputStreams[s])
}

func (e *Execution) countRedactions() {
	var n int64
	for _, f := range e.filters {
		n += f.Count()
	}
	e.redactions.Store(n)
}
