package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// askAtTerminal answers a server's question by asking whoever sits at the
// terminal. Without one the answer is no.
func askAtTerminal(_ context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	defer func() { _ = terminal.Close() }()
	field, choices := formOf(request.Params.RequestedSchema)
	fmt.Fprintf(terminal, "%s\n", printable(request.Params.Message))
	for i, choice := range choices {
		fmt.Fprintf(terminal, "  %d  %s\n", i+1, choice)
	}
	fmt.Fprint(terminal, "Number, or anything else for no: ")
	line, err := bufio.NewReader(terminal).ReadString('\n')
	if err != nil {
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}
	for i, choice := range choices {
		if strings.TrimSpace(line) == fmt.Sprint(i+1) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{field: choice}}, nil
		}
	}
	return &mcp.ElicitResult{Action: "decline"}, nil
}

// formOf returns the one field of a form, and what may be chosen for it.
func formOf(schema any) (field string, choices []string) {
	text, err := json.Marshal(schema)
	if err != nil {
		return "", nil
	}
	var form struct {
		Properties map[string]struct{ Enum []string }
	}
	if json.Unmarshal(text, &form) != nil || len(form.Properties) != 1 {
		return "", nil
	}
	for name, property := range form.Properties {
		return name, property.Enum
	}
	return "", nil
}

// printable replaces what could change how a terminal shows the rest.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '\uFFFD'
		}
		return r
	}, text)
}
