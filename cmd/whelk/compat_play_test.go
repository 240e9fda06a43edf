package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"whelk/internal/mcptest"
)

// player runs the cases of one group against one program.
type player struct {
	t       testing.TB
	seed    *seed
	path    string // of the program
	group   *group
	dir     string // {W}
	names   map[string]string
	server  *mcptest.Server // nil until a case needs it
	notes   int             // how many notifications were there before
	created []string        // names that keep has made, in order
	last    string          // the handle that was given last, to golden cases
}

// playGroup runs a group and gives each case with its answer, and whether it
// is the first time, to each.
func playGroup(t testing.TB, s *seed, path string, g *group, each func(c *step, p *player, answer any)) {
	t.Helper()
	dir := shortDir(t)
	p := &player{t: t, seed: s, path: path, group: g, dir: dir, names: map[string]string{"{W}": dir, "${marker}": mcptest.Marker(t)}}
	files, _ := expand(g.line.get("files"), p.names).(*object)
	if err := furnish(dir, files); err != nil {
		t.Fatal(err)
	}
	for _, c := range g.cases {
		time.Sleep(milliseconds(c.line.get("pause_ms")))
		answer := p.perform(c.line)
		p.keep(c.line, answer)
		each(c, p, p.anonymous(answer))
	}
}

// shortDir returns a new directory whose name is always of one length: pages
// count the bytes of the paths that commands print.
func shortDir(t testing.TB) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		dir := filepath.Join(base, fmt.Sprintf("whelk%04d", rand.IntN(10_000)))
		if os.Mkdir(dir, 0o755) == nil {
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
	t.Fatalf("no new directory in %s", base)
	return ""
}

// launch starts the program as a client would that gives it no more than it needs.
func (p *player) launch(line *object) *mcptest.Server {
	p.t.Helper()
	env := &object{}
	env.set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin").set("HOME", p.dir).set("SHELL", "/bin/bash").
		set("LANG", "C.UTF-8").set("XDG_CONFIG_HOME", "/nonexistent")
	var args []string
	for _, source := range []*object{p.group.line, line} {
		if added, ok := expand(source.get("env"), p.names).(*object); ok {
			for _, m := range added.members {
				env.set(m.name, m.value)
			}
		}
		if added, ok := expand(source.get("cli"), p.names).([]any); ok {
			args = append(args, stringsOf(added)...)
		}
	}
	var environ []string
	for _, m := range env.members {
		if value, ok := m.value.(string); ok {
			environ = append(environ, m.name+"="+value)
		}
	}
	return mcptest.Launch(p.t, mcptest.Options{
		Path: p.path, Args: args, Env: environ, Bare: true, Dir: filepath.Join(p.dir, p.group.line.text("cwd")),
	})
}

// running returns the group's server.
func (p *player) running() *mcptest.Server {
	p.t.Helper()
	if p.server == nil && !p.serves() {
		p.t.Fatalf("%s does not start: %s", p.path, p.server.Stderr())
	}
	return p.server
}

// serves starts the group's server and tells whether it serves.
func (p *player) serves() bool {
	p.t.Helper()
	p.server = p.launch(&object{})
	if p.initialize(p.server, "2025-11-25") == nil {
		return false
	}
	p.server.Notify("notifications/initialized", nil)
	return true
}

// initialize returns the answer to initialize, nil if the program has ended
// instead.
func (p *player) initialize(s *mcptest.Server, version string) *mcptest.Message {
	p.t.Helper()
	answered := s.Expect(`"first"`)
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": map[string]any{
		"protocolVersion": version, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "mcptest", "version": "1"},
	}})
	if err != nil {
		p.t.Fatal(err)
	}
	_ = s.Send(string(body) + "\n") // it may have ended
	select {
	case m := <-answered.Arrived():
		return m
	case <-s.Exited():
	case <-time.After(mcptest.Patience):
		p.t.Fatalf("neither an answer nor an end: %s", s.Stderr())
	}
	return nil
}

// await returns the answer to a request; the test is over if there is none.
func (p *player) await(s *mcptest.Server, pending *mcptest.Pending) *mcptest.Message {
	p.t.Helper()
	select {
	case m := <-pending.Arrived():
		return m
	case <-s.Exited():
		p.t.Fatalf("%s has ended without an answer; stderr: %s", p.path, s.Stderr())
	case <-time.After(mcptest.Patience):
		p.t.Fatalf("%s: no answer within %v; stderr: %s", p.path, mcptest.Patience, s.Stderr())
	}
	return nil
}

