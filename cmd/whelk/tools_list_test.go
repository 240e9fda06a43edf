package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"whelk/internal/mcptest"
)

type listedTool struct {
	Name, Title, Description string
	InputSchema              map[string]any
	Annotations              map[string]any
}

func listTools(t testing.TB, s *mcptest.Server) (tools []listedTool, raw string) {
	t.Helper()
	m := s.Begin("tools/list", nil).Wait()
	var result struct{ Tools []listedTool }
	unmarshal(t, m.Result, &result)
	if len(result.Tools) == 0 {
		t.Fatalf("no tools: %s", m.Raw)
	}
	return result.Tools, string(m.Result)
}

// textLimit is where clients cut descriptions and instructions (2,048
// characters), with room for what they put around them.
const textLimit = 2000

func TestToolListFitsWhatClientsTake(t *testing.T) {
	s := mcptest.Launch(t, mcptest.Options{})
	var hello struct{ Instructions string }
	unmarshal(t, s.Initialize("2025-11-25").Result, &hello)
	if n := len(hello.Instructions); n == 0 || n >= textLimit {
		t.Errorf("instructions of %d characters", n)
	}
	tools, raw := listTools(t, s)
	if len(raw) > 12_000 {
		t.Errorf("tools/list has %d bytes", len(raw))
	}
	for _, tool := range tools {
		if n := len(tool.Description); n == 0 || n >= textLimit {
			t.Errorf("%s: a description of %d characters", tool.Name, n)
		}
		if tool.Title == "" {
			t.Errorf("%s: no title", tool.Name)
		}
		if !regexp.MustCompile(`^[a-z_]{1,30}$`).MatchString(tool.Name) {
			t.Errorf("%s: not every client takes this name", tool.Name)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := tool.Annotations[hint].(bool); !ok {
				t.Errorf("%s: %s is %v", tool.Name, hint, tool.Annotations[hint])
			}
		}
		if tool.InputSchema["type"] != "object" {
			t.Errorf("%s: schema of type %v", tool.Name, tool.InputSchema["type"])
		}
		checkSchema(t, tool.Name, tool.InputSchema)
	}
}

// checkSchema holds a schema to the subset that all clients and models take.
func checkSchema(t testing.TB, at string, schema map[string]any) {
	t.Helper()
	types := []string{"object", "string", "integer", "number", "boolean", "array"}
	if kind, ok := schema["type"].(string); !ok || !slices.Contains(types, kind) {
		t.Errorf("%s: type %v", at, schema["type"])
	}
	for key, value := range schema {
		switch key {
		case "type", "minimum", "maximum", "default", "description":
		case "enum":
			for _, v := range value.([]any) {
				if _, ok := v.(string); !ok {
					t.Errorf("%s: enum of %v", at, v)
				}
			}
		case "required":
			for _, name := range value.([]any) {
				if _, ok := schema["properties"].(map[string]any)[name.(string)]; !ok {
					t.Errorf("%s: %v is required and not declared", at, name)
				}
			}
		case "properties":
			for name, p := range value.(map[string]any) {
				property := p.(map[string]any)
				if property["description"] == nil {
					t.Errorf("%s.%s: no description", at, name)
				}
				checkSchema(t, at+"."+name, property)
			}
		case "items":
			checkSchema(t, at+"[]", value.(map[string]any))
		case "additionalProperties":
			if of, ok := value.(map[string]any); ok {
				checkSchema(t, at+".*", of)
			} else if value != false {
				t.Errorf("%s: additionalProperties is %v", at, value)
			}
		default:
			t.Errorf("%s: %s is outside of the subset", at, key)
		}
	}
	if schema["type"] == "array" && schema["items"] == nil {
		t.Errorf("%s: an array of anything", at)
	}
}

func TestCapabilitiesAreThoseThereAre(t *testing.T) {
	s := mcptest.Launch(t, mcptest.Options{})
	var hello struct {
		Capabilities map[string]any
		ServerInfo   struct{ Name, Version string }
	}
	unmarshal(t, s.Initialize("2025-11-25").Result, &hello)
	if hello.Capabilities["tools"] == nil || len(hello.Capabilities) != 1 {
		t.Errorf("capabilities %v", hello.Capabilities)
	}
	if hello.ServerInfo.Name != "whelk" || hello.ServerInfo.Version == "" {
		t.Errorf("%+v", hello.ServerInfo)
	}
}

// TestArgumentsAsTextAreUnderstood sends every parameter that is no string as
// the text of its value, as several clients do, and then as text that is none.
func TestArgumentsAsTextAreUnderstood(t *testing.T) {
	s := startServer(t)
	tools, _ := listTools(t, s)
	good := map[string]string{"integer": "1", "boolean": "true", "array": `["NONE"]`, "object": `{"A":"1"}`}
	tried := 0
	for _, tool := range tools {
		properties := tool.InputSchema["properties"].(map[string]any)
		for name, p := range properties {
			kind := p.(map[string]any)["type"].(string)
			if kind == "string" {
				continue
			}
			tried++
			if r := s.Call(tool.Name, Args{name: good[kind]}); strings.Contains(r.String("error"), name+": expected") {
				t.Errorf("%s.%s as text: %s", tool.Name, name, r.String("error"))
			}
			r := s.Call(tool.Name, Args{name: "rubbish"})
			if says := name + ": expected "; !r.IsError || !strings.Contains(r.String("error"), says) || !strings.Contains(r.String("error"), `received "rubbish"`) {
				t.Errorf("%s.%s as rubbish: %#v", tool.Name, name, r)
			}
		}
	}
	if tried < 10 {
		t.Errorf("only %d parameters were tried", tried)
	}
}
