package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whelk/internal/mcptest"
)

// startTabShell starts the program under the name of tab-shell-mcp. A shell of the
// environment is that of the tests.
func startTabShell(t testing.TB, args ...string) *mcptest.Server {
	t.Helper()
	return mcptest.Start(t, mcptest.Options{Path: "tab-shell-mcp", Args: args, Env: []string{"SHELL=/bin/sh"}})
}

// configured writes a file for --config and returns the flag with its path.
func configured(t testing.TB, yaml string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--config", path}
}

// tabText returns the one text of a result that is no error, in both places.
func tabText(t testing.TB, r *mcptest.Result) string {
	t.Helper()
	if r.IsError || r.String("result") != r.Text || r.Text == "" {
		t.Fatalf("no result in two equal forms: %#v", r)
	}
	return r.Text
}

// tabCall calls a tool and returns the fields of its result.
func tabCall(t testing.TB, s *mcptest.Server, tool string, args Args) map[string]any {
	t.Helper()
	return tabFields(t, s.Call(tool, args))
}

func tabFields(t testing.TB, r *mcptest.Result) map[string]any {
	t.Helper()
	var fields map[string]any
	if text := tabText(t, r); json.Unmarshal([]byte(text), &fields) != nil {
		t.Fatalf("no object: %s", text)
	}
	return fields
}

func tabRun(t testing.TB, s *mcptest.Server, command string, more ...Args) map[string]any {
	t.Helper()
	return tabFields(t, s.Call("execute_shell_command", executeArguments(command, more)))
}

func executeArguments(command string, more []Args) Args {
	args := Args{"command": command}
	for _, m := range more {
		maps.Copy(args, m)
	}
	return args
}

// tabTask starts a task and returns its handle.
func tabTask(t testing.TB, s *mcptest.Server, command string, more ...Args) string {
	t.Helper()
	f := tabRun(t, s, command, append(more, Args{"background": true})...)
	id, _ := f["task_id"].(string)
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(id) || f["status"] != "running" || f["message"] == "" || len(f) != 3 {
		t.Fatalf("no new task: %v", f)
	}
	return id
}

func tabStatus(t testing.TB, s *mcptest.Server, id string) map[string]any {
	t.Helper()
	return tabCall(t, s, "get_task_status", Args{"task_id": id})
}

// tabEnded waits for the end of a task and returns its status.
func tabEnded(t testing.TB, s *mcptest.Server, id string) (f map[string]any) {
	t.Helper()
	mcptest.Eventually(t, mcptest.Patience, "the end of the task", func() bool {
		f = tabStatus(t, s, id)
		return f["status"] != "running"
	})
	return f
}

