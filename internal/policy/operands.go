package policy

import (
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"whelk/internal/command"
)

// which says which of a command's operands are files that it writes.
type which uint8

const (
	noOperand which = iota
	allOperands
	allButFirst  // chmod MODE file…
	allAfterCode // sed -i CODE file…, unless an option holds the code
	lastOperand  // cp source… target
	onlyTarget   // the last, and the sources that go away (mv)
)

// writer says what a program writes.
type writer struct {
	operands which
	// options hold options whose value is a written file or directory.
	options []string
	// assigned holds names of operands of the form name=file.
	assigned []string
	// only is an option without which the operands are only read.
	only string
}

// writers returns what is known of programs that write files. The table is
// built once and never written again.
var writers = sync.OnceValue(func() map[string]writer {
	all := writer{operands: allOperands}
	last := writer{operands: lastOperand, options: []string{"-t", "--target-directory"}}
	table := map[string]writer{
		"chmod": {operands: allButFirst}, "chown": {operands: allButFirst}, "chgrp": {operands: allButFirst},
		"chattr": {operands: allButFirst}, "setfacl": {operands: allButFirst}, "setcap": {operands: allButFirst},
		"cp": last, "ln": last, "install": last, "rsync": {operands: lastOperand}, "scp": {operands: lastOperand},
		"mv":         {operands: onlyTarget, options: []string{"-t", "--target-directory"}},
		"sed":        {operands: allAfterCode, only: "-i"},
		"perl":       {operands: allAfterCode, only: "-i"},
		"sort":       {options: []string{"-o", "--output"}},
		"curl":       {options: []string{"-o", "--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar"}},
		"wget":       {options: []string{"-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file", "-a", "--append-output"}},
		"dd":         {assigned: []string{"of"}},
		"tar":        {options: []string{"-C", "--directory"}, only: "-x"},
		"unzip":      {options: []string{"-d"}},
		"gcc":        {options: []string{"-o"}},
		"cc":         {options: []string{"-o"}},
		"clang":      {options: []string{"-o"}},
		"go":         {options: []string{"-o"}},
		"openssl":    {options: []string{"-out", "-keyout"}},
		"find":       {options: []string{"-fprint", "-fprintf", "-fprint0", "-fls"}},
		"git":        {options: []string{"--output", "-o"}},
		"ssh-keygen": {options: []string{"-f"}},
		"patch":      {operands: allOperands, options: []string{"-o", "--output"}},
	}
	for name := range strings.FieldsSeq(`tee touch rm rmdir unlink shred mkdir truncate mkfifo mknod vim nano ed ex emacs
		gzip gunzip xz unxz bzip2 bunzip2 zstd mkfs wipefs mke2fs fallocate`) {
		table[name] = all
	}
	return table
})

// operandsOf returns the words that are no options, and the values of the
// options that a writer names.
func operandsOf(args []command.Word, options []string) (operands, values []*command.Word) {
	ended := false
	for i := 0; i < len(args); i++ {
		w := &args[i]
		if ended || !w.Known || !isOption(w.Text) {
			operands = append(operands, w)
			continue
		}
		if w.Text == "--" {
			ended = true
			continue
		}
		if slices.Contains(options, w.Text) {
			if i++; i < len(args) {
				values = append(values, &args[i])
			}
			continue
		}
		if attached, ok := attachedValue(w.Text, options); ok {
			values = append(values, &command.Word{Text: attached, Known: true})
		}
	}
	return operands, values
}

// attachedValue returns the value in "--output=file" or "-ofile".
func attachedValue(text string, options []string) (string, bool) {
	if name, value, ok := strings.Cut(text, "="); ok && slices.Contains(options, name) {
		return value, true
	}
	if len(text) > 2 && text[1] != '-' && slices.Contains(options, text[:2]) {
		return text[2:], true
	}
	return "", false
}

// writtenBy returns the files that a command writes or deletes, by its
// arguments.
func (p *places) writtenBy(c *command.Command, name string) []target {
	w, ok := writers()[name]
	if !ok {
		return nil
	}
	args := c.Argv[1:]
	_, options := programOf(name, nil)
	only := w.only == "" || parseFlag(w.only, options).in(args, options) == yes ||
		name == "tar" && len(args) > 0 && !isOption(args[0].Text) && strings.Contains(args[0].Text, "x")
	if !only {
		return nil
	}
	operands, values := operandsOf(args, w.options)
	words := slices.Clone(values)
	switch w.operands {
	case noOperand:
	case allOperands:
		words = append(words, operands...)
	case allButFirst, allAfterCode:
		code := w.operands == allButFirst || !hasCodeOption(args, options)
		if code && len(operands) > 0 {
			operands = operands[1:]
		}
		words = append(words, operands...)
	case lastOperand, onlyTarget:
		return p.copied(operands, values, c.Dir, w.operands == onlyTarget)
	}
	targets := p.targetsOf(words, c.Dir)
	for _, operand := range operands {
		if key, value, ok := strings.Cut(operand.Text, "="); ok && slices.Contains(w.assigned, key) {
			targets = append(targets, p.targetOf(&command.Word{Text: value, Known: operand.Known}, c.Dir))
		}
	}
	return targets
}

// hasCodeOption tells whether sed or perl has its code in an option, so that
// all operands are files.
func hasCodeOption(args []command.Word, options program) bool {
	for _, text := range []string{"-e", "-f", "--expression", "--file"} {
		if parseFlag(text, options).in(args, options) != no {
			return true
		}
	}
	return false
}

func (p *places) targetsOf(words []*command.Word, dir string) []target {
	var targets []target
	for _, w := range words {
		if t := p.targetOf(w, dir); t.path != "" {
			targets = append(targets, t)
		}
	}
	return targets
}

// copied returns what cp, mv and their like write: the last operand or the
// given directory, and in a directory each file by its name.
func (p *places) copied(operands, values []*command.Word, dir string, moved bool) []target {
	to := p.targetsOf(values, dir)
	sources := operands
	if len(to) == 0 && len(operands) > 1 {
		last := operands[len(operands)-1]
		sources = operands[:len(operands)-1]
		to = p.targetsOf([]*command.Word{last}, dir)
		if strings.Contains(last.Text, ":") && !strings.HasPrefix(last.Text, "/") {
			to = nil // host:path
		}
	}
	var targets []target
	for _, t := range to {
		if !t.exact || !p.isDirectory(t.path) {
			targets = append(targets, t)
			continue
		}
		for _, source := range sources {
			targets = append(targets, target{path: path.Join(t.path, path.Base(strings.Trim(source.Text, `"'`))), exact: source.Known && !source.Glob})
		}
	}
	if moved {
		targets = append(targets, p.targetsOf(sources, dir)...)
	}
	return targets
}

// isDirectory tells whether a path is a directory now, or is one by its name.
func (p *places) isDirectory(file string) bool {
	if file == "/" || p.isHome(file) {
		return true
	}
	info, err := os.Stat(file)
	return err == nil && info.IsDir()
}
