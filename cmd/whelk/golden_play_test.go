package main

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// playGolden plays one session.
func playGolden(t *testing.T, s *seed, session []*goldenCase, allPrograms string, tally *goldenTally) {
	t.Helper()
	setting := goldenSettingOf(session[0])
	files := parsed(t, []byte(goldenFiles[s.name]))
	for _, c := range session {
		if note, ok := strings.CutPrefix(c.line.text("note"), "config: "); ok {
			files.set("c.yaml", note)
		}
	}
	dir := shortDir(t)
	p := &player{t: t, seed: s, path: programNamed(t, s.name), dir: dir, names: map[string]string{"{W}": dir, "{ALL}": allPrograms, "${marker}": "\x00"}}
	line := (&object{}).set("env", session[0].line.get("env")).set("cli", session[0].line.get("cli")).set("cwd", setting.cwd)
	p.group = &group{line: line}
	if err := errors.Join(furnish(dir, expand(files, p.names).(*object)), setting.write(dir)); err != nil {
		t.Fatal(err)
	}
	for _, c := range session {
		verdict, detail := p.golden(c)
		tally.add(verdict, c.id+detail)
	}
}

// golden plays one case and judges the answer.
func (p *player) golden(c *goldenCase) (verdict, detail string) {
	p.t.Helper()
	request, _ := c.line.get("request").(*object)
	switch {
	case strings.HasPrefix(c.id, "http."):
		return goldenHTTP, ""
	case c.line.get("started") == false:
		return p.goldenRefusal(c)
	case p.ended():
		return p.goldenDiffers(c, ": the server has ended: "+p.server.Stderr())
	case request == nil:
		return goldenFact, ""
	}
	if p.server == nil && !p.serves() {
		return p.goldenDiffers(c, ": it does not start: "+p.server.Stderr())
	}
	setting := goldenSettingOf(c)
	time.Sleep(setting.pause)
	if err := setting.write(p.dir); err != nil {
		p.t.Fatal(err)
	}
	if p.missing(c) {
		return goldenNeedsMachine, ""
	}
	p.prepare(c)
	line := (&object{}).set("call", request.text("name")).set("with", whole(request.get("arguments")))
	want, orphan := p.goldenWant(c, line)
	differ := compare("answer", want, p.goldenAnswer(c, line, want))
	switch {
	case len(differ) == 0:
		return goldenHolds, ""
	case orphan, goldenSettingOf(c).ofOthers:
		return goldenNeedsCase, ": " + differ[0].path
	case goldenSettingOf(c).ofMachine:
		return goldenNeedsMachine, ": " + differ[0].String()
	}
	for _, m := range differ {
		detail += "\n    " + m.String()
	}
	return p.goldenDiffers(c, detail)
}

// ended tells whether the server has ended, or has never served.
func (p *player) ended() bool {
	if p.server == nil {
		return false
	}
	select {
	case <-p.server.Exited():
		return true
	default:
		return false
	}
}

// goldenDiffers judges a case that is answered otherwise.
func (p *player) goldenDiffers(c *goldenCase, detail string) (verdict, all string) {
	for _, b := range goldenBugs() {
		if b.seed == p.seed.name && slices.ContainsFunc(strings.Fields(b.cases), func(one string) bool { return patternOf(one).MatchString(c.id) }) {
			return goldenBugShown, ": " + b.row + ", " + b.reason + detail
		}
	}
	return goldenFails, detail
}

// missing tells whether a program that ran when the case was recorded is not
// on this machine.
func (p *player) missing(c *goldenCase) bool {
	words, ok := at(c.line, splitPath("request.arguments.command")).([]any)
	recorded := compactJSON(c.line.get("response"))
	if !ok || len(words) == 0 || strings.Contains(recorded, "Error executing command: Command ") || strings.Contains(recorded, "Errno 2") {
		return false
	}
	name, _ := words[0].(string)
	_, err := exec.LookPath(name)
	return err != nil && name != "mytool" && !strings.ContainsAny(name, " /;|&<>")
}

// prepare does what cases did that have been left out, if this one needs it.
func (p *player) prepare(c *goldenCase) {
	p.t.Helper()
	handle := handleOf(at(c.line, splitPath("request.arguments")))
	for _, before := range goldenPreludes() {
		if before.seed != p.seed.name || !patternOf(before.cases).MatchString(c.id) || before.binds && p.names[handle] != "" {
			continue
		}
		arguments := parsed(p.t, []byte(before.arguments))
		if p.last != "" {
			arguments = expand(arguments, map[string]string{"${last}": p.last}).(*object)
		}
		answer := p.callOnce((&object{}).set("call", before.tool).set("with", arguments))
		if before.binds {
			p.names[handle] = handleOf(at(answer, []string{"json"}))
			p.created = append(p.created, handle)
		}
	}
}

// goldenWant is what is wanted of a case, and whether its handle is one whose
// origin has been left out.
func (p *player) goldenWant(c *goldenCase, line *object) (want any, orphan bool) {
	handle := handleOf(line.get("with"))
	if handle != "" && p.names[handle] == "" {
		orphan = true
	}
	answer := expand(goldenAnswerOf(p.seed, c), p.placeholders())
	recorded := newRecorder(p.group, expand(line, p.placeholders()).(*object))
	want = recorded.want(answer)
	for path, kind := range goldenSettingOf(c).volatile {
		want = override(want, (&object{}).set(path, (&object{}).set("$type", kind)))
	}
	for _, d := range differences() {
		if o, _ := want.(*object); d.seed == p.seed.name && d.cases == "*" && d.of == kindOf(o) {
			want = override(want, d.overrides())
		}
	}
	return loosened(want, "{W}/"+p.group.line.text("cwd")+"/"), orphan
}