// wantFields compares fields of a result, but for times.
func wantFields(t testing.TB, got, want map[string]any) {
	t.Helper()
	ignored := cmp.FilterPath(func(p cmp.Path) bool {
		switch p.Last().String() {
		case `["execution_time"]`, `["created_at"]`, `["completed_at"]`, `["task_id"]`:
			return true
		}
		return false
	}, cmp.Comparer(func(a, b any) bool { return a != nil && b != nil }))
	if diff := cmp.Diff(want, got, ignored); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTabShellListsTheSeedsTools(t *testing.T) {
	t.Parallel()
	s := mcptest.Launch(t, mcptest.Options{Path: "tab-shell-mcp"})
	var hello struct {
		ServerInfo struct{ Name string }
	}
	if err := json.Unmarshal(s.Initialize("2025-06-18").Result, &hello); err != nil || hello.ServerInfo.Name != "shell-mcp" {
		t.Errorf("the server is %q (%v)", hello.ServerInfo.Name, err)
	}
	var list struct {
		Tools []struct {
			Name        string
			InputSchema struct {
				Properties map[string]map[string]any
				Required   []string
			}
			OutputSchema map[string]any
		}
	}
	if err := json.Unmarshal(s.Begin("tools/list", Args{}).Wait().Result, &list); err != nil {
		t.Fatal(err)
	}
	type parameters map[string]string // with type, default and choices
	want := []struct {
		name     string
		takes    parameters
		required string
	}{
		{"execute_shell_command", parameters{
			"command": "string", "background": "boolean false", "timeout": "number", "shell": "string ",
			"cwd": "string", "output_truncation_mode": "string [head tail]",
		}, "[command]"},
		{"get_task_status", parameters{"task_id": "string"}, "[task_id]"},
		{"stop_background_task", parameters{"task_id": "string"}, "[task_id]"},
		{"list_background_tasks", parameters{}, "[]"},
	}
	if len(list.Tools) != len(want) {
		t.Fatalf("%d tools", len(list.Tools))
	}
	for i, tool := range list.Tools {
		takes := parameters{}
		for name, p := range tool.InputSchema.Properties {
			takes[name] = fmt.Sprint(p["type"])
			for _, key := range []string{"default", "enum"} {
				if v, given := p[key]; given {
					takes[name] += fmt.Sprint(" ", v)
				}
			}
		}
		if diff := cmp.Diff(want[i].takes, takes); tool.Name != want[i].name || fmt.Sprint(tool.InputSchema.Required) != want[i].required || diff != "" {
			t.Errorf("tool %s, requires %v (-want +got)\n%s", tool.Name, tool.InputSchema.Required, diff)
		}
		output := fmt.Sprint(tool.OutputSchema["type"], tool.OutputSchema["required"], tool.OutputSchema["title"])
		if output != "object[result]"+tool.Name+"Output" {
			t.Errorf("%s: output schema %v", tool.Name, tool.OutputSchema)
		}
	}
}

func TestTabShellWritesResultsAsTheSeed(t *testing.T) {
	t.Parallel()
	s := startTabShell(t)
	const number = `[0-9]+\.[0-9]+`
	text := tabText(t, s.Call("execute_shell_command", Args{"command": "printf 'é😀\\001\\n'; exit 3"}))
	want := `{"status": "error", "exit_code": 3, "stdout": "\u00e9\ud83d\ude00\u0001\n", "stderr": "", "execution_time": TIME, ` +
		`"truncated": false, "command": "printf '\u00e9\ud83d\ude00\\001\\n'; exit 3"}`
	got := regexp.MustCompile(`"execution_time": `+number).ReplaceAllString(text, `"execution_time": TIME`)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	id := tabTask(t, s, "sleep 60")
	line := regexp.MustCompile(`^\[\{"task_id": "` + id + `", "command": "sleep 60", "status": "running", "created_at": ` + number + `, "completed_at": null\}\]$`)
	if text := tabText(t, s.Call("list_background_tasks", Args{})); !line.MatchString(text) {
		t.Errorf("list %s", text)
	}
}

func TestTabShellForeground(t *testing.T) {
	t.Parallel()
	s := startTabShell(t)
	for _, c := range []struct {
		name, command  string
		more           Args
		status         string
		exit           any
		stdout, stderr string
	}{
		{"both streams", "echo hi; echo err >&2", nil, "success", 0.0, "hi\n", "err\n"},
		{"an exit code", "exit 4", nil, "error", 4.0, "", ""},
		{"a signal", "kill -9 $$", nil, "error", -9.0, "", ""},
		{"blanks alone", "   ", nil, "success", 0.0, "", ""},
		{"nothing", "", nil, "success", 0.0, "", ""},
		{"an empty input", "cat; echo rc=$?; readlink /proc/self/fd/0", nil, "success", 0.0, "rc=0\n/dev/null\n", ""},
		{"invalid output", `printf 'a\377b\303'`, nil, "success", 0.0, "a\ufffdb\ufffd", ""},
		{"NUL and carriage returns", `printf 'a\000b\r\n'`, nil, "success", 0.0, "a\x00b\r\n", ""},
		{"a shell", "echo $0", Args{"shell": "/bin/bash"}, "success", 0.0, "/bin/bash\n", ""},
		{"the default shell", "echo $0", Args{"shell": ""}, "success", 0.0, "/bin/sh\n", ""},
		{"a directory", "pwd", Args{"cwd": "/usr"}, "success", 0.0, "/usr\n", ""},
		{"null for what may be left out", "echo x", Args{"shell": nil, "timeout": nil, "cwd": nil, "background": nil}, "success", 0.0, "x\n", ""},
		{"numbers and booleans as text", "echo x", Args{"timeout": "5", "background": "false"}, "success", 0.0, "x\n", ""},
		{"arguments that it does not know", "echo x", Args{"bogus": 1}, "success", 0.0, "x\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantFields(t, tabRun(t, s, c.command, c.more), map[string]any{
				"status": c.status, "exit_code": c.exit, "stdout": c.stdout, "stderr": c.stderr,
				"execution_time": 0.0, "truncated": false, "command": c.command,
			})
		})
	}
}

