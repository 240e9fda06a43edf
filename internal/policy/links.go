package policy

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"whelk/internal/command"
)

// mostLinks is how many links to files that are not there are followed, as the
// kernel bounds links.
const mostLinks = 40

// resolve follows the symbolic links of an absolute path as far as it exists,
// and through links to what does not exist yet: writing to one creates it.
// What it says may be outdated a moment later: the sandbox is the boundary.
func resolve(file string) string {
	file = path.Clean(file)
	rest := ""
	for dir, hops := file, 0; ; {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return path.Join(real, rest)
		}
		if dir == "/" || dir == "." {
			return file
		}
		if to, err := os.Readlink(dir); err == nil && hops < mostLinks {
			if hops++; !path.IsAbs(to) {
				to = path.Join(path.Dir(dir), to)
			}
			dir = to
			continue
		}
		dir, rest = path.Dir(dir), path.Join(path.Base(dir), rest)
	}
}

// links resolves the paths of one request. It keeps what it found for each
// directory, so that a file costs one look at its own name.
type links map[string]string

func (l links) resolve(file string) string {
	dir := path.Dir(file)
	real, ok := l[dir]
	if !ok {
		real = resolve(dir)
		l[dir] = real
	}
	resolved := path.Join(real, path.Base(file))
	if info, err := os.Lstat(resolved); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return resolve(resolved)
	}
	return resolved
}

// onLinks judges redirections that write through a link out of the directory
// that they are named in. Who permits commands one by one means the file that
// the text shows.
func (p *Policy) onLinks(v *Verdict, r *Request) {
	if len(p.sets) == 0 || r.Input.Dir == "" {
		return
	}
	l := links{}
	dir := l.resolve(r.Input.Dir)
	judge := func(redirects []command.Redirect, dirOf string, pos func(int) command.Pos) {
		for i, t := range p.places.opened(redirects, dirOf, true) {
			if !t.exact || !below(t.path, r.Input.Dir) {
				continue
			}
			if to := l.resolve(t.path); !below(to, dir) {
				v.add(Match{
					Decision: p.onUnknown, Rule: "on_unknown", Subject: shown(t.path), Pos: pos(i),
					Reason:  fmt.Sprintf("the file is a link that leads out of the working directory, to %s", shown(to)),
					Suggest: "write to the file itself, by its own name",
				})
			}
		}
	}
	for i := range r.Analysis.Commands {
		c := &r.Analysis.Commands[i]
		judge(c.Redirects, c.Dir, func(int) command.Pos { return c.Pos })
	}
	judge(r.Analysis.Redirects, r.Input.Dir, func(int) command.Pos { return command.Pos{} })
}
