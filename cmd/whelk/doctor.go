package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"whelk/internal/config"
	"whelk/internal/doctor"
)

func newDoctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what this machine can enforce, what is wrong, and how to mend it",
		Long:  "doctor tries what the server relies on. The exit code is 1 if something that the server promises does not hold here.",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, err := config.Load(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			results, err := doctor.Run(c.Shell)
			if err != nil {
				return err
			}
			if err := printFindings(cmd, results, asJSON); err != nil {
				return err
			}
			for _, r := range results {
				if r.Status == doctor.Problem {
					return errSilent
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	config.AddFlags(cmd.Flags())
	return cmd
}

func printFindings(cmd *cobra.Command, results []doctor.Result, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		b, err := json.MarshalIndent(results, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, string(b))
		return err
	}
	for _, r := range results {
		fmt.Fprintf(out, "%-8s %-14s %s\n", r.Status, r.Name, r.Detail)
		if r.Fix != "" {
			fmt.Fprintf(out, "%23s %s\n", "→", r.Fix)
		}
	}
	return nil
}