func TestTabShellCommandsThatCannotStart(t *testing.T) {
	t.Parallel()
	s := startTabShell(t)
	for _, c := range []struct {
		name  string
		more  Args
		words string
	}{
		{"NUL in the shell", Args{"shell": "a\x00b"}, "NUL"},
		{"NUL in the directory", Args{"cwd": "a\x00b"}, "NUL"},
		{"no such directory", Args{"cwd": "/no/such"}, "/no/such"},
		{"a file as directory", Args{"cwd": "/etc/passwd"}, "/etc/passwd"},
		{"an empty directory", Args{"cwd": ""}, "''"},
		{"the home's sign", Args{"cwd": "~"}, "~"},
		{"no such shell", Args{"shell": "/no/such"}, "/no/such"},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(f map[string]any) {
				t.Helper()
				stderr, _ := f["stderr"].(string)
				if !strings.HasPrefix(stderr, "Failed to start command: ") || !strings.Contains(stderr, c.words) {
					t.Errorf("stderr %q", stderr)
				}
				f["stderr"] = ""
				wantFields(t, f, map[string]any{
					"status": "error", "exit_code": nil, "stdout": "", "stderr": "", "execution_time": 0.0, "truncated": false, "command": "pwd",
				})
			}
			check(tabRun(t, s, "pwd", c.more))
			f := tabStatus(t, s, tabTask(t, s, "pwd", c.more))
			result, _ := f["result"].(map[string]any)
			if f["status"] != "error" || f["completed_at"] == nil || result == nil {
				t.Fatalf("the task is %v", f)
			}
			check(result)
		})
	}
}

func TestTabShellArgumentErrors(t *testing.T) {
	t.Parallel()
	s := startTabShell(t)
	for _, c := range []struct {
		tool  string
		args  Args
		words string
	}{
		{"execute_shell_command", Args{}, "command"},
		{"execute_shell_command", Args{"command": 5}, "command"},
		{"execute_shell_command", Args{"command": nil}, "command"},
		{"execute_shell_command", Args{"command": "x", "output_truncation_mode": "middle"}, "middle"},
		{"execute_shell_command", Args{"command": "x", "timeout": "soon"}, "timeout"},
		{"execute_shell_command", Args{"command": "x", "background": "maybe"}, "background"},
		{"get_task_status", Args{}, "task_id"},
		{"stop_background_task", Args{"task_id": 7}, "task_id"},
	} {
		r := s.Call(c.tool, c.args)
		if !r.IsError || len(r.Fields) != 0 || !strings.Contains(r.Text, c.words) {
			t.Errorf("%s %v: %#v", c.tool, c.args, r)
		}
	}
}

