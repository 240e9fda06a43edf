package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"whelk/internal/config"
)

func newConfig() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the effective configuration, each value with its origin",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("%q is no verb of whelk config; see `whelk config --help`", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, values, err := config.Load(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			printWarnings(c)
			if asJSON {
				return printConfigJSON(cmd.OutOrStdout(), c, values)
			}
			return printConfig(cmd.OutOrStdout(), c, values)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON object: option → value and origin")
	config.AddFlags(cmd.Flags())
	cmd.AddCommand(newConfigCheck(), newConfigSchema())
	return cmd
}

func newConfigCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check a configuration file and list all its faults",
		Long: "check reads a file as the server would, without flags and variables over it. The exit code is 0 if the\n" +
			"server would start with it, and 2 if it has faults.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("write one file: whelk config check FILE")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := config.Check(args[0])
			if err != nil {
				return err
			}
			if err := checkPolicy(c); err != nil {
				return err
			}
			printWarnings(c)
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has no faults\n", args[0])
			return err
		},
	}
}

func newConfigSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Show the JSON Schema of a configuration file, for editors",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("whelk config schema takes no arguments, not %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			schema, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(schema)
			return err
		},
	}
}

func printWarnings(c *config.Config) {
	for _, warning := range c.Warnings {
		fmt.Fprintln(os.Stderr, "whelk: warning:", warning)
	}
}

// printConfig shows a value in quotes, so that an empty one is seen. The policy
// section has no value that fits in a line.
func printConfig(out io.Writer, c *config.Config, values []config.Value) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range values {
		fmt.Fprintf(w, "%s\t%q\t%s\n", v.Option, v.Text, v.Origin)
	}
	if c.Policy != nil {
		fmt.Fprintf(w, "policy\t(section)\t%s\n", c.PolicyOrigin)
	}
	return w.Flush()
}

func printConfigJSON(out io.Writer, c *config.Config, values []config.Value) error {
	type shown struct {
		Value  string `json:"value"`
		Origin string `json:"origin"`
	}
	all := make(map[string]shown, len(values)+1)
	for _, v := range values {
		all[v.Option] = shown{v.Text, v.Origin}
	}
	if c.Policy != nil {
		all["policy"] = shown{strings.TrimLeft(string(c.Policy), "\n"), c.PolicyOrigin}
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, string(b))
	return err
}
