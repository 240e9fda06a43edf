package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// reportProgress returns middleware that tells the client, at every interval of
// the tool, that a call it gave a progress token for is alive. Some clients end
// calls that stay silent. The last notification is written before the call
// returns, so none can follow the result.
func (o Options) reportProgress() mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			call, ok := req.(*mcp.CallToolRequest)
			if !ok {
				return next(ctx, method, req)
			}
			interval := o.progressInterval(call.Params.Name)
			if interval < 0 {
				return next(ctx, method, req)
			}
			token := call.Params.GetProgressToken()
			switch token.(type) {
			case string, float64: // what the protocol allows, decoded
			default:
				return next(ctx, method, req)
			}
			done := make(chan struct{})
			var reporter sync.WaitGroup
			reporter.Go(func() { notifyProgress(ctx, call, token, interval, done) })
			defer reporter.Wait()
			defer close(done)
			return next(ctx, method, req)
		}
	}
}

// progressInterval is the time between two notifications for a tool; negative
// is none.
func (o Options) progressInterval(tool string) time.Duration {
	if interval := o.ProgressIntervals[tool]; interval != 0 {
		return interval
	}
	return o.ProgressInterval
}

// notifyProgress reports the seconds elapsed until done is closed, ctx is
// done, or the client cannot be told.
func notifyProgress(ctx context.Context, call *mcp.CallToolRequest, token any, interval time.Duration, done <-chan struct{}) {
	start := time.Now()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if isClosed(done) {
			return // select chooses at random when both are ready
		}
		elapsed := time.Since(start)
		err := call.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token,
			Progress:      elapsed.Seconds(),
			Message:       fmt.Sprintf("%s: %d s", call.Params.Name, int(elapsed.Seconds())),
		})
		if err != nil {
			return
		}
	}
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
