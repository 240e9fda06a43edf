package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/jsontext"
)

func plainText(size int) string {
	return strings.Repeat("-rw-r--r-- 1 user group 4096 Jan  1 12:00 some_file.txt\n", size/56+1)[:size]
}

func BenchmarkEncodeString(b *testing.B) {
	for _, size := range []int{20_000, 1_000_000} {
		texts := map[string]string{
			"plain":   plainText(size),
			"utf8":    strings.Repeat("größe 世界 ", size/15),
			"invalid": "\xff" + plainText(size-1),
		}
		for _, name := range []string{"plain", "utf8", "invalid"} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				var buffer []byte
				for b.Loop() {
					buffer = jsontext.AppendString(buffer[:0], texts[name])
				}
			})
		}
		b.Run(fmt.Sprintf("encoding-json/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := json.Marshal(texts["plain"]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCall measures a tool call over pipes of the kernel, next to a loop
// that does nothing but decode the request and encode the answer: the limit
// that any server written in Go has.
func BenchmarkCall(b *testing.B) {
	servers := []struct {
		name  string
		serve func(in, out *os.File, text string) error
	}{
		{"limit", limitLoop},
		{"server", func(in, out *os.File, text string) error { return serveText(in, out, text, false) }},
		{"structured", func(in, out *os.File, text string) error { return serveText(in, out, text, true) }},
	}
	for _, size := range []int{0, 20_000, 1_000_000} {
		text := plainText(size)
		for _, server := range servers {
			b.Run(fmt.Sprintf("%s/%d", server.name, size), func(b *testing.B) {
				benchmarkCall(b, func(in, out *os.File) error { return server.serve(in, out, text) }, size)
			})
		}
	}
}

func benchmarkCall(b *testing.B, serve func(in, out *os.File) error, size int) {
	in, toServer := pipe(b)
	fromServer, out := pipe(b)
	ended := make(chan error)
	go func() { ended <- serve(in, out) }()
	answers := bufio.NewReaderSize(fromServer, 1<<16)
	exchange := func(line string) {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			b.Fatal(err)
		}
		for {
			_, err := answers.ReadSlice('\n')
			if err == nil {
				return
			}
			if err != bufio.ErrBufferFull {
				b.Fatal(err)
			}
		}
	}
	exchange(initializeLine("0", "2025-11-25"))
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text","arguments":{"command":"true"}}}`
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		exchange(line)
		took = append(took, time.Since(start))
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/10].Nanoseconds())/1e3, "p10-µs")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
	_ = toServer.Close()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}

func pipe(b *testing.B) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

func serveText(in, out *os.File, text string, structured bool) error {
	content := textResult(text)
	if structured {
		content = &mcp.CallToolResult{StructuredContent: json.RawMessage(quote(text))}
	}
	give := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return content, nil }
	return ServeStdio(context.Background(), Options{
		Name: "bench", In: in, Out: out, Tools: tools(map[string]tool{"text": give}),
	})
}

func limitLoop(in, out *os.File, text string) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	var buffer []byte
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return nil
		}
		var request struct {
			ID     int
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &request); err != nil {
			return err
		}
		buffer = append(buffer[:0], `{"jsonrpc":"2.0","id":`...)
		buffer = strconv.AppendInt(buffer, int64(request.ID), 10)
		buffer = append(buffer, `,"result":{"content":[{"type":"text","text":`...)
		buffer = jsontext.AppendString(buffer, text)
		buffer = append(buffer, "}]}}\n"...)
		if _, err := out.Write(buffer); err != nil {
			return err
		}
	}
}
