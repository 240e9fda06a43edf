package command

import "strings"

// interpreter describes a program that runs a program in another language.
type interpreter struct {
	// options are those that change nothing of what is run. The tags:
	//
	//	!code    the value is a program
	//	!module  the value is a module of the language, the last option
	//	!sql     the value is a statement of a client that can run programs
	//	!info    nothing runs
	//	!show    nothing runs if there is no operand
	options optionTable
	style   optionStyle
	// data says that the operands are files to edit or to debug, not scripts,
	// and that commands come from standard input.
	data bool
}

// interpreters are the interpreters, and the programs with a command language
// that can run programs.
var interpreters = map[string]interpreter{
	"python":  {style: leading, options: pythonOptions},
	"pypy":    {style: leading, options: pythonOptions},
	"ipython": {style: leading, options: "--version!info --help!info --no-banner"},
	"node":    {style: leading, options: nodeOptions},
	"nodejs":  {style: leading, options: nodeOptions},
	"tsx":     {style: leading, options: "--version!info --help!info --no-cache"},
	"ts-node": {style: leading, options: "-T --transpile-only -v!info -h!info --version!info --help!info -e:!code -p?!code"},
	"perl":    {style: leading, options: "-c -w -W -X -T -t -u -U -n -p -a -s -l -0 -1 -2 -3 -4 -5 -6 -7 -i? -F? -v!info -V?!info -h!info -e:!code -E:!code"},
	"ruby":    {style: leading, options: "-c -w -W? -v!show -h!info -n -p -a -l -s -U -E: -e:!code --version!info --help!info --yjit --jit --verbose!show --encoding="},
	"jruby":   {style: leading, options: "-v!show --version!info -e:!code"},
	"php":     {style: leading, options: "-v!info -i!info -m!info -h!info -l -n -q -s -w -r:!code -R:!code -B:!code -E:!code --version!info --help!info --ini!info"},
	"lua":     {style: leading, options: luaOptions}, "luajit": {style: leading, options: luaOptions}, "texlua": {style: leading, options: luaOptions},
	"Rscript": {style: leading, options: "--vanilla --no-save --no-restore --verbose --version!info --help!info -e:!code"},
	"R":       {options: "--vanilla --no-save --no-restore --slave --silent --quiet -q -e:!code --version!info --help!info"},
	"julia":   {style: leading, options: "-q -v!info -h!info -O? -t: -p: --version!info --help!info --threads= --startup-file= --color= --project? -e:!code -E:!code --eval=!code --print=!code"},
	"tclsh":   {style: leading}, "wish": {style: leading}, "jimsh": {style: leading},
	"expect": {style: leading, options: "-v!info -c:!code"}, "osascript": {style: leading, options: "-e:!code"},
	"guile": {style: leading, options: "-q -v!info -c:!code --version!info --help!info"}, "racket": {style: leading, options: "-v!info -e:!code --version!info"},
	"sbcl": {style: leading, options: "--version!info --help!info"}, "clisp": {style: leading}, "ecl": {style: leading}, "csi": {style: leading}, "gosh": {style: leading},
	"ghci": {style: leading, options: "--version!info"}, "runghc": {style: leading, options: "--version!info"}, "ocaml": {style: leading, options: "-version!info"},
	"scala": {style: leading, options: "-version!info -e:!code"}, "groovy": {style: leading, options: "-v!info -e:!code --version!info"}, "kotlinc": {style: leading, options: "-version!info"}, "jshell": {style: leading, options: "--version!info"},
	"elixir": {style: leading, options: "-v!info -e:!code --version!info --eval=!code"}, "iex": {style: leading, options: "-v!info"}, "erl": {style: leading}, "escript": {style: leading},
	"clojure": {style: leading, options: "-e:!code"}, "clj": {style: leading, options: "-e:!code"}, "bb": {style: leading, options: "-e:!code --version!info"},
	"octave": {style: leading, options: "-q --quiet --no-gui --version!info --help!info --eval=!code"}, "gnuplot": {style: leading, options: "-V!info -e:!code --version!info"}, "maxima": {style: leading},
	"m4":  {style: leading, options: "-D: -I: -P -s --version!info --help!info"},
	"irb": {style: leading, options: "-v!info --version!info"}, "pry": {style: leading}, "swift": {style: leading, options: "--version!info"}, "dc": {style: leading, options: "-V!info -h!info -e:!code --version!info --help!info"},
	"crystal": {style: leading, options: "--version!info"}, "nim": {style: leading, options: "--version!info"}, "gst": {style: leading}, "forth": {style: leading}, "gforth": {style: leading}, "pike": {style: leading}, "qjs": {style: leading, options: "-e:!code"}, "d8": {style: leading}, "mongo": {data: true}, "mongosh": {data: true}, "redis-cli": {data: true, options: "-h: -p: -n: -a: --raw"},

	"vim": {data: true, options: viOptions}, "vi": {data: true, options: viOptions}, "view": {data: true, options: viOptions}, "nvim": {data: true, options: viOptions}, "gvim": {data: true, options: viOptions}, "ex": {data: true, options: viOptions}, "vimdiff": {data: true, options: viOptions}, "rvim": {data: true, options: viOptions}, "elvis": {data: true}, "nvi": {data: true},
	"ed": {data: true, options: "-s -v -r -E -p: --silent --quiet --version!info --help!info"}, "red": {data: true, options: "-s"},
	"emacs": {data: true, options: "-nw -q -Q --version!info --help!info", style: singleDash}, "emacsclient": {data: true, options: "--version!info --help!info"}, "nano": {data: true, options: "-w -l -i --version!info --help!info"}, "pico": {data: true}, "joe": {data: true}, "mc": {data: true, options: "--version!info"}, "ranger": {data: true}, "vifm": {data: true}, "nnn": {data: true},
	"gdb": {data: true, options: "-q --quiet --version!info --help!info", style: singleDash}, "lldb": {data: true, options: "--version!info --help!info"}, "pdb": {data: true}, "dlv": {data: true}, "jdb": {data: true},
	"sqlite": {data: true, style: singleDash, options: "-batch -bail -csv -column -header -noheader -html -json -line -list -markdown -quote -table -tabs -box -readonly -safe -separator= -nullvalue= -version!info -help!info"},
	"psql":   {data: true, options: "-c:!sql -d: -h: -p: -U: -w -W -X -A -t -q -a -e -E -b -l!info -x -z -0 -F: -R: -P: --command=!sql --dbname= --host= --port= --username= --no-password --no-psqlrc --tuples-only --no-align --quiet --csv --list!info --field-separator= --pset= --single-transaction -1 --version!info --help!info -V!info"},
	"mysql":  {data: true, options: mysqlOptions}, "mariadb": {data: true, options: mysqlOptions},
	"ftp": {data: true}, "sftp": {data: true, options: "-4 -6 -a -C -f -p -q -r -v -c: -i: -J: -l: -P: -R: -B:"}, "lftp": {data: true}, "telnet": {data: true, options: "-4 -6 -E"}, "mail": {data: true, options: "-s: -c: -b:"}, "mutt": {data: true, options: "-s: -c: -b: -a:"}, "cu": {data: true},
	"cscope": {data: true}, "units": {data: true}, "tig": {data: true}, "lazygit": {data: true}, "fzf": {data: true, options: "-f: -q: -e -i -m -0 -1 --filter= --query= --exact --no-sort"},
}

