package archtest

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// wall says in which directories or files a library may be imported, or names
// of it used, by code that is no test.
type wall struct {
	path   string   // an import path; what is below it is meant too
	names  []string // the names that are walled in; none means all of it
	places []string
	reason string
}

func houseWalls() []wall {
	return []wall{{
		path:   "github.com/modelcontextprotocol/go-sdk",
		places: []string{"cmd/whelk", "internal/server", "internal/server/conformance", "internal/tools/listing", "internal/tools/mcpshell", "internal/tools/native", "internal/tools/tabshell"},
		reason: "the engine and its leaves know nothing of the protocol",
	}, {
		path:   "github.com/golang-jwt/jwt",
		places: []string{"internal/auth"},
		reason: "who calls is found out in one place",
	}, {
		path:   "golang.org/x/sys",
		places: []string{"cmd/whelk", "internal/execution", "internal/proc"},
		reason: "the kernel is spoken to in one layer",
	}, {
		path:   "mvdan.cc/sh",
		places: []string{"internal/command"},
		reason: "what shell text means is decided in one place",
	}, {
		path:   "github.com/goccy/go-yaml",
		places: []string{"internal/config", "internal/config/seeds", "internal/policy", "internal/yamlfile"},
		reason: "files are read where their words are owned",
	}, {
		path:   "github.com/spf13/pflag",
		places: []string{"cmd/whelk", "internal/config", "internal/config/seeds"},
		reason: "no package below the command line knows where a value came from",
	}, {
		path:   "github.com/spf13/cobra",
		places: []string{"cmd/whelk"},
		reason: "verbs are the command line's alone",
	}, {
		path:   "github.com/rogpeppe/go-internal",
		places: []string{"internal/mcptest"},
		reason: "only tests run scripts",
	}, {
		path:   "os/exec",
		places: []string{"cmd/whelk/call.go", "internal/mcptest"},
		reason: "commands start through proc, which sees to groups, descriptors and zombies",
	}, {
		path: "os", names: []string{"StartProcess"},
		reason: "commands start through proc, which sees to groups, descriptors and zombies",
	}, {
		path: "syscall", names: []string{"ForkExec", "StartProcess"}, places: []string{"internal/proc"},
		reason: "commands start through proc, which sees to groups, descriptors and zombies",
	}, {
		path: "fmt", names: []string{"Print", "Printf", "Println"}, places: []string{"cmd/whelk"},
		reason: "standard output belongs to the protocol",
	}, {
		path: "os", names: []string{"Stdout"}, places: []string{"cmd/whelk", "internal/bench/report/main.go", "internal/server/conformance"},
		reason: "standard output belongs to the protocol",
	}}
}

func TestLibrariesStayBehindTheirWalls(t *testing.T) {
	report(t, wallFaults(house(t), houseWalls()))
}

// wallFaults finds what is used outside of its wall, and third parties that
// have no wall.
func wallFaults(t tree, walls []wall) []string {
	var faults []string
	for _, f := range t.code() {
		for _, spec := range f.syntax.Imports {
			name := unquote(spec.Path.Value)
			walled := false
			for _, w := range walls {
				if len(w.names) > 0 || !below(name, w.path) {
					continue
				}
				walled = true
				if !w.admits(f.path) {
					faults = append(faults, t.fault(spec.Pos(), "%s may not import %s: %s", f.path, name, w.reason))
				}
			}
			if thirdParty(name) && !walled {
				faults = append(faults, t.fault(spec.Pos(), "%s has no wall: say in internal/archtest where it may be used", name))
			}
		}
		faults = append(faults, nameFaults(t, f, walls)...)
	}
	return faults
}

// nameFaults finds walled names, under whatever name their package is imported.
func nameFaults(t tree, f *source, walls []wall) []string {
	imported := make(map[string]string) // path by local name
	for _, spec := range f.syntax.Imports {
		full := unquote(spec.Path.Value)
		local := path.Base(full)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		imported[local] = full
	}
	var faults []string
	for node := range ast.Preorder(f.syntax) {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		pkg, ok := selector.X.(*ast.Ident)
		if !ok {
			continue
		}
		for _, w := range walls {
			if imported[pkg.Name] == w.path && slices.Contains(w.names, selector.Sel.Name) && !w.admits(f.path) {
				faults = append(faults, t.fault(selector.Pos(), "%s.%s is not for this package: %s", w.path, selector.Sel.Name, w.reason))
			}
		}
	}
	return faults
}

// admits tells whether a file stands in one of the wall's places. A place that
// is a directory does not open the directories below it.
func (w wall) admits(file string) bool {
	return slices.Contains(w.places, file) || slices.Contains(w.places, path.Dir(file))
}

// below tells whether an import path is another one or below it.
func below(name, parent string) bool {
	return name == parent || strings.HasPrefix(name, parent+"/")
}

// thirdParty tells whether an import path is neither ours nor the standard
// library's: only the name of a host has a dot.
func thirdParty(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return strings.Contains(first, ".")
}
