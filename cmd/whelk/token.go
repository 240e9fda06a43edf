package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"whelk/internal/auth"
	"whelk/internal/config"
)

func newToken() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke the bearer tokens that callers over HTTP show",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("%q is no verb of whelk token; see `whelk token --help`", args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			return usagef("write what to do: whelk token add|list|revoke; see `whelk token --help`")
		},
	}
	cmd.AddCommand(newTokenAdd(), newTokenList(), newTokenRevoke())
	return cmd
}

// oneArgument is the argument that a verb of whelk token takes.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("write one %s: %s %s", what, cmd.CommandPath(), what)
		}
		return nil
	}
}

// addStateFlags adds the options that say where the tokens are, and no others:
// the names of some are those of flags here.
func addStateFlags(cmd *cobra.Command) {
	config.AddFlags(cmd.Flags(), "state-dir", "config")
}

// tokenStore returns the store that the options name.
func tokenStore(cmd *cobra.Command) (auth.Store, error) {
	c, _, err := config.Load(cmd.Flags(), os.Environ())
	if err != nil {
		return auth.Store{}, err
	}
	return auth.NewStore(c.StateDir), nil
}

func newTokenAdd() *cobra.Command {
	var t auth.Token
	var expires time.Duration
	var tools []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Make a token for a principal, and show it this once",
		Long: "add writes the token alone to standard output: it is kept nowhere and cannot be shown again. The name is the\n" +
			"principal's: executions of one principal do not exist for another. A running server takes the token at once.",
		Example: "  whelk token add ci --expires 720h --max-executions 4\n" +
			"  whelk token add reviewer --tools native --policy /etc/whelk/reviewer.yaml",
		Args: oneArgument("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t.Name = args[0]
			if cmd.Flags().Changed("expires") {
				if expires <= 0 {
					return usagef("--expires takes a duration from now, such as 720h, not %v", expires)
				}
				t.Expires = time.Now().Add(expires)
			}
			if cmd.Flags().Changed("tools") {
				t.Tools = append([]string{}, tools...)
			}
			if err := checkToken(&t); err != nil {
				return err
			}
			store, err := tokenStore(cmd)
			if err != nil {
				return err
			}
			return addToken(cmd.OutOrStdout(), store, t, asJSON)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&expires, "expires", 0, "`duration` for which it is valid, such as 720h; without, it is valid until revoked")
	f.StringSliceVar(&tools, "tools", nil, "tool `sets` that it may use, with commas between them; without, all that are served")
	f.StringVar(&t.Policy, "policy", "", "policy `file` that restricts the server's own policy further")
	f.IntVar(&t.MaxExecutions, "max-executions", 0, "most executions alive at once in a tool set; 0 is the server's limit alone")
	f.BoolVar(&asJSON, "json", false, "as a JSON object, the token among its fields")
	addStateFlags(cmd)
	return cmd
}

// checkToken completes what was asked for and finds its faults before anything is
// written.
func checkToken(t *auth.Token) error {
	sets := []string{config.ToolsNative, config.ToolsYieldShell, config.ToolsTabShell, config.ToolsMCPShell}
	for _, set := range t.Tools {
		if !slices.Contains(sets, set) {
			return usagef("there is no tool set %q: they are %s", set, strings.Join(sets, ", "))
		}
	}
	if t.Policy != "" {
		path, err := filepath.Abs(t.Policy)
		if err != nil {
			return err
		}
		t.Policy = path
		_, warnings, err := auth.LoadPolicy(path, policyBase())
		if err != nil {
			return &policyError{err}
		}
		for _, w := range warnings {
			fmt.Fprintln(os.Stderr, "whelk: warning:", w)
		}
	}
	if err := t.Check(); err != nil {
		return &usageError{err}
	}
	return nil
}

// addToken makes a token and shows it. One that could not be shown is taken
// back: nobody has it.
func addToken(out io.Writer, store auth.Store, t auth.Token, asJSON bool) error {
	t, secret, err := store.Add(t)
	if err != nil {
		return err
	}
	text := []byte(secret)
	if asJSON {
		text, err = json.MarshalIndent(struct {
			auth.Token
			Secret string `json:"token"`
		}{t, secret}, "", "  ")
	}
	if err == nil {
		_, err = out.Write(append(text, '\n'))
	}
	if err != nil {
		_, revoking := store.Revoke(t.ID)
		return errors.Join(fmt.Errorf("the token could not be shown and is revoked: %w", err), revoking)
	}
	if !asJSON {
		fmt.Fprintf(os.Stderr, "This token of %s is shown only now; whelk token revoke %s takes it back.\n", t.Name, t.Name)
	}
	return nil
}

func newTokenList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show all tokens, without what would let anybody use them",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := tokenStore(cmd)
			if err != nil {
				return err
			}
			tokens, err := store.List()
			if err != nil {
				return err
			}
			if asJSON {
				return printTokensJSON(cmd.OutOrStdout(), tokens)
			}
			return printTokens(cmd.OutOrStdout(), tokens)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	addStateFlags(cmd)
	return cmd
}

func printTokensJSON(out io.Writer, tokens []auth.Token) error {
	text, err := json.MarshalIndent(tokens, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, string(text))
	return err
}

func printTokens(out io.Writer, tokens []auth.Token) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tID\tCREATED\tEXPIRES\tTOOLS\tMAX-EXECUTIONS\tPOLICY")
	for _, t := range tokens {
		expires, tools, most, restriction := "never", "all", "-", "-"
		if !t.Expires.IsZero() {
			expires = t.Expires.Format(time.RFC3339)
		}
		if !t.Expires.IsZero() && !time.Now().Before(t.Expires) {
			expires += " (over)"
		}
		if len(t.Tools) > 0 {
			tools = strings.Join(t.Tools, ",")
		}
		if t.MaxExecutions > 0 {
			most = strconv.Itoa(t.MaxExecutions)
		}
		if t.Policy != "" {
			restriction = t.Policy
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.Name, t.ID, t.Created.Format(time.RFC3339), expires, tools, most, restriction)
	}
	return w.Flush()
}

func newTokenRevoke() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "revoke NAME|ID",
		Short: "Take a token back: running servers refuse it from the next request on",
		Long: "revoke takes a token back. Commands that its principal has started go on until they end or the server does;\n" +
			"nobody can address them any more.",
		Args: oneArgument("NAME|ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := tokenStore(cmd)
			if err != nil {
				return err
			}
			t, err := store.Revoke(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "revoked %s (%s)\n", t.Name, t.ID)
			return err
		},
	}
	addStateFlags(cmd)
	return cmd
}
