//go:build conformance

// Command conformance is a server for the official conformance suite: the test
// tools, prompts and resources of the SDK's own conformance server, behind the
// very stack that serves the product's tools. It is built by
// scripts/conformance.sh alone, which takes the test tools from the version of
// the SDK that go.mod names, and is no part of the product.
//
// Invariant. What it adds to the stack are features that a server of commands
// has no use for; it changes nothing of how a request is served.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"whelk/internal/server"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves on an address until SIGTERM, and prints the address that it got.
// Pages of the address itself may call: the suite sends their Origin.
func run(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	o := server.HTTPOptions{
		Options: server.Options{
			Name: "whelk-conformance", Version: "1",
			Adjust: addFeatures,
			Tools: []func(*mcp.Server){registerTools, registerResources, registerPrompts, func(s *mcp.Server) {
				go watchedResourceUpdater(ctx, s) // ends with the process
			}},
		},
	}
	l, err := server.Listen(ctx, address, o)
	if err != nil {
		return err
	}
	o.Listeners = []net.Listener{l}
	o.AllowedOrigins = []string{"http://" + l.Addr().String()}
	fmt.Fprintln(os.Stdout, l.Addr())
	return server.ServeHTTP(ctx, o)
}

// addFeatures leaves it to the SDK which capabilities to declare.
func addFeatures(o *mcp.ServerOptions) {
	o.Capabilities = nil
	o.CompletionHandler = completionHandler
	o.SubscribeHandler = subscribeHandler
	o.UnsubscribeHandler = unsubscribeHandler
}
