package tabshell

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"whelk/internal/principal"
	"whelk/internal/tools/schema"
)

// ids returns the handles that list_background_tasks shows, in its order.
func ids(t *testing.T, s *set, ctx context.Context) []string {
	t.Helper()
	text := list(s, ctx, schema.Args{})
	var items []struct {
		TaskID string `json:"task_id"`
	}
	if err := json.Unmarshal([]byte(text), &items); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	found := []string{}
	for _, item := range items {
		found = append(found, item.TaskID)
	}
	return found
}

// failed adds a task whose command could not be started.
func failed(s *set, ctx context.Context) string {
	return s.tasks.add(ctx, run{command: "x"}, nil, errors.New("no such file")).id
}

func TestEndedTasksAreKeptForTheTimeToLive(t *testing.T) {
	for _, c := range []struct {
		name string
		ttl  time.Duration
		wait time.Duration
		kept bool
	}{
		{"not yet over", time.Minute, time.Minute - 1, true},
		{"over", time.Minute, time.Minute, false},
		{"zero is for ever", 0, 1000 * time.Hour, true},
		{"less than zero is for ever", -1, 1000 * time.Hour, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &set{tasks: &tasks{ttl: c.ttl}}
				failed(s, t.Context())
				time.Sleep(c.wait)
				if got := len(ids(t, s, t.Context())) == 1; got != c.kept {
					t.Errorf("kept: %v", got)
				}
			})
		})
	}
}

func TestTasksBelongToTheirPrincipal(t *testing.T) {
	s := &set{tasks: &tasks{}}
	ann := principal.With(t.Context(), principal.Principal{ID: "1", Name: "ann"})
	other := principal.With(t.Context(), principal.Principal{ID: "2", Name: "ann"})
	first, second := failed(s, ann), failed(s, ann)
	if got := ids(t, s, ann); len(got) != 2 || got[0] != first || got[1] != second {
		t.Errorf("its own are %q, want %q and %q", got, first, second)
	}
	for _, ctx := range []context.Context{other, t.Context()} {
		if got := ids(t, s, ctx); len(got) != 0 {
			t.Errorf("others see %q", got)
		}
		s.tasks.of(ctx, func(own []*task) {
			if find(own, first) != nil {
				t.Error("others find it")
			}
		})
	}
}
