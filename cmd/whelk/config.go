package main

import (
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"whelk/internal/config"
)

func newConfig() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the effective configuration, each value with its origin",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, values, err := config.Load(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			for _, warning := range config.Warnings(os.Environ()) {
				fmt.Fprintln(os.Stderr, "whelk: warning:", warning)
			}
			if asJSON {
				return printConfigJSON(cmd, values)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, v := range values {
				fmt.Fprintf(w, "%s\t%q\t%s\n", v.Option, v.Text, v.Origin)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON object: option → value and origin")
	config.AddFlags(cmd.Flags())
	return cmd
}

func printConfigJSON(cmd *cobra.Command, values []config.Value) error {
	type shown struct {
		Value  string `json:"value"`
		Origin string `json:"origin"`
	}
	all := make(map[string]shown, len(values))
	for _, v := range values {
		all[v.Option] = shown{v.Text, v.Origin}
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), string(b))
	return err
}
