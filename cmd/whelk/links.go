package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func newInstallLinks() *cobra.Command {
	var names []string
	for _, f := range faces() {
		names = append(names, f.link)
	}
	return &cobra.Command{
		Use:   "install-links DIR",
		Short: "Make links by whose names the program stands in for other servers",
		Long: "install-links makes symbolic links to this program in DIR: " + strings.Join(names, ", ") + ".\n" +
			"Started under such a name, the program serves that server's tools, reads its variables, flags and files, and takes\n" +
			"its defaults. Links that are there already stay; a file of that name that is something else is left alone, and is\n" +
			"an error.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("write one directory: whelk install-links DIR")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find the program's own file: %w", err)
			}
			return installLinks(cmd.OutOrStdout(), self, args[0])
		},
	}
}

// installLinks makes the links that are missing in dir, and says what it did. It
// goes on after one that cannot be made.
func installLinks(out io.Writer, program, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return usagef("%s: %w; make the directory first", dir, withoutPath(err))
	case !info.IsDir():
		return usagef("%s is not a directory", dir)
	}
	var faults []error
	for _, f := range faces() {
		link := filepath.Join(dir, f.link)
		made, err := installLink(program, link)
		switch {
		case err != nil:
			faults = append(faults, err)
		case made:
			fmt.Fprintf(out, "%s -> %s\n", link, program)
		default:
			fmt.Fprintf(out, "%s is there already\n", link)
		}
	}
	return errors.Join(faults...)
}

// installLink makes one link, unless it is there.
func installLink(program, link string) (made bool, err error) {
	err = os.Symlink(program, link)
	if err == nil {
		return true, nil
	}
	if target, readErr := os.Readlink(link); readErr == nil && target == program {
		return false, nil
	}
	if errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("%s is there and is no link to %s: remove it first", link, program)
	}
	return false, fmt.Errorf("make the link %s: %w", link, withoutPath(err))
}

// withoutPath returns what is wrong alone, where the path is named already.
func withoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
