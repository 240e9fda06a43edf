package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"whelk/internal/nearest"
)

// mostTests is how many tests a rule may have: they all run at every start.
const mostTests = 100

// ParseDocument reads a policy in YAML. name is the file's, for messages; the
// lines of text are those of the file. Every fault is reported, each with its
// line; an unknown key is a fault. Whether entries, patterns and tests are good
// is found out by [New].
func ParseDocument(text []byte, name string) (Document, error) {
	d := Document{Name: name}
	root, err := parseYAML(string(text))
	if err != nil {
		return Document{}, located(name, err)
	}
	if root == nil {
		return Document{}, fmt.Errorf("%s: the policy is empty: leave it out, or give it a rule", first(name, "policy"))
	}
	if err := d.read(root); err != nil {
		return Document{}, located(name, err)
	}
	return d, nil
}

// located writes faults with their file.
func located(name string, err error) error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var faults []error
		for _, e := range joined.Unwrap() {
			faults = append(faults, located(name, e))
		}
		return errors.Join(faults...)
	}
	if fault := (*yamlFault)(nil); errors.As(err, &fault) {
		return fmt.Errorf("%s: %w", sourceOf(name, fault.line), fault.err)
	}
	return fmt.Errorf("%s: %w", first(name, "policy"), err)
}

// reader reads the value of one key.
type reader func(n ast.Node) error

// readMapping gives each value to the reader of its key, and collects faults.
func readMapping(n ast.Node, what string, readers map[string]reader) error {
	entries, err := pairsOf(n, what)
	if err != nil {
		return err
	}
	var faults []error
	seen := map[string]bool{}
	for _, entry := range entries {
		key := entry.Key.GetToken().Value
		read, ok := readers[key]
		switch {
		case !ok:
			faults = append(faults, unknownKey(entry, key, what, readers))
		case seen[key]:
			faults = append(faults, faultAt(entry.Key, "%s has the key %q twice", what, key))
		default:
			seen[key] = true
			if err := read(entry.Value); err != nil {
				faults = append(faults, flat(err)...)
			}
		}
	}
	return errors.Join(faults...)
}

