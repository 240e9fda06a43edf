package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"whelk/internal/nearest"
)

// policyKey is the section of the file that is no option: package policy reads it.
const policyKey = "policy"

// parseFile reads the text of the file at path, an absolute path. Faults are in the
// order of their lines, but a text that is no YAML has only its first.
func parseFile(path string, text []byte) *file {
	f := &file{path: path, settings: map[string]setting{}}
	if at := invalidUTF8(text); at >= 0 {
		f.fault(1+bytes.Count(text[:at], []byte("\n")), "a byte is not UTF-8; save the file in that encoding")
		return f
	}
	// A mark of the byte order would count as a part of the first key, and a lone
	// carriage return is a line break to YAML, but to nobody who counts lines.
	clean := strings.TrimPrefix(string(text), "\ufeff")
	clean = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(clean)
	root, line, err := parseYAML(clean)
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

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
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
	entries, ok := pairs(root)
	if !ok {
		d.file.fault(lineOf(root), "a configuration is a mapping from options to values, such as yield: 30s")
		return
	}
	for i, entry := range entries {
		if keyText(entry) == policyKey {
			d.policy(entries, i)
			continue
		}
		d.entry("", entry)
	}
}

// entry reads one key and its value. The keys around it, joined, are the prefix.
func (d *document) entry(prefix string, entry *ast.MappingValueNode) {
	key, line := prefix+keyText(entry), lineOf(entry.Key)
	inner, isMapping := pairs(entry.Value)
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
	items, isList := list(value)
	switch {
	case isNull(value):
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
		text, ok := scalar(item)
		if !ok {
			d.file.fault(lineOf(item), "an entry of %s is a text (%s); put it in quotes if it looks like something else", key, o.Kind)
			continue
		}
		s.entries = append(s.entries, entry{text: text, origin: d.file.at(lineOf(item))})
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
	value, line := entries[i].Value, lineOf(entries[i].Key)
	if _, ok := pairs(value); !ok {
		d.file.fault(line, "%s takes a mapping, such as rules: [...]", policyKey)
		return
	}
	end := len(d.text)
	if i+1 < len(entries) {
		end = lineStart(d.text, lineOf(entries[i+1].Key))
	}
	d.file.policy = section(d.text, value, end)
	d.file.section = d.file.at(line)
}