const (
	pythonOptions optionTable = "-b -B -d -E -I -O -P -q -R -s -S -u -v -x -h!info -V!info -c:!code -m:!module -W: -X: --version!info --help!info"
	nodeOptions   optionTable = "-v!info -h!info -c -e:!code -p?!code --check --version!info --help!info --eval=!code --print?!code --test!info --test-reporter= --test-name-pattern= --test-only --no-warnings --trace-warnings --trace-deprecation --no-deprecation --throw-deprecation --max-old-space-size= --stack-size= --enable-source-maps --expose-gc --unhandled-rejections= --preserve-symlinks --watch --experimental-strip-types --experimental-test-coverage --experimental-vm-modules --input-type= --v8-options!info"
	luaOptions    optionTable = "-v!show -E -W -e:!code"
	viOptions     optionTable = "-R -n -b -m -M -Z -C -N -l -h!info --version!info --help!info -O? -o? -p? -d -y -A -H"
	mysqlOptions  optionTable = "-e:!sql -h: -P: -u: -p? -D: -N -B -s -t -v -r -E -X -H -V!info --execute=!sql --host= --port= --user= --password? --database= --batch --silent --table --skip-column-names --protocol= --socket= -S: --version!info --help!info"
)

// knownModules are the modules that python -m may run. Others take code as an
// argument (timeit, pdb, cProfile), or are not known.
const knownModules = " pytest unittest doctest pip venv virtualenv ensurepip json.tool http.server black ruff mypy flake8 pylint pyflakes pycodestyle isort coverage build twine tox nox sphinx mkdocs pre_commit compileall py_compile tabnanny tokenize ast zipfile tarfile gzip base64 calendar platform sysconfig uvicorn gunicorn flask django uv pyright bandit autopep8 yapf "

