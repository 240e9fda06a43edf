package bench

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// inFlight is how many calls a loaded server has at once.
const inFlight = 16

// overHTTP measures a call over HTTP against the same call of the same program
// over standard input and output: one after the other, and many at once.
func overHTTP(tool, arguments string) func(load) metrics {
	return func(l load) metrics {
		site := serveHTTP(l, l.path("whelk"))
		stdio := l.whelk(l)
		var took [2][]time.Duration
		var loaded [2][]float64 // calls a second
		for l.next() {
			for range l.n {
				_, d := stdio.call(tool, arguments)
				took[0] = append(took[0], d)
				took[1] = append(took[1], site.call(tool, arguments))
			}
			loaded[0] = append(loaded[0], stdio.burst(l.n, tool, arguments))
			loaded[1] = append(loaded[1], site.burst(l.n, tool, arguments))
		}
		m := against("p50", quantileOf(took[0], p50), quantileOf(took[1], p50))
		m["p99-µs"], m["p99-limit-µs"] = micros(quantileOf(took[1], p99)), micros(quantileOf(took[0], p99))
		m["calls/s"], m["limit-calls/s"] = middle(loaded[1]), middle(loaded[0])
		return m
	}
}

// middle is the median.
func middle(rates []float64) float64 { return slices.Sorted(slices.Values(rates))[len(rates)/2] }

// p99 is for the call that is unlucky.
const p99 = 0.99

// site is a program that serves over HTTP, and a session with it.
type site struct {
	tb      testing.TB
	url     string
	session string
	client  *http.Client
	id      atomic.Int64
}

// serveHTTP starts the program on a free port; it ends with the test.
func serveHTTP(tb testing.TB, path string) *site {
	tb.Helper()
	cmd := exec.Command(path, "--transport", "http", "--listen", "127.0.0.1:0", "--auth", "none", "--state-dir", tb.TempDir())
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			tb.Errorf("the server's end: %v", err)
		}
	})
	s := &site{tb: tb, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: inFlight}}}
	for lines := bufio.NewScanner(stderr); s.url == "" && lines.Scan(); {
		_, s.url, _ = strings.Cut(lines.Text(), "serves MCP at ")
	}
	if s.url == "" {
		tb.Fatal("the server does not say where it serves")
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }() // ends with the server
	s.session = s.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`).Get("Mcp-Session-Id")
	s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// post sends a message, reads its whole answer and returns the answer's head.
func (s *site) post(message string) http.Header {
	request, err := http.NewRequestWithContext(s.tb.Context(), http.MethodPost, s.url, strings.NewReader(message))
	if err != nil {
		s.tb.Error(err)
		return nil
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if s.session != "" {
		request.Header.Set("Mcp-Session-Id", s.session)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		s.tb.Error(err)
		return nil
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= http.StatusBadRequest || bytes.Contains(body, []byte(`"isError":true`)) {
		s.tb.Errorf("%s is answered by %s %.500s (%v)", message, answer.Status, body, err)
	}
	return answer.Header
}

func (s *site) call(tool, arguments string) (took time.Duration) {
	began := time.Now()
	s.post(toolCall(int(s.id.Add(1)), tool, arguments))
	return time.Since(began)
}

// burst makes n calls, many at once, and returns how many a second were answered.
func (s *site) burst(n int, tool, arguments string) float64 {
	began := time.Now()
	left := make(chan struct{}, n)
	for range n {
		left <- struct{}{}
	}
	close(left)
	var callers sync.WaitGroup
	for range inFlight {
		callers.Go(func() {
			for range left {
				s.call(tool, arguments)
			}
		})
	}
	callers.Wait()
	return float64(n) / time.Since(began).Seconds()
}

func toolCall(id int, tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + itoa(id) + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

// burst makes n calls, keeping many in flight, and returns how many a second were
// answered.
func (c *client) burst(n int, tool, arguments string) float64 {
	c.tb.Helper()
	began := time.Now()
	answers := bufio.NewReaderSize(descriptor(c.out), 1<<20)
	for sent, answered := 0, 0; answered < n; {
		for sent < n && sent-answered < inFlight {
			c.id++
			sent++
			c.write([]byte(toolCall(c.id, tool, arguments) + "\n"))
		}
		line, err := answers.ReadBytes('\n')
		if err != nil || !bytes.Contains(line, []byte(`"result":`)) {
			c.tb.Fatalf("a call is answered by %.500s (%v)", line, err)
		}
		answered++
	}
	return float64(n) / time.Since(began).Seconds()
}

// descriptor reads a file descriptor that somebody else closes.
type descriptor int

func (d descriptor) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(d), p)
		switch {
		case err == syscall.EINTR:
		case err == nil && n == 0:
			return 0, io.EOF
		default:
			return max(n, 0), err
		}
	}
}
