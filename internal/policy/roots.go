package policy

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"whelk/internal/command"
)

// CheckRoots returns the directory with its symbolic links resolved, if it is
// one of the roots or in one. No roots is no limit. A relative root or
// directory is resolved against the server's own directory. The check is as
// old as its answer: a link can change before the command starts, and the
// sandbox is the boundary.
func CheckRoots(dir string, roots []string) (string, error) {
	resolved, err := absolute(dir)
	if err != nil {
		return "", err
	}
	if len(roots) == 0 {
		return resolved, nil
	}
	for _, root := range roots {
		r, err := absolute(root)
		if err != nil {
			return "", err
		}
		if below(resolved, r) {
			return resolved, nil
		}
	}
	return "", &RootError{Dir: resolved, Roots: slices.Clone(roots)}
}

// RootError says that a directory is outside of the roots.
type RootError struct {
	Dir   string // resolved
	Roots []string
}

// Error names the directory and the first root.
func (e *RootError) Error() string {
	return fmt.Sprintf("the directory %s is outside of the allowed roots: use one in %s", shown(e.Dir), shown(e.Roots[0]))
}

// absolute makes a path absolute and resolves it as far as it exists.
func absolute(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("a directory is empty")
	}
	if strings.ContainsRune(dir, 0) {
		return "", errors.New("a directory holds a NUL byte")
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("make %s absolute: %w", shown(dir), err)
	}
	return resolve(full), nil
}

// inRoots tells whether a path leads into one of the roots.
func (p *Policy) inRoots(file string) bool {
	return slices.ContainsFunc(p.roots, func(root string) bool { return below(file, root) })
}

// onRoots judges where a command runs and what it writes, as far as its text
// shows it. Files elsewhere that are named in full may be read.
func (p *Policy) onRoots(v *Verdict, r *Request) {
	if r.Input.Dir != "" && !p.inRoots(resolve(r.Input.Dir)) {
		v.add(p.outside(nil, r.Input.Dir, "the command would run outside of the allowed roots"))
	}
	for i := range r.Analysis.Commands {
		c := &r.Analysis.Commands[i]
		if file, reason := p.leaves(c); file != "" {
			v.add(p.outside(c, file, reason))
		}
	}
	for _, t := range p.places.opened(r.Analysis.Redirects, r.Input.Dir, true) {
		if p.escapes(t) {
			v.add(p.outside(nil, t.path, "the redirection writes outside of the allowed roots"))
		}
	}
}

func (p *Policy) outside(c *command.Command, file, reason string) Match {
	m := Match{
		Decision: Deny, Rule: "roots", Subject: shown(file), Reason: reason + ": " + shown(resolve(file)),
		Suggest: "stay in " + shown(p.roots[0]),
	}
	if c != nil {
		m.Subject, m.Program, m.Pos = subjectOf(c), baseName(c), c.Pos
	}
	return m
}

// escapes tells whether a file that would be written is outside of the roots.
// The harmless devices are nowhere.
func (p *Policy) escapes(t target) bool {
	if t.path == "" || below(t.path, "/dev") && len(deviceEffects(t.path)) == 0 {
		return false
	}
	return !p.inRoots(resolve(t.path))
}

// leaves returns the first directory or file by which a command leaves the
// roots, and why, or "".
func (p *Policy) leaves(c *command.Command) (file, reason string) {
	if c.Dir != "" && !p.inRoots(resolve(c.Dir)) {
		return c.Dir, "the command would run outside of the allowed roots"
	}
	base := baseName(c)
	if base == "cd" || base == "pushd" {
		for _, t := range p.changesTo(c) {
			if p.escapes(t) {
				return t.path, "the directory is outside of the allowed roots"
			}
		}
	}
	written := append(p.places.opened(c.Redirects, c.Dir, true), p.places.writtenBy(c, family(base))...)
	for _, t := range written {
		if p.escapes(t) {
			return t.path, "the command writes outside of the allowed roots"
		}
	}
	words := c.Argv[1:]
	for _, r := range c.Redirects {
		if r.Reads {
			words = append(slices.Clip(words), r.Target)
		}
	}
	for i := range words {
		w := &words[i]
		t := p.places.targetOf(w, c.Dir)
		switch {
		case t.path == "":
		case isDoor(t.path) || w.Known && isDoor(w.Text):
			return t.path, "the path leads through a process's own view of the files"
		case base == "ln" && !isOption(w.Text) && p.escapes(t):
			return t.path, "the link leads outside of the allowed roots"
		case w.Known && !path.IsAbs(w.Text) && p.strays(w.Text, t.path):
			return t.path, "the path leads outside of the allowed roots"
		}
	}
	return "", ""
}

// changesTo returns where cd goes: to its operand, or home.
func (p *Policy) changesTo(c *command.Command) []target {
	operands, _ := operandsOf(c.Argv[1:], nil)
	if len(operands) == 0 && baseName(c) == "cd" && p.places.home != "" {
		return []target{{path: p.places.home, exact: true}}
	}
	return p.places.targetsOf(operands, c.Dir)
}

// strays tells whether a relative path leaves the roots, by a step upwards or
// by a link. A link to what the system installed is usual (a virtual
// environment's python) and harmless.
func (p *Policy) strays(text, file string) bool {
	if slices.Contains(strings.Split(text, "/"), "..") && !p.inRoots(file) {
		return true
	}
	to := resolve(file)
	return to != file && !p.inRoots(to) &&
		!slices.ContainsFunc([]string{"/usr", "/opt", "/bin", "/lib", "/nix"}, func(tree string) bool { return below(to, tree) })
}

// isDoor tells whether a path goes through /proc to another directory: "cwd",
// "root" and open descriptors lead where no name shows it.
func isDoor(file string) bool {
	parts := strings.Split(file, "/")
	if len(parts) < 4 || parts[1] != "proc" {
		return false
	}
	return slices.ContainsFunc(parts[3:], func(part string) bool {
		return part == "cwd" || part == "root" || part == "fd" || part == "task"
	})
}
