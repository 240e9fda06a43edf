package mcpshell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/jsontext"
)

// answer writes the result in both forms.
func (r *result) answer() *mcp.CallToolResult {
	a := &mcp.CallToolResult{Content: []mcp.Content{}, IsError: r.failure != "", StructuredContent: r.fields()}
	for _, text := range r.texts() {
		a.Content = append(a.Content, &mcp.TextContent{Text: text})
	}
	return a
}

// texts are the text items: the output, or one that says what failed.
func (r *result) texts() []string {
	if r.failure != "" {
		return []string{r.failureText()}
	}
	var texts []string
	for _, stream := range [][]byte{r.stdout, r.stderr} {
		if !r.piped { // that of pipelines is sent as it is
			stream = trimmed(stream)
		}
		if len(stream) > 0 {
			texts = append(texts, string(stream))
		}
	}
	return texts
}

// failureText says what failed, and then what the command has written.
func (r *result) failureText() string {
	var b strings.Builder
	b.WriteString("Error executing command: " + r.failure)
	for _, stream := range []struct {
		name string
		text []byte
	}{{"stdout", r.stdout}, {"stderr", r.stderr}} {
		text := trimmed(stream.text)
		if r.partial {
			text = excerpt(text, stream.name)
		}
		if len(text) > 0 {
			fmt.Fprintf(&b, "\n%s:\n%s", stream.name, text)
		}
	}
	return b.String()
}

// mostPartial is how much the text shows of what a command wrote to a stream
// before a limit ended it, in bytes: the output limit is 50 times that, and a model
// wants the reason first.
const mostPartial = 20_000

// excerpt is the beginning of a long text, with where the rest is.
func excerpt(text []byte, name string) []byte {
	if len(text) <= mostPartial {
		return text
	}
	return fmt.Appendf(bytes.ToValidUTF8(text[:mostPartial], nil), "\n… (%d bytes more are in the field %s)", len(text)-mostPartial, name)
}

// trimmed is text without the white space around it, which mcp-shell-server takes
// for no part of the output of a single program.
func trimmed(text []byte) []byte {
	return bytes.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f // Python's strip knows the separators, too
	})
}

// fields are the documented result. Of a call that failed standard error holds the
// reason, unless the command has written there itself.
func (r *result) fields() json.RawMessage {
	stderr := r.stderr
	if len(stderr) == 0 {
		stderr = []byte(r.err)
	}
	b := make([]byte, 0, 256+len(r.stdout)+len(r.stdout)/8+len(stderr))
	b = append(b, `{"error":`...)
	if r.err == "" {
		b = append(b, "null"...)
	} else {
		b = jsontext.AppendString(b, r.err)
	}
	b = jsontext.AppendString(append(b, `,"stdout":`...), string(r.stdout))
	b = jsontext.AppendString(append(b, `,"stderr":`...), string(stderr))
	b = strconv.AppendInt(append(b, `,"status":`...), int64(r.status), 10)
	b = strconv.AppendInt(append(b, `,"returncode":`...), int64(r.status), 10)
	b = strconv.AppendFloat(append(b, `,"execution_time":`...), math.Round(r.took.Seconds()*1e6)/1e6, 'f', -1, 64)
	b = jsontext.AppendString(append(b, `,"directory":`...), r.dir)
	return append(b, '}')
}