func TestTabShellEnvironment(t *testing.T) {
	t.Parallel()
	const show = `echo "$CI,$GIT_TERMINAL_PROMPT,$DEBIAN_FRONTEND,$ZZX,$PAGER"`
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"the default", nil, "true,0,noninteractive,,less\n"},
		{"of the file alone", configured(t, "non_interactive_env:\n  ZZX: \"5\"\n"), "parent,1,,5,less\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mcptest.Start(t, mcptest.Options{
				Path: "tab-shell-mcp", Args: c.args,
				Env: []string{"CI=parent", "GIT_TERMINAL_PROMPT=1", "DEBIAN_FRONTEND=", "PAGER=less", "SHELL=/bin/sh"},
			})
			if got := tabRun(t, s, show)["stdout"]; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestTabShellTimeouts(t *testing.T) {
	t.Parallel()
	s := startTabShell(t, "--timeout", "0.5")
	marker := mcptest.Marker(t)
	tree := fmt.Sprintf(`trap "" TERM; echo a; echo b >&2; sh -c "sleep %[1]s & sleep %[1]s"; setsid sleep %[1]s`, marker)
	kept := map[string]any{ // T3
		"status": "timeout", "exit_code": nil, "stdout": "a\n", "stderr": "b\n", "execution_time": 0.0, "truncated": false, "command": tree,
	}
	began := time.Now()
	wantFields(t, tabRun(t, s, tree, Args{"timeout": 0.4}), kept)
	atMost(t, "a timeout", began, 2*time.Second)
	f := tabEnded(t, s, tabTask(t, s, tree)) // the default counts in the background
	wantFields(t, f, map[string]any{
		"task_id": "", "command": tree, "status": "timeout", "created_at": 0.0, "completed_at": 0.0, "result": kept,
	})
	mcptest.Eventually(t, mcptest.Patience, "the end of all processes", func() bool { return len(mcptest.Alive(marker)) == 0 })
	for _, timeout := range []any{0, -1, "0"} {
		for _, command := range []string{"sleep 60", "true"} {
			if f := tabRun(t, s, command, Args{"timeout": timeout}); f["status"] != "timeout" || f["exit_code"] != nil {
				t.Errorf("%s with timeout %v: %v", command, timeout, f)
			}
		}
	}
	if f := tabRun(t, s, "sleep 1; echo x", Args{"timeout": 1e300}); f["status"] != "success" {
		t.Errorf("without a limit: %v", f)
	}
}

func TestTabShellTasks(t *testing.T) {
	t.Parallel()
	s := startTabShell(t)
	result := func(command, status string, exit float64, stdout string) map[string]any {
		return map[string]any{
			"status": status, "exit_code": exit, "stdout": stdout, "stderr": "", "execution_time": 0.0, "truncated": false, "command": command,
		}
	}
	ended := func(command, status string, result map[string]any) map[string]any {
		return map[string]any{
			"task_id": "", "command": command, "status": status, "created_at": 0.0, "completed_at": 0.0, "result": result,
		}
	}
	marker := mcptest.Marker(t)
	slow := `trap "" TERM; echo a; sleep ` + marker + "; sleep " + marker
	running := tabTask(t, s, slow)
	f := tabStatus(t, s, running)
	if f["completed_at"] != nil {
		t.Errorf("a running task is %v", f)
	}
	f["completed_at"] = 0.0
	wantFields(t, f, map[string]any{"task_id": "", "command": slow, "status": "running", "created_at": 0.0, "completed_at": 0.0})

	long := "echo x #" + strings.Repeat("é", 2000) // is repeated whole
	done, failing := tabTask(t, s, long), tabTask(t, s, "exit 4")
	wantFields(t, tabEnded(t, s, done), ended(long, "completed", result(long, "success", 0, "x\n")))
	wantFields(t, tabEnded(t, s, failing), ended("exit 4", "error", result("exit 4", "error", 4, "")))

	mcptest.Eventually(t, mcptest.Patience, "the command", func() bool { return len(mcptest.Alive("sleep\x00"+marker)) > 0 })
	if text := tabText(t, s.Call("stop_background_task", Args{"task_id": running})); text != `{"status": "stopped", "task_id": "`+running+`"}` {
		t.Errorf("stop: %s", text)
	}
	if alive := mcptest.Alive(marker); len(alive) > 0 {
		t.Errorf("alive after the stop: %v", alive)
	}
	wantFields(t, tabStatus(t, s, running), ended(slow, "killed", result(slow, "error", -9, "a\n"))) // T3

	for _, id := range []string{running, done, "nope", ""} {
		f := tabCall(t, s, "stop_background_task", Args{"task_id": id})
		if reason, _ := f["reason"].(string); f["status"] != "not_stopped" || reason == "" || len(f) != 2 {
			t.Errorf("stop %q: %v", id, f)
		}
	}
	for _, id := range []string{"nope", "", strings.Repeat("x", 5000)} {
		f := tabStatus(t, s, id)
		if text, _ := f["error"].(string); len(f) != 1 || !strings.Contains(text, "'"+id[:min(len(id), 100)]) || len(text) > 300 {
			t.Errorf("status of %.20q: %v", id, f)
		}
	}
	tabRun(t, s, "echo in the foreground")
	var listed []string
	var items []map[string]any
	if err := json.Unmarshal([]byte(tabText(t, s.Call("list_background_tasks", Args{}))), &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		listed = append(listed, fmt.Sprint(item["task_id"], " ", item["status"], " ", len(item)))
	}
	if diff := cmp.Diff([]string{running + " killed 5", done + " completed 5", failing + " error 5"}, listed); diff != "" {
		t.Errorf("list (-want +got)\n%s", diff)
	}
}