// placeholders replace recorded handles by names that answers get, too.
func (p *player) placeholders() map[string]string {
	names := make(map[string]string)
	for _, handle := range p.created {
		names[handle] = "${" + handle + "}"
	}
	return names
}

// handleOf is the handle in the arguments of a call.
func handleOf(arguments any) string {
	o, _ := arguments.(*object)
	return o.text("execution_id") + o.text("task_id")
}

// goldenAnswer calls the tool. A call that changes nothing is repeated for a
// while if its answer is not the one that is wanted: a pause has been left out.
func (p *player) goldenAnswer(c *goldenCase, line *object, want any) any {
	p.t.Helper()
	const patience = 3 * time.Second
	name := line.text("call")
	arguments, _ := line.get("with").(*object)
	changes := !slices.Contains([]string{"ps", "get_task_status", "list_background_tasks"}, name) &&
		!(name == "read" && (arguments.get("since_seq") != nil || arguments.get("tail_lines") != nil))
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		answer := p.callOnce(line)
		p.learnHandle(c, answer)
		anonymous := p.goldenAnonymous(answer)
		if changes || time.Now().After(deadline) || len(compare("", want, anonymous)) == 0 {
			return anonymous
		}
	}
}

// learnHandle connects the handle of a recorded answer with that of this one.
func (p *player) learnHandle(c *goldenCase, answer any) {
	recorded := handleOf(at(goldenAnswerOf(p.seed, c), []string{"json"}))
	actual := handleOf(at(answer, []string{"json"}))
	if actual != "" {
		p.last = actual
	}
	if recorded != "" && actual != "" && p.names[recorded] == "" && recorded != actual {
		p.names[recorded] = actual
		p.created = append(p.created, recorded)
	}
}

func (p *player) goldenAnonymous(answer any) any {
	names := map[string]string{p.dir: "{W}"}
	for _, handle := range p.created {
		names[p.names[handle]] = "${" + handle + "}"
	}
	return expand(answer, names)
}

// goldenAnswerOf is a recorded response in the form of answers.
func goldenAnswerOf(s *seed, c *goldenCase) *object {
	result, ok := at(c.line, splitPath("response.result")).(*object)
	if !ok {
		failed, _ := at(c.line, splitPath("response.error")).(*object)
		return (&object{}).set("rpc_error", failed)
	}
	answer := &object{}
	items := []any{}
	content, _ := result.get("content").([]any)
	for _, item := range content {
		o := item.(*object)
		if value, ok := o.lookup("text_json"); ok {
			answer.set("json", whole(value))
		}
		items = append(items, whole(o.get("text")))
	}
	if answer.get("json") == nil {
		answer.set("text", items)
	}
	if structured, ok := result.lookup("structuredContent"); ok {
		if s.json != nil {
			structured = "the text"
		}
		answer.set("structured", structured)
	}
	if result.get("isError") == true {
		answer.set("error", true)
	}
	return answer
}

// whole turns elided texts into what stands for them: a long text of one
// repeated character as it was, any other as its digest.
func whole(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = whole(v[i])
		}
		return list
	case *object:
		if _, elided := v.lookup("$elided"); elided {
			return wholeText(v)
		}
		o := &object{}
		for _, m := range v.members {
			o.set(m.name, whole(m.value))
		}
		return o
	}
	return v
}

func wholeText(elided *object) any {
	head, n := elided.text("$head"), wholeNumber(elided.get("$bytes"))
	if text := strings.Repeat(head[:1], n); digest(text).get("sha256") == elided.get("$sha256") {
		return text
	}
	return (&object{}).set("$text", (&object{}).set("bytes", elided.get("$bytes")).set("sha256", elided.get("$sha256")))
}

// loosened takes words from what messages must say: a record that was made
// without a view to comparison cannot tell data from words. Numbers, paths and
// names in capitals are data; a path may be told as the caller gave it, below
// the server's directory.
func loosened(want any, dir string) any {
	switch v := want.(type) {
	case *object:
		if kind, argument, ok := matcher(v); ok && kind == "$says" {
			kept := []any{}
			for _, d := range argument.([]any) {
				if s := d.(string); strings.ContainsAny(s, "/_{0123456789") || s == strings.ToUpper(s) || !strings.ContainsAny(s, " \n") && len(s) > 2 {
					kept = append(kept, strings.TrimPrefix(s, dir))
				}
			}
			return (&object{}).set("$says", kept)
		}
		o := &object{anyOrder: v.anyOrder}
		for _, m := range v.members {
			o.set(m.name, loosened(m.value, dir))
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = loosened(v[i], dir)
		}
		return list
	}
	return want
}

// goldenRefusal plays a start that must fail.
func (p *player) goldenRefusal(c *goldenCase) (verdict, detail string) {
	p.t.Helper()
	if err := goldenSettingOf(c).write(p.dir); err != nil {
		p.t.Fatal(err)
	}
	if c.line.get("cli") != nil && goldenSettingOf(c).config != "" {
		p.group.line.set("cli", []any{"--config", "c.yaml"})
	}
	got := p.start((&object{}).set("start", &object{})).(*object)
	if got.get("exit") == nil || got.text("stdout") != "" || got.text("stderr") == "" {
		return p.goldenDiffers(c, ": it starts: "+shown(got))
	}
	code, recorded := got.get("exit"), c.line.get("exit")
	if recorded != nil && compactJSON(code) != compactJSON(recorded) {
		return p.goldenDiffers(c, fmt.Sprintf(": exit code %v, not %v", code, recorded))
	}
	return goldenHolds, ""
}
