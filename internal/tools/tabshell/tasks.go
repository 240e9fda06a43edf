package tabshell

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"whelk/internal/execution"
	"whelk/internal/principal"
	"whelk/internal/tools/schema"
)

// task is a command in the background. It does not change.
type task struct {
	id      string
	owner   principal.Identity
	run     run
	created time.Time
	// execution is the command; nil if it could not be started, for the reason failure.
	execution *execution.Execution
	failure   error
}

// snapshot is how the task stands. One that could not be started has failed at once.
func (t *task) snapshot() execution.Snapshot {
	if t.execution == nil {
		return execution.Snapshot{Status: execution.Failed, Ended: true, EndedAt: t.created}
	}
	return t.execution.Snapshot()
}

// status is the word for how a task stands, which is not that of its result.
func (t *task) status(n execution.Snapshot) string {
	if !n.Ended {
		return "running"
	}
	switch status := t.run.status(n); {
	case status == execution.TimedOut:
		return "timeout"
	case status == execution.Stopped:
		return "killed"
	case status == execution.Completed && n.ExitCode == 0:
		return "completed"
	}
	return "error"
}

// begun is the answer to the call that started the task. A failure to start is told by
// its status, as that server does.
func (t *task) begun() string {
	return new(object).text("task_id", t.id).text("status", "running").text("message", "The command runs in the background.").String()
}

// object is what a task is shown as, without its result.
func (t *task) object(n execution.Snapshot) *object {
	return new(object).text("task_id", t.id).text("command", t.run.command).text("status", t.status(n)).
		time("created_at", t.created).time("completed_at", n.EndedAt)
}

// tasks are all that can be asked for. They are safe for concurrent use.
type tasks struct {
	ttl time.Duration

	mu  sync.Mutex // guards the field below
	all []*task    // the oldest first
}

// add makes a task of a command that has been started, or could not be.
func (ts *tasks) add(ctx context.Context, r run, e *execution.Execution, failure error) *task {
	t := &task{owner: principal.From(ctx).Identity(), run: r, created: time.Now(), execution: e, failure: failure}
	if e != nil {
		t.id = e.ID()
		t.created = e.Snapshot().Started
	} else {
		t.id = newID()
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.expire()
	ts.all = append(ts.all, t)
	return t
}

// newID returns a handle like those of executions.
func newID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// of gives do the tasks of the caller, while none of them can expire.
func (ts *tasks) of(ctx context.Context, do func([]*task)) {
	who := principal.From(ctx).Identity()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.expire()
	var own []*task
	for _, t := range ts.all {
		if t.owner == who {
			own = append(own, t)
		}
	}
	do(own)
}

// expire forgets the tasks that ended too long ago. ts.mu is held.
func (ts *tasks) expire() {
	if ts.ttl <= 0 {
		return
	}
	now := time.Now()
	ts.all = slices.DeleteFunc(ts.all, func(t *task) bool {
		if n := t.snapshot(); !n.Ended || now.Sub(n.EndedAt) < ts.ttl {
			return false
		}
		if t.execution != nil {
			t.execution.Release()
		}
		return true
	})
}

// find returns the task with a handle, or nil.
func find(list []*task, id string) *task {
	if i := slices.IndexFunc(list, func(t *task) bool { return t.id == id }); i >= 0 {
		return list[i]
	}
	return nil
}

func taskStatus(s *set, ctx context.Context, args schema.Args) (text string) {
	id, _ := args.String("task_id")
	s.tasks.of(ctx, func(own []*task) {
		t := find(own, id)
		if t == nil {
			text = new(object).text("error", "There is no task '"+shown(s.sup.Redaction(nil)(id))+"'. list_background_tasks shows those that can be asked for.").String()
			return
		}
		n := t.snapshot()
		o := t.object(n)
		switch {
		case t.execution == nil:
			o.json("result", unstarted(t.run, t.failure).text())
		case n.Ended:
			o.json("result", s.outcome(t.run, t.execution, n).text())
		}
		text = o.String()
	})
	return text
}

// shown is a handle from outside as an answer repeats it.
func shown(id string) string {
	const most = 100 // characters: several times those of a handle
	if cut := firstCharacters(id, most); cut != id {
		return cut + "…"
	}
	return id
}

func stop(s *set, ctx context.Context, args schema.Args) string {
	id, _ := args.String("task_id")
	var t *task
	s.tasks.of(ctx, func(own []*task) { t = find(own, id) })
	if t == nil || t.snapshot().Ended {
		return notStopped("There is no such task, or it is not running: nothing was signalled.")
	}
	_, err := t.execution.Stop(ctx, execution.StopOptions{Signal: syscall.SIGKILL})
	switch {
	case ctx.Err() != nil:
		return ""
	case err != nil:
		return notStopped(err.Error())
	}
	return new(object).text("status", "stopped").text("task_id", t.id).String()
}

func notStopped(reason string) string {
	return new(object).text("status", "not_stopped").text("reason", reason).String()
}

func list(s *set, ctx context.Context, _ schema.Args) string {
	var items []string
	s.tasks.of(ctx, func(own []*task) {
		for _, t := range own {
			items = append(items, t.object(t.snapshot()).String())
		}
	})
	return "[" + strings.Join(items, ", ") + "]"
}