func TestTabShellForgetsEndedTasks(t *testing.T) {
	t.Parallel()
	s := startTabShell(t, "--completed-task-ttl", "0.7")
	running, done := tabTask(t, s, "sleep 60"), tabTask(t, s, "true")
	tabEnded(t, s, done)
	mcptest.Eventually(t, mcptest.Patience, "the end of the record", func() bool { return tabStatus(t, s, done)["error"] != nil })
	if f := tabStatus(t, s, running); f["status"] != "running" {
		t.Errorf("a running task is forgotten: %v", f)
	}
}

func TestTabShellLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		args    []string
		command string
		refused string // the name, "" if it runs
	}{
		{"a name", []string{"--blacklist", "rm,dd"}, "/bin/rm -f zz", "rm"},
		{"blanks around names", []string{"--blacklist", " rm , dd"}, "dd if=/dev/null", "dd"},
		{"a pipe", []string{"--blacklist", "rm"}, "echo a | rm -f zz", "rm"},
		{"a chain", []string{"--blacklist", "rm"}, "true && false || rm -f zz", "rm"},
		{"a substitution", []string{"--blacklist", "rm"}, "echo $(rm -f zz)", "rm"},
		{"backquotes", []string{"--blacklist", "rm"}, "echo `rm -f zz`", "rm"},
		{"a shell in the shell", []string{"--blacklist", "rm"}, `bash -c "rm -f zz"`, "rm"},
		{"T4: a subshell", []string{"--blacklist", "rm"}, "(rm -f zz)", "rm"},
		{"T4: eval", []string{"--blacklist", "rm"}, "eval rm -f zz", "rm"},
		{"T4: xargs", []string{"--blacklist", "rm"}, "echo zz | xargs rm -f", "rm"},
		{"T4: sudo", []string{"--blacklist", "rm"}, "sudo rm -f zz", "rm"},
		{"T4: a function", []string{"--blacklist", "rm"}, "f() { rm -f zz; }; f", "rm"},
		{"a path, by name", []string{"--blacklist", "/bin/rm"}, "rm -f zz", "rm"},
		{"T5: data", []string{"--blacklist", "rm"}, "cat <<'E'\nrm x\nE", ""},
		{"another name", []string{"--blacklist", "rm"}, "ls -d /", ""},
		{"what is listed", []string{"--whitelist", "echo,cat"}, "echo a | cat", ""},
		{"what is not", []string{"--whitelist", "echo,cat"}, "echo a | grep a", "grep"},
		{"T7: words of the shell", []string{"--whitelist", "echo,cat"}, "for i in 1 2; do echo $((i+1)); done", ""},
		{"T7: another program of a listed name", []string{"--whitelist", "echo,cat"}, "/tmp/evil/echo x", "/tmp/evil/echo"},
		{"the whitelist alone counts", []string{"--whitelist", "echo,rm", "--blacklist", "rm"}, "rm -f zz", ""},
		{"the file", configured(t, "blacklist: [rm]\n"), "rm -f zz", "rm"},
		{"empty flags over the file", append(configured(t, "blacklist: [rm]\nwhitelist: [ls]\n"), "--blacklist", "", "--whitelist", ""), "rm -f zz", ""},
		{"nothing is listed", nil, "rm -f zz", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startTabShell(t, c.args...)
			for _, background := range []bool{false, true} {
				f := tabRun(t, s, c.command, Args{"background": background})
				reason, _ := f["reason"].(string)
				switch {
				case c.refused == "" && f["status"] == "rejected":
					t.Errorf("refused: %v", f)
				case c.refused != "" && (f["status"] != "rejected" || !strings.Contains(reason, c.refused) || len(f) != 2):
					t.Errorf("not refused: %v", f)
				}
			}
		})
	}
}

