package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// tree is the Go code of a module.
type tree struct {
	fset  *token.FileSet
	files []*source
}

// source is one parsed file.
type source struct {
	path   string // from the root of the module, with slashes
	pkg    string // its package as the map names it: the directory without internal/
	test   bool
	syntax *ast.File
}

// fault says where a rule is broken and how.
func (t tree) fault(at token.Pos, format string, args ...any) string {
	p := t.fset.Position(at)
	return fmt.Sprintf("%s:%d: ", p.Filename, p.Line) + fmt.Sprintf(format, args...)
}

// code returns the files that are no tests.
func (t tree) code() []*source {
	var code []*source
	for _, f := range t.files {
		if !f.test {
			code = append(code, f)
		}
	}
	return code
}

// root is the module's directory as seen from this package's.
func root() fs.FS { return os.DirFS("../..") }

// house parses the module that this package is part of.
func house(t *testing.T) tree {
	t.Helper()
	return parse(t, root())
}

// parse reads all Go files of a module, except for nested modules and what the
// go command ignores too.
func parse(t *testing.T, files fs.FS) tree {
	t.Helper()
	all := tree{fset: token.NewFileSet()}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(files, name)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(all.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all.files = append(all.files, &source{
			path: name, pkg: short(path.Dir(name)), test: strings.HasSuffix(name, "_test.go"), syntax: syntax,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.files) == 0 {
		t.Fatal("no Go files: the rules would hold of nothing")
	}
	return all
}

// enter decides whether a directory belongs to the module.
func enter(files fs.FS, dir string) error {
	base := path.Base(dir)
	if dir == "." {
		return nil
	}
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(files, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// short is a directory as the map names it.
func short(dir string) string { return strings.TrimPrefix(dir, "internal/") }

// report fails the test with every fault.
func report(t *testing.T, faults []string) {
	t.Helper()
	for _, fault := range faults {
		t.Error(fault)
	}
}