// perform does what a case says and returns what came of it.
func (p *player) perform(line *object) any {
	p.t.Helper()
	switch {
	case line.text("call") != "":
		return p.call(line)
	case line.get("start") != nil:
		return p.start(line)
	case line.get("tools") != nil:
		return p.tools()
	case line.text("rpc") != "":
		return p.answerOf(p.await(p.running(), p.running().Begin(line.text("rpc"), expand(line.get("params"), p.names))))
	case line.text("file") != "":
		text, err := os.ReadFile(filepath.Join(p.dir, line.text("file")))
		if err != nil {
			return (&object{}).set("missing", true)
		}
		return (&object{}).set("content", string(text))
	case line.get("alive") != nil:
		return (&object{}).set("alive", p.alive())
	case line.text("end") != "":
		return p.end(line.text("end"))
	}
	p.t.Fatalf("case %s does nothing", line.text("case"))
	return nil
}

// alive tells whether a process with the marker lives on; one that is about to
// end has a moment to do so.
func (p *player) alive() bool {
	const moment = 4 * time.Second
	for deadline := time.Now().Add(moment); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if len(mcptest.Alive(p.names["${marker}"])) == 0 {
			return false
		}
	}
	return true
}

// end ends the server and returns how it went. A server that does not go
// loses its input after a while, as clients do.
func (p *player) end(how string) any {
	const patience = 8 * time.Second
	s := p.running()
	if how == "eof" {
		s.CloseStdin()
	} else {
		s.Signal(signalNamed(how))
	}
	o := &object{}
	select {
	case <-s.Exited():
	case <-time.After(patience):
		o.set("stays", true)
		s.CloseStdin()
	}
	o.set("exit", intNumber(s.ExitCode(mcptest.Patience)))
	return o.set("alive", p.alive())
}

func signalNamed(name string) syscall.Signal {
	return map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGKILL": syscall.SIGKILL}[name]
}

// start starts a process and returns whether it serves.
func (p *player) start(line *object) any {
	p.t.Helper()
	version := line.get("start").(*object).text("protocolVersion")
	if version == "" {
		version = "2025-11-25"
	}
	s := p.launch(line)
	if m := p.initialize(s, version); m != nil {
		result := parsed(p.t, m.Result)
		info, _ := result.get("serverInfo").(*object)
		return (&object{}).set("starts", true).set("protocol", result.get("protocolVersion")).set("name", info.get("name"))
	}
	return (&object{}).set("exit", intNumber(s.ExitCode(mcptest.Patience))).
		set("stdout", strings.Join(s.Lines(), "\n")).set("stderr", s.Stderr())
}

func parsed(t testing.TB, text []byte) *object {
	t.Helper()
	v, err := parseJSON(text)
	o, ok := v.(*object)
	if err != nil || !ok {
		t.Fatalf("no JSON object (%v): %s", err, text)
	}
	return o
}

func intNumber(n int) json.Number { return json.Number(strconv.Itoa(n)) }

func wholeNumber(v any) int {
	n, _ := v.(json.Number)
	i, _ := strconv.Atoi(n.String())
	return i
}

func milliseconds(v any) time.Duration { return time.Duration(wholeNumber(v)) * time.Millisecond }

// keep stores values of an answer under the names of the case.
func (p *player) keep(line *object, answer any) {
	wanted, ok := line.get("keep").(*object)
	if !ok {
		return
	}
	for _, m := range wanted.members {
		if s, ok := at(answer, splitPath(m.value.(string))).(string); ok {
			name := "${" + m.name + "}"
			p.names[name] = s
			p.created = append(p.created, name)
		}
	}
}

// at returns the value at a path, nil if there is none.
func at(v any, path []string) any {
	for _, name := range path {
		switch inner := v.(type) {
		case *object:
			v = inner.get(name)
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(inner) {
				return nil
			}
			v = inner[i]
		default:
			return nil
		}
	}
	return v
}

// anonymous puts {W} and the names of kept values where they appear.
func (p *player) anonymous(answer any) any {
	names := map[string]string{p.dir: "{W}", p.names["${marker}"]: "${marker}"}
	for _, name := range p.created {
		names[p.names[name]] = name
	}
	return expand(answer, names)
}
