package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"whelk/internal/nearest"
	"whelk/internal/yamlfile"
)

// policyKey is the section of the file that is no option: package policy reads it.
const policyKey = "policy"

// parseFile reads the text of the file at path, an absolute path. Faults are in the
// order of their lines, but a text that is no YAML has only its first.
func parseFile(path string, text []byte) *file {
	f := &file{path: path, settings: map[string]setting{}}
	clean, line, err := yamlfile.Clean(text)
	if err != nil {
		f.fault(line, "%s", err)
		return f
	}
	root, line, err := yamlfile.Parse(clean)
	switch {
	case err != nil:
		f.fault(line, "%s", err)
	case root == nil: // nothing, or comments alone
	default:
		d := &document{file: f, text: clean, keys: fileKeys()}
		d.top(root)
	}
	return f
}

// fault notes what is wrong with the file, at a line from 1.
func (f *file) fault(line int, format string, args ...any) {
	f.faults = append(f.faults, &Error{Origin: f.at(line), Reason: fmt.Sprintf(format, args...)})
}

// at is the origin of what stands in a line.
func (f *file) at(line int) string { return fmt.Sprintf("file %s:%d", f.path, line) }

// document reads the tree of a file into its settings.
type document struct {
	file *file
	text string
	keys map[string]Option // by the spelling in a file
}

// fileKeys returns the options that a file may set. It cannot name another file.
func fileKeys() map[string]Option {
	keys := map[string]Option{}
	for _, o := range Options() {
		if o.Name != configOption {
			keys[o.FileKey()] = o
		}
	}
	return keys
}

func (d *document) top(root ast.Node) {
	entries, ok := yamlfile.Pairs(root)
	if !ok {
		d.file.fault(yamlfile.Line(root), "a configuration is a mapping from options to values, such as yield: 30s")
		return
	}
	for i, entry := range entries {
		if yamlfile.Key(entry) == policyKey {
			d.policy(entries, i)
			continue
		}
		d.entry("", entry)
	}
}

// entry reads one key and its value. The keys around it, joined, are the prefix.
func (d *document) entry(prefix string, entry *ast.MappingValueNode) {
	key, line := prefix+yamlfile.Key(entry), yamlfile.Line(entry.Key)
	inner, isMapping := yamlfile.Pairs(entry.Value)
	option, known := d.keys[key]
	switch {
	case isMapping && d.isGroup(key):
		for _, e := range inner {
			d.entry(key+"_", e)
		}
	case isMapping && known:
		d.file.fault(line, "%s takes %s, not a mapping", key, expected(option))
	case known:
		d.option(key, option, line, entry.Value)
	case d.isGroup(key):
		d.file.fault(line, "%s is no option but the beginning of some; write the rest of their names in a mapping", key)
	default:
		d.unknown(key, line)
	}
}

// isGroup reports whether options begin with key, so that it may hold a mapping of
// the rest of their names.
func (d *document) isGroup(key string) bool {
	for name := range d.keys {
		if strings.HasPrefix(name, key+"_") {
			return true
		}
	}
	return false
}

func (d *document) unknown(key string, line int) {
	names := make([]string, 0, len(d.keys)+1)
	for _, o := range Options() { // in a fixed order, for names that are equally near
		if _, ok := d.keys[o.FileKey()]; ok {
			names = append(names, o.FileKey())
		}
	}
	hint := ""
	switch near := nearest.Name(key, append(names, policyKey)); {
	case key == configOption:
		hint = "; a file cannot name another one"
	case near != "":
		hint = "; did you mean " + near + "?"
	}
	d.file.fault(line, "there is no option %s%s", shown(key), hint)
}

// option reads the value of an option; the reader of its texts comes later, the same
// as for flags.
func (d *document) option(key string, o Option, line int, value ast.Node) {
	if earlier, twice := d.file.settings[o.Name]; twice {
		d.file.fault(line, "%s is set already, by %s; leave one of them", key, earlier.origin)
		return
	}
	items, isList := yamlfile.List(value)
	switch {
	case yamlfile.IsNull(value):
		d.file.fault(line, "%s has no value; write %s, or take the line out", key, expected(o))
		return
	case isList != o.Repeated:
		d.file.fault(line, "%s takes %s", key, expected(o))
		return
	case !isList:
		items = []ast.Node{value}
	}
	s := setting{origin: d.file.at(line)}
	for _, item := range items {
		text, ok := yamlfile.Scalar(item)
		if !ok {
			d.file.fault(yamlfile.Line(item), "an entry of %s is a text (%s); put it in quotes if it looks like something else", key, o.Kind)
			continue
		}
		s.entries = append(s.entries, entry{text: text, origin: d.file.at(yamlfile.Line(item))})
	}
	d.file.settings[o.Name] = s
}

// expected says what form the value of an option has.
func expected(o Option) string {
	if o.Repeated {
		return "a list of texts (" + o.Kind + "), such as [one, two]"
	}
	return "one value (" + o.Kind + ")"
}

// policy keeps the section as it is written.
func (d *document) policy(entries []*ast.MappingValueNode, i int) {
	value, line := entries[i].Value, yamlfile.Line(entries[i].Key)
	if _, ok := yamlfile.Pairs(value); !ok {
		d.file.fault(line, "%s takes a mapping, such as rules: [...]", policyKey)
		return
	}
	end := len(d.text)
	if i+1 < len(entries) {
		end = lineStart(d.text, yamlfile.Line(entries[i+1].Key))
	}
	d.file.policy = section(d.text, value, end)
	d.file.section = d.file.at(line)
}