func TestTabShellCutsOutput(t *testing.T) {
	t.Parallel()
	const flood = "yes 0123456789 | head -c 3000000; yes ABCDEFGHI | head -c 3000000 >&2"
	s := startTabShell(t, "--max-output-length", "100", "--output-truncation-mode", "head")
	for _, c := range []struct {
		name           string
		more           Args
		stdout, stderr string
	}{
		{"the beginning", nil, strings.Repeat("0123456789\n", 5)[:53] + "[...truncated]", strings.Repeat("ABCDEFGHI\n", 2)[:19] + "[...truncated]"},
		{
			"the end",
			Args{"output_truncation_mode": "tail"},
			"[...truncated]" + strings.Repeat("0123456789\n", 300_000)[2_999_947:3_000_000],
			"[...truncated]" + strings.Repeat("ABCDEFGHI\n", 2)[1:],
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := map[string]any{
				"status": "success", "exit_code": 0.0, "stdout": c.stdout, "stderr": c.stderr, "execution_time": 0.0, "truncated": true, "command": flood,
			}
			wantFields(t, tabRun(t, s, flood, c.more), want)
			result, _ := tabEnded(t, s, tabTask(t, s, flood, c.more))["result"].(map[string]any)
			wantFields(t, result, want)
		})
	}
	if f := tabRun(t, startTabShell(t), "yes | head -c 50000"); f["truncated"] != false || len(f["stdout"].(string)) != 50_000 {
		t.Errorf("the default limit: %v", f["truncated"])
	}
}

// T12: what cannot be shown is not kept, and nothing of a command in the foreground is.
func TestTabShellKeepsNoMoreOutputThanItShows(t *testing.T) {
	s := startTabShell(t)
	tabRun(t, s, "true")
	before := mcptest.UsageOf(t, s.PID())
	tabRun(t, s, "yes | head -c 100000000")
	for range 100 {
		tabRun(t, s, "yes | head -c 600000")
	}
	wantFlat(t, s, before)
	if text := s.Stderr(); text != "" {
		t.Errorf("standard error: %s", text)
	}
}

func TestTabShellWaitsForWhoeverHoldsTheOutput(t *testing.T) {
	t.Parallel()
	s := startTabShell(t)
	began := time.Now()
	f := tabRun(t, s, "sleep 1 & echo started")
	if took := time.Since(began); f["status"] != "success" || f["stdout"] != "started\n" || took < time.Second {
		t.Errorf("after %v: %v", took, f)
	}
	// Who holds no output is waited for by nobody, and lives on until the server ends.
	marker := mcptest.Marker(t)
	if f := tabRun(t, s, "sleep "+marker+" >/dev/null 2>&1 & echo started", Args{"timeout": 20}); f["status"] != "success" {
		t.Errorf("%v", f)
	}
	if len(mcptest.Alive(marker)) != 1 {
		t.Error("what was put into the background is not alive")
	}
	s.CloseStdin()
	mcptest.Eventually(t, mcptest.Patience, "its end", func() bool { return len(mcptest.Alive(marker)) == 0 })
}

func TestTabShellCancellationKillsTheCommand(t *testing.T) {
	t.Parallel()
	s := startTabShell(t)
	marker := mcptest.Marker(t)
	call := s.BeginCall("execute_shell_command", Args{"command": `trap "" TERM; sleep ` + marker + "; sleep " + marker})
	mcptest.Eventually(t, mcptest.Patience, "the command", func() bool { return len(mcptest.Alive(marker)) > 0 })
	s.Cancel(call)
	mcptest.Eventually(t, mcptest.Patience, "its end", func() bool { return len(mcptest.Alive(marker)) == 0 })
	if text := tabText(t, s.Call("list_background_tasks", Args{})); text != "[]" {
		t.Errorf("it is a task: %s", text)
	}
}

