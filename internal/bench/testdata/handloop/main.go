// Command handloop is the least that an MCP server in Go can be: it reads a
// line, decodes it with encoding/json, and appends an answer by hand. Nothing
// is run and nothing is checked. `handloop BYTES` answers read with a page of
// so many bytes.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"whelk/internal/jsontext"
)

// line is a usual line of a log: 83 bytes.
var line = strings.Repeat("abcdefghijklmnopqrstuvwxyz", 4)[:82] + "\n"

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

func main() {
	bytes := 0
	if len(os.Args) > 1 {
		bytes, _ = strconv.Atoi(os.Args[1])
	}
	page := strings.Repeat(line, bytes/len(line)+1)[:bytes]
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	var out []byte
	for {
		text, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(text, &r); err != nil {
			fmt.Fprintln(os.Stderr, "handloop:", err)
			return
		}
		if r.ID == nil {
			continue
		}
		out = answer(out[:0], &r, page)
		if _, err := os.Stdout.Write(out); err != nil {
			return
		}
	}
}

func answer(out []byte, r *request, page string) []byte {
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, r.ID...)
	if r.Method == "initialize" {
		return append(out, `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"handloop","version":"1"}}}`+"\n"...)
	}
	text := "executions=0"
	if r.Params.Name == "read" {
		text = page
	}
	out = append(out, `,"result":{"content":[{"type":"text","text":`...)
	out = jsontext.AppendString(out, text)
	return append(out, "}]}}\n"...)
}
