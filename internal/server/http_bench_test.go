package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkHTTPCall measures a tool call over the loopback, in both eras, one
// after another and 16 at a time, next to a handler that only reads the body
// and answers. The client is part of what is measured.
func BenchmarkHTTPCall(b *testing.B) {
	for _, size := range []int{0, 20_000} {
		text := plainText(size)
		give := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return textResult(text), nil }
		s := serve(b, HTTPOptions{Options: Options{Tools: tools(map[string]tool{"text": give})}})
		session := s.initialize()
		limit := limitSite(b, text)
		kinds := []struct {
			name    string
			site    *site
			request func() *http.Request
		}{
			{"limit", limit, func() *http.Request { return limit.request("", callLine("1", "text", "{}"), nil) }},
			{"session", s, nil},
			{"alone", s, func() *http.Request { return s.aloneRequest("1", "text", "{}") }},
		}
		for _, kind := range kinds {
			for _, parallel := range []int{1, 16} {
				b.Run(fmt.Sprintf("%s/%d/%d", kind.name, size, parallel), func(b *testing.B) {
					benchmarkRequests(b, kind.site, parallel, func(worker int) *http.Request {
						if kind.request != nil {
							return kind.request()
						}
						return s.request(session, callLine(fmt.Sprint(worker), "text", "{}"), nil)
					})
				})
			}
		}
	}
}

func limitSite(b *testing.B, text string) *site {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	event := "event: message\ndata: " + textAnswer("1", text) + "\n\n"
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, event)
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	b.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	return &site{t: b, url: "http://" + l.Addr().String() + PathMCP, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
}

func benchmarkRequests(b *testing.B, s *site, parallel int, request func(worker int) *http.Request) {
	b.ReportAllocs()
	var mu sync.Mutex
	var all []time.Duration
	var workers sync.WaitGroup
	todo := make(chan struct{}, parallel)
	for worker := range parallel {
		workers.Go(func() {
			var took []time.Duration
			for range todo {
				r := request(worker)
				start := time.Now()
				response, err := s.client.Do(r)
				if err != nil {
					b.Error(err)
					continue
				}
				body, _ := io.ReadAll(response.Body)
				response.Body.Close()
				took = append(took, time.Since(start))
				if !strings.Contains(string(body), `"result"`) {
					b.Errorf("answered %.200s", body)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	for b.Loop() {
		todo <- struct{}{}
	}
	close(todo)
	workers.Wait()
	b.StopTimer()
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds())/1e3, "p99-µs")
	b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "calls/s")
}
