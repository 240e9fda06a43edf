package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience bounds the end of a server. It says that something hangs, not that
// it is slow.
const patience = 60 * time.Second

// client drives one server over its standard input and output, one call in
// flight, with blocking reads and writes: what it adds to a time is a few µs.
type client struct {
	tb    testing.TB
	cmd   *exec.Cmd
	in    int // its writing end
	out   int // its reading end
	id    int // of the last request
	line  []byte
	ready time.Duration // from before the start until initialize was answered
	once  sync.Once
}

// connect starts a server and shakes hands with it. It ends with the test, or
// by end.
func connect(tb testing.TB, path string, args ...string) *client {
	tb.Helper()
	var in, out [2]int
	for _, p := range []*[2]int{&in, &out} {
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			tb.Fatal(err)
		}
	}
	c := &client{tb: tb, cmd: exec.Command(path, args...), in: in[1], out: out[0], line: make([]byte, 1<<20)}
	stdin, stdout := os.NewFile(uintptr(in[0]), "stdin"), os.NewFile(uintptr(out[1]), "stdout")
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = stdin, stdout, os.Stderr
	began := time.Now()
	err := c.cmd.Start()
	_, _ = stdin.Close(), stdout.Close()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.end() })
	c.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	c.ready = time.Since(began)
	c.write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
	return c
}

// whelk starts the server to be measured.
func (p *programs) whelk(tb testing.TB, args ...string) *client {
	tb.Helper()
	return connect(tb, p.path("whelk"), args...)
}

func (c *client) pid() int { return c.cmd.Process.Pid }

// end closes the server's input and returns how long it took to end.
func (c *client) end() (took time.Duration) {
	c.once.Do(func() {
		began := time.Now()
		_ = unix.Close(c.in)
		overdue := time.AfterFunc(patience, func() { _ = c.cmd.Process.Kill() })
		err := c.cmd.Wait()
		overdue.Stop()
		took = time.Since(began)
		_ = unix.Close(c.out)
		if err != nil {
			c.tb.Errorf("the server's end: %v", err)
		}
	})
	return took
}

// request makes one request. It returns the answer, which is valid until the
// next, and the time from before the request is written until the answer is
// read.
func (c *client) request(method, params string) (answer []byte, took time.Duration) {
	c.tb.Helper()
	c.id++
	line := append([]byte(`{"jsonrpc":"2.0","id":`), itoa(c.id)...)
	line = append(append(line, `,"method":"`...), method...)
	line = append(append(line, `","params":`...), params...)
	line = append(line, '}', '\n')
	began := time.Now()
	c.write(line)
	answer = c.readLine()
	took = time.Since(began)
	if !bytes.Contains(answer, []byte(`"result":`)) || bytes.Contains(answer, []byte(`"isError":true`)) {
		c.tb.Fatalf("%s %s: answered by %.500s", method, params, answer)
	}
	return answer, took
}

// call calls a tool with arguments in JSON.
func (c *client) call(tool, arguments string) (answer []byte, took time.Duration) {
	c.tb.Helper()
	return c.request("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`)
}

func (c *client) write(line []byte) {
	c.tb.Helper()
	for len(line) > 0 {
		n, err := syscall.Write(c.in, line)
		if err != nil && err != syscall.EINTR {
			c.tb.Fatalf("write to the server: %v", err)
		}
		line = line[max(n, 0):]
	}
}

// readLine reads one line; nothing can follow it, as one call is in flight.
func (c *client) readLine() []byte {
	c.tb.Helper()
	for have := 0; ; {
		if have == len(c.line) {
			c.tb.Fatalf("the answer is longer than %d bytes: %.200s", have, c.line)
		}
		n, err := syscall.Read(c.out, c.line[have:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			c.tb.Fatalf("read from the server: %d bytes, %v", n, err)
		}
		have += n
		if c.line[have-1] == '\n' {
			return c.line[:have]
		}
	}
}

// execute runs a command to its end and returns the result's text.
func (c *client) execute(command string) (text string, took time.Duration) {
	c.tb.Helper()
	answer, took := c.call("execute", `{"command":`+quote(command)+`}`)
	text = resultText(c.tb, answer)
	if !strings.HasPrefix(text, "completed ") || field(c.tb, text, "exit_code") != "0" {
		c.tb.Fatalf("%s: %.500s", command, text)
	}
	return text, took
}

// background starts a command that goes on and returns the result's text.
func (c *client) background(command string) string {
	c.tb.Helper()
	answer, _ := c.call("execute", `{"yield_ms":0,"command":`+quote(command)+`}`)
	return resultText(c.tb, answer)
}

func resultText(tb testing.TB, answer []byte) string {
	tb.Helper()
	var m struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal(answer, &m); err != nil || len(m.Result.Content) != 1 {
		tb.Fatalf("no result with one text (%v): %.500s", err, answer)
	}
	return m.Result.Content[0].Text
}

// field returns the value of a name=value pair of the first line of a text.
func field(tb testing.TB, text, name string) string {
	tb.Helper()
	first, _, _ := strings.Cut(text, "\n")
	for pair := range strings.FieldsSeq(first) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	tb.Fatalf("no %s in %.200s", name, text)
	return ""
}

// below returns what follows the first line of a text.
func below(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}