// interpreter judges a program that runs a program in another language.
func (a *analyser) interpreter(i interpreter, c call, s *scope) {
	p := i.options.parse(c.args(), i.style)
	if len(p.strange) > 0 && (i.data || !p.hidden()) {
		a.strangeOptions(c, p)
		return
	}
	for _, o := range p.options {
		switch o.tag {
		case "info":
			return
		case "code":
			a.unknown(KindInlineCode, "what the inline code of "+c.name()+" does is not analysed; put it in a file", c.text(), c.pos)
			return
		case "module":
			if !o.value.static() || !contains(knownModules, o.value.Text) {
				a.unknown(KindInlineCode, "what the module does is not known: "+o.value.Text, c.text(), c.pos)
			}
			return
		case "sql":
			a.statementText(o.value, c)
		}
	}
	if i.data {
		a.commandLanguage(p, c, s)
		return
	}
	if _, ok := p.tagged("show"); ok && len(p.operands) == 0 {
		return
	}
	if len(p.operands) == 0 {
		a.codeFromStdin(c, s)
		return
	}
	a.scriptFile(c.name(), p.operands[0], c)
}

// codeFromStdin judges a program that takes its code or its commands from
// standard input.
func (a *analyser) codeFromStdin(c call, s *scope) {
	if s.stdin.kind != stdinEmpty {
		a.unknown(KindStdinShell, c.name()+" takes code from standard input, which is not analysed", c.text(), c.pos)
	}
}

// commandLanguage judges an editor, a debugger, a client: what stands in its
// operands is data, what it reads are commands.
func (a *analyser) commandLanguage(p parsed, c call, s *scope) {
	for n, operand := range p.operands {
		if strings.HasPrefix(operand.prefix, "+") {
			a.strangeOptions(c, parsed{strange: []word{operand}})
		}
		if strings.HasPrefix(c.name(), "sqlite") && n > 0 {
			a.statementText(operand, c)
		}
	}
	_, statement := p.tagged("sql")
	if !statement && (!strings.HasPrefix(c.name(), "sqlite") || len(p.operands) < 2) {
		a.codeFromStdin(c, s)
	}
}

// statementText judges a statement given to a database's client, which has
// commands of its own that run programs.
func (a *analyser) statementText(w word, c call) {
	text := strings.ToLower(strings.TrimSpace(w.Text))
	if !w.static() || strings.ContainsAny(text, "\\\n") || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "system") || strings.Contains(text, "program") || strings.Contains(text, "pragma_") || strings.Contains(text, "load_extension") || strings.Contains(text, "edit(") || strings.Contains(text, "writefile") {
		a.unknown(KindInlineCode, "what "+c.name()+" does with this text is not analysed", c.text(), c.pos)
	}
}
