package main

import (
	"slices"
	"strings"
	"time"

	"whelk/internal/mcptest"
)

// call calls a tool: once, again and again until something holds, or many
// times at once.
func (p *player) call(line *object) any {
	p.t.Helper()
	const enough = 15 * time.Second
	if n := wholeNumber(line.get("times")); n > 1 {
		return p.callAtOnce(line, n)
	}
	until, _ := line.get("until").(*object)
	for deadline := time.Now().Add(enough); ; time.Sleep(20 * time.Millisecond) {
		answer := p.callOnce(line)
		if until == nil || time.Now().After(deadline) || holds(answer, until) {
			return answer
		}
	}
}

func holds(answer any, until *object) bool {
	for _, m := range until.members {
		if len(compare("", m.value, at(answer, splitPath(m.name)))) > 0 {
			return false
		}
	}
	return true
}

// callAtOnce returns how long n calls take together.
func (p *player) callAtOnce(line *object, n int) any {
	s := p.running()
	began := time.Now()
	var pending []*mcptest.Pending
	for range n {
		pending = append(pending, p.begin(line))
	}
	for _, one := range pending {
		p.await(s, one)
	}
	return (&object{}).set("together_ms", intNumber(int(time.Since(began).Milliseconds())))
}

func (p *player) begin(line *object) *mcptest.Pending {
	p.t.Helper()
	arguments := expand(line.get("with"), p.names)
	if arguments == nil {
		arguments = &object{}
	}
	params := map[string]any{"name": line.text("call"), "arguments": arguments}
	if token := line.get("token"); token != nil {
		params["_meta"] = map[string]any{"progressToken": token}
	}
	return p.running().Begin("tools/call", params)
}

func (p *player) callOnce(line *object) any {
	p.t.Helper()
	s := p.running()
	p.notes = len(s.Notifications())
	pending := p.begin(line)
	if after := milliseconds(line.get("cancel_ms")); after > 0 {
		return p.cancelled(pending, after)
	}
	answer := p.answerOf(p.await(s, pending))
	if line.get("token") != nil {
		answer.set("progress", p.progress())
	}
	return answer
}

// cancelled cancels a call; nothing comes of it if there is no answer soon.
func (p *player) cancelled(pending *mcptest.Pending, after time.Duration) any {
	const soon = 500 * time.Millisecond
	time.Sleep(after)
	p.server.Cancel(pending)
	select {
	case m := <-pending.Arrived():
		return p.answerOf(m)
	case <-time.After(soon):
		return (&object{}).set("no_answer", true)
	}
}

// progress returns the params of the notifications since the call began.
func (p *player) progress() any {
	list := []any{}
	for _, n := range p.server.Notifications()[p.notes:] {
		if n.Method == "notifications/progress" {
			o := parsed(p.t, n.Params)
			slices.SortFunc(o.members, func(a, b member) int { return strings.Compare(a.name, b.name) })
			list = append(list, o)
		}
	}
	return list
}

// answerOf is an answer as recordings show it:
//
//	{"json":{…}}           the one text item, if it is JSON
//	{"text":["…"]}         otherwise the texts of all items
//	"layout":"…"           the text itself, if its layout is not the server's
//	"structured":…         the structured content; "the text" if it is {"result": the text}
//	"error":true           isError
//	{"rpc_error":{…}}      an error of the protocol
//	{"result":{…}}         a result that is no tool's
func (p *player) answerOf(m *mcptest.Message) *object {
	p.t.Helper()
	if m.Error != nil {
		return (&object{}).set("rpc_error", (&object{}).set("code", intNumber(m.Error.Code)).set("message", m.Error.Message))
	}
	return resultOf(p.seed, parsed(p.t, m.Result))
}

func resultOf(s *seed, result *object) *object {
	content, ok := result.get("content").([]any)
	if !ok {
		return (&object{}).set("result", result)
	}
	answer := &object{}
	items := []any{}
	for _, item := range content {
		o, _ := item.(*object)
		items = append(items, o.get("text"))
	}
	text, value := "", any(nil)
	if s.json != nil && len(items) == 1 {
		text, _ = items[0].(string)
		value = jsonDocument(text)
	}
	if value == nil {
		answer.set("text", items)
	} else {
		answer.set("json", value)
		if s.json.write(value, "\n") != text {
			answer.set("layout", text)
		}
	}
	if structured, ok := result.lookup("structuredContent"); ok {
		if o, ok := structured.(*object); ok && len(o.members) == 1 && len(items) == 1 && o.get("result") == items[0] {
			structured = "the text"
		}
		answer.set("structured", structured)
	}
	if result.get("isError") == true {
		answer.set("error", true)
	}
	return answer
}

// jsonDocument is a text read as a JSON object or array, nil if it is none.
func jsonDocument(text string) any {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil
	}
	v, err := parseJSON([]byte(text))
	if err != nil {
		return nil
	}
	return v
}

// tools returns the list of tools with what a caller must know of each: its
// parameters with types, default values, choices and bounds.
func (p *player) tools() any {
	p.t.Helper()
	result := parsed(p.t, p.await(p.running(), p.running().Begin("tools/list", nil)).Result)
	all := &object{}
	list, _ := result.get("tools").([]any)
	for _, item := range list {
		tool := item.(*object)
		schema, _ := tool.get("inputSchema").(*object)
		properties, _ := schema.get("properties").(*object)
		parameters := &object{anyOrder: true}
		if properties != nil {
			for _, m := range properties.members {
				parameters.set(m.name, parameter(schema, m.value.(*object)))
			}
		}
		reduced := (&object{}).set("required", sorted(schema.get("required"))).set("parameters", parameters)
		if _, ok := tool.lookup("outputSchema"); ok {
			reduced.set("output_schema", true)
		}
		all.set(tool.text("name"), reduced)
	}
	return (&object{}).set("tools", all)
}

// parameter reduces the schema of one parameter.
func parameter(root, schema *object) *object {
	reduced := &object{}
	var types []any
	for _, s := range alternatives(root, schema) {
		if list, ok := s.get("type").([]any); ok {
			types = append(types, list...)
		} else if t := s.text("type"); t != "" {
			types = append(types, t)
		}
		if choices, ok := s.lookup("enum"); ok {
			reduced.set("enum", sorted(choices))
		}
		for _, name := range []string{"minimum", "maximum"} {
			if bound, ok := s.lookup(name); ok {
				reduced.set(name, bound)
			}
		}
		for _, name := range []string{"items", "additionalProperties"} {
			if inner, ok := s.get(name).(*object); ok {
				reduced.set(name, parameter(root, inner))
			}
		}
	}
	// That null means the same as no argument is not told by all servers.
	reduced.set("types", sorted(slices.DeleteFunc(types, func(t any) bool { return t == "null" })))
	if value := schema.get("default"); value != nil {
		reduced.set("default", value)
	}
	return reduced
}

// alternatives are the schemas of anyOf, references followed.
func alternatives(root, schema *object) []*object {
	if ref := schema.text("$ref"); ref != "" {
		schema, _ = at(root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")).(*object)
	}
	list, ok := schema.get("anyOf").([]any)
	if !ok {
		return []*object{schema}
	}
	var all []*object
	for _, one := range list {
		all = append(all, alternatives(root, one.(*object))...)
	}
	return all
}

func sorted(list any) []any {
	values, _ := list.([]any)
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b any) int { return strings.Compare(compactJSON(a), compactJSON(b)) })
	if values == nil {
		values = []any{}
	}
	return values
}