// flat returns the errors that one is made of.
func flat(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

func unknownKey(entry *ast.MappingValueNode, key, what string, readers map[string]reader) error {
	var names []string
	for name := range readers {
		names = append(names, name)
	}
	slices.Sort(names)
	if near := nearest.Name(strings.ReplaceAll(key, "-", "_"), names); near != "" {
		return faultAt(entry.Key, "%s has no key %q; did you mean %s?", what, shown(key), near)
	}
	return faultAt(entry.Key, "%s has no key %q: its keys are %s", what, shown(key), strings.Join(names, ", "))
}

// readText, readTexts and those below make readers of the usual kinds of values.
func readText(what string, into *string) reader {
	return func(n ast.Node) (err error) {
		*into, err = scalarOf(n, what)
		if err == nil && *into == "" {
			return faultAt(n, "%s is empty: give it a value, or leave it out", what)
		}
		return err
	}
}

func readTexts(what string, into *[]string) reader {
	return func(n ast.Node) (err error) {
		*into, err = listOf(n, what)
		if err == nil && len(*into) == 0 {
			return faultAt(n, "%s has no entry: give it one, or leave it out", what)
		}
		return err
	}
}

func readSome(what string, into *[]string) reader {
	return func(n ast.Node) (err error) {
		*into, err = oneOrMore(n, what)
		if err == nil && (len(*into) == 0 || slices.Contains(*into, "")) {
			return faultAt(n, "%s has an empty entry: give it a value, or leave it out", what)
		}
		return err
	}
}

func readEffects(what string, into *[]Effect) reader {
	return func(n ast.Node) error {
		names, err := oneOrMore(n, what)
		if err != nil {
			return err
		}
		*into = []Effect{}
		for _, name := range names {
			e, err := ParseEffect(name)
			if err != nil {
				return faultAt(n, "%s: %w", what, err)
			}
			*into = append(*into, e)
		}
		return nil
	}
}

func readDecision(what string, into *Decision, given *bool) reader {
	return func(n ast.Node) error {
		name, err := scalarOf(n, what)
		if err != nil {
			return err
		}
		if *into, err = ParseDecision(name); err != nil {
			return faultAt(n, "%s: %w", what, err)
		}
		*given = true
		return nil
	}
}

// read reads the whole policy.
func (d *Document) read(root ast.Node) error {
	mode := ""
	err := readMapping(root, "the policy", map[string]reader{
		"rules": d.readRules, "allow": readTexts("allow", &d.Allow), "deny": readTexts("deny", &d.Deny),
		"allow_regex": readText("allow_regex", &d.AllowRegex), "deny_regex": readText("deny_regex", &d.DenyRegex),
		"on_unknown": readText("on_unknown", &d.OnUnknown), "inline_code": readText("inline_code", &d.OnInlineCode),
		"side_effects": readText("side_effects", &mode), "blocked_side_effects": readEffects("blocked_side_effects", &d.Blocked),
		"roots": readTexts("roots", &d.Roots), "protected": readTexts("protected", &d.Protected),
	})
	d.SideEffects = Mode(mode)
	return err
}

func (d *Document) readRules(n ast.Node) error {
	sequence, ok := n.(*ast.SequenceNode)
	if !ok {
		return faultAt(n, "rules takes a list: write - before each rule")
	}
	var faults []error
	names := map[string]bool{}
	for _, item := range sequence.Values {
		r, err := readRule(item)
		if err != nil {
			faults = append(faults, flat(err)...)
			continue
		}
		if names[r.Name] {
			faults = append(faults, faultAt(item, "two rules are named %q: messages name the rule, so give each a name of its own", shown(r.Name)))
		}
		names[r.Name] = true
		d.Rules = append(d.Rules, r)
	}
	return errors.Join(faults...)
}

func readRule(n ast.Node) (Rule, error) {
	r := Rule{Line: lineOf(n)}
	decided, matched := false, false
	err := readMapping(n, "a rule", map[string]reader{
		"name": readText("name", &r.Name), "decision": readDecision("decision", &r.Decision, &decided),
		"reason": readText("reason", &r.Reason), "suggest": readText("suggest", &r.Suggest),
		"match": func(n ast.Node) error { matched = true; return r.Match.read(n) },
		"tests": func(n ast.Node) (err error) { r.Tests, err = readTests(n); return err },
	})
	switch {
	case err != nil:
		return r, err
	case r.Name == "":
		return r, faultAt(n, "a rule has no name: messages name the rule that decided")
	case !decided:
		return r, faultAt(n, "the rule %q has no decision: write allow, ask or deny", shown(r.Name))
	case !matched:
		return r, faultAt(n, "the rule %q has no match: say what it is about", shown(r.Name))
	}
	return r, nil
}

func (c *Conditions) read(n ast.Node) error {
	return readMapping(n, "match", map[string]reader{
		"name": readSome("name", &c.Name), "argv": readTexts("argv", &c.Argv), "flags": readSome("flags", &c.Flags),
		"path": readSome("path", &c.Path), "redirect": readSome("redirect", &c.Redirect), "cwd": readSome("cwd", &c.Cwd),
		"side_effect": readEffects("side_effect", &c.SideEffect), "raw": readText("raw", &c.Raw),
	})
}

func readTests(n ast.Node) ([]Test, error) {
	sequence, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, faultAt(n, "tests takes a list: write - before each test")
	}
	if len(sequence.Values) > mostTests {
		return nil, faultAt(n, "a rule has more than %d tests", mostTests)
	}
	var tests []Test
	for _, item := range sequence.Values {
		t := Test{Line: lineOf(item)}
		decided, commanded := false, false
		err := readMapping(item, "a test", map[string]reader{
			"command":  func(n ast.Node) (err error) { commanded = true; t.Command, err = scalarOf(n, "command"); return err },
			"argv":     readTexts("argv", &t.Argv),
			"cwd":      readText("cwd", &t.Cwd),
			"decision": readDecision("decision", &t.Decision, &decided),
		})
		switch {
		case err != nil:
			return nil, err
		case commanded == (len(t.Argv) > 0):
			return nil, faultAt(item, "a test takes either command or argv")
		case !decided:
			return nil, faultAt(item, "a test has no decision: write the one that is expected")
		case t.Cwd != "" && !path.IsAbs(t.Cwd):
			return nil, faultAt(item, "the cwd of a test is an absolute directory, not %q", shown(t.Cwd))
		}
		tests = append(tests, t)
	}
	return tests, nil
}