// T11: the seed tells a progress of 0 and a total of 0.
func TestTabShellKeepsCallsAlive(t *testing.T) {
	t.Parallel()
	progress := func(t *testing.T, yaml string) int {
		s := startTabShell(t, configured(t, yaml)...)
		r := s.Begin("tools/call", map[string]any{
			"name": "execute_shell_command", "arguments": Args{"command": "sleep 1"}, "_meta": map[string]any{"progressToken": "p"},
		}).Result()
		if f := tabFields(t, r); f["status"] != "success" {
			t.Errorf("%v", f)
		}
		notes := s.Notifications()
		for _, n := range notes {
			var params map[string]any
			if err := json.Unmarshal(n.Params, &params); err != nil || params["progressToken"] != "p" || params["progress"] == 0.0 || params["total"] != nil {
				t.Errorf("%s (%v)", n.Raw, err)
			}
		}
		return len(notes)
	}
	if n := progress(t, "keepalive_interval: 0.2\n"); n < 2 || n > 5 {
		t.Errorf("%d notifications in a second, one each 0.2 s", n)
	}
	if n := progress(t, "keepalive_interval: 0\n"); n != 0 {
		t.Errorf("%d notifications where none are wanted", n)
	}
}

func TestTabShellEndsEverythingWithItself(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"end of input", "SIGTERM"} { // T10
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := startTabShell(t)
			marker := mcptest.Marker(t)
			tabTask(t, s, `trap "" TERM; sleep `+marker+"; sleep "+marker)
			mcptest.Eventually(t, mcptest.Patience, "the task", func() bool { return len(mcptest.Alive("sleep\x00"+marker)) > 0 })
			began := time.Now()
			if how == "SIGTERM" {
				s.Signal(syscall.SIGTERM)
			} else {
				s.CloseStdin()
			}
			if code := s.ExitCode(mcptest.Patience); code != 0 {
				t.Errorf("exit code %d", code)
			}
			atMost(t, "the end", began, 3500*time.Millisecond)
			mcptest.Eventually(t, mcptest.Patience, "the end of the task", func() bool { return len(mcptest.Alive(marker)) == 0 })
		})
	}
}

func TestTabShellHidesSecrets(t *testing.T) {
	t.Parallel()
	const secret = "correcthorsebattery"
	s := mcptest.Start(t, mcptest.Options{
		Path: "tab-shell-mcp", Args: []string{"--blacklist", secret + ",rm"},
		Env: []string{"WHELK_REDACT_ENV=^DEMO_", "DEMO_TOKEN=" + secret},
	})
	id := tabTask(t, s, "echo $DEMO_TOKEN; echo "+secret)
	tabEnded(t, s, id)
	for what, r := range map[string]*mcptest.Result{
		"foreground":          s.Call("execute_shell_command", Args{"command": "echo $DEMO_TOKEN " + secret}),
		"a refusal":           s.Call("execute_shell_command", Args{"command": "rm " + secret}),
		"a command not begun": s.Call("execute_shell_command", Args{"command": "x", "cwd": "/" + secret}),
		"a faulty argument":   s.Call("execute_shell_command", Args{"command": "x", "output_truncation_mode": secret}),
		"a task":              s.Call("get_task_status", Args{"task_id": id}),
		"a handle":            s.Call("get_task_status", Args{"task_id": secret}),
		"the list":            s.Call("list_background_tasks", Args{}),
	} {
		if strings.Contains(r.Raw, secret) || !strings.Contains(r.Raw, "[REDACTED:DEMO_TOKEN]") {
			t.Errorf("%s: %s", what, r.Raw)
		}
	}
}

func TestTabShellIsServedBesideOthers(t *testing.T) {
	t.Parallel()
	s := mcptest.Start(t, mcptest.Options{
		Args: []string{"serve", "--result", "structured", "--tools", "native,tabshell", "--", "--blacklist", "rm"},
	})
	wantRun(t, s.Execute("rm -f zz"), "completed", 0, "")
	if f := tabRun(t, s, "rm -f zz"); f["status"] != "rejected" {
		t.Errorf("%v", f)
	}
	if f := tabRun(t, s, "echo x"); f["stdout"] != "x\n" {
		t.Errorf("%v", f)
	}
}
