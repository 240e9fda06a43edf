package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

func newCall() *cobra.Command {
	return &cobra.Command{
		Use:   "call [TOOL [name=value … | '{json}']] [-- FLAGS OF serve]",
		Short: "Start the server as a client would, call one tool, show what the agent would see",
		Long: "call starts a server of its own over standard input and output, calls one tool and prints the result as\n" +
			"an agent would get it. Without a tool it lists the tools. The server ends with the call, and so does a\n" +
			"command that is still running then. The exit code is 1 if the result is an error.",
		Example: "  whelk call execute command='uname -a'\n" +
			"  whelk call execute argv='[\"ls\",\"-l\"]' cwd=/tmp\n" +
			"  whelk call execute '{\"command\":\"sleep 2; echo done\",\"yield_ms\":500}' -- --result structured",
		DisableFlagParsing: false,
		RunE: func(cmd *cobra.Command, args []string) error {
			var flags []string
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, flags = args[:at], args[at:]
			}
			return call(cmd.Context(), args, flags, cmd.OutOrStdout())
		},
	}
}

func call(ctx context.Context, args, serveFlags []string, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program's own file: %w", err)
	}
	server := exec.Command(self, append([]string{"serve"}, serveFlags...)...)
	server.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "whelk-call", Version: version()}, &mcp.ClientOptions{
		ProgressNotificationHandler: showProgress,
		ElicitationHandler:          askAtTerminal,
	})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		if server.ProcessState != nil && server.ProcessState.ExitCode() == 2 {
			return &usageError{errors.New("the server did not start: see its message above")}
		}
		return fmt.Errorf("start the server: %w", err)
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return fmt.Errorf("list the tools: %w", err)
	}
	if len(args) == 0 {
		return printTools(out, tools.Tools)
	}
	arguments, err := callArguments(tools.Tools, args[0], args[1:])
	if err != nil {
		return err
	}
	params := &mcp.CallToolParams{Name: args[0], Arguments: arguments}
	params.SetProgressToken("call")
	result, err := session.CallTool(ctx, params)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, mcp.ErrConnectionClosed):
		return fmt.Errorf("call %s: the server ended before it answered", args[0])
	case err != nil:
		return fmt.Errorf("call %s: %w", args[0], err)
	}
	return printResult(out, result)
}

// showProgress tells somebody at a terminal that a long call is still alive.
func showProgress(_ context.Context, n *mcp.ProgressNotificationClientRequest) {
	if isTerminal(os.Stderr) {
		fmt.Fprintln(os.Stderr, n.Params.Message)
	}
}

// callArguments turns name=value words, or one JSON object, into arguments.
// Values of parameters that are no strings go as they are: the server reads
// numbers, booleans and JSON out of text.
func callArguments(tools []*mcp.Tool, name string, words []string) (json.RawMessage, error) {
	known := func(t *mcp.Tool) bool { return t.Name == name }
	if !slices.ContainsFunc(tools, known) {
		var names []string
		for _, t := range tools {
			names = append(names, t.Name)
		}
		return nil, usagef("there is no tool %q: there are %s", name, strings.Join(names, ", "))
	}
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		if !json.Valid([]byte(words[0])) {
			return nil, usagef("the arguments are no valid JSON: %s", words[0])
		}
		return json.RawMessage(words[0]), nil
	}
	arguments := make(map[string]string, len(words))
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, usagef("%q is no argument: write name=value, or all of them as one JSON object", word)
		}
		if _, twice := arguments[key]; twice {
			return nil, usagef("%s is given twice", key)
		}
		arguments[key] = value
	}
	return json.Marshal(arguments)
}

// printResult prints what an agent would see of a result.
func printResult(out io.Writer, r *mcp.CallToolResult) error {
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			fmt.Fprint(out, text.Text)
			if !strings.HasSuffix(text.Text, "\n") {
				fmt.Fprintln(out)
			}
		}
	}
	if r.StructuredContent != nil {
		b, err := json.MarshalIndent(r.StructuredContent, "", "  ")
		if err != nil {
			return fmt.Errorf("show the structured result: %w", err)
		}
		fmt.Fprintln(out, string(b))
	}
	if r.IsError {
		return errSilent
	}
	return nil
}

func printTools(out io.Writer, tools []*mcp.Tool) error {
	for _, t := range tools {
		fmt.Fprintf(out, "%s: %s\n", t.Name, t.Description)
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return err
		}
		var shape struct {
			Properties map[string]struct{ Type, Description string }
			Required   []string
		}
		if err := json.Unmarshal(schema, &shape); err != nil {
			return err
		}
		names := make([]string, 0, len(shape.Properties))
		for name := range shape.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			p := shape.Properties[name]
			required := ""
			if slices.Contains(shape.Required, name) {
				required = ", required"
			}
			fmt.Fprintf(out, "    %s (%s%s): %s\n", name, p.Type, required, p.Description)
		}
	}
	return nil
}
