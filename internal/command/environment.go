package command

import (
	"slices"
	"strings"
	"sync"
)

// plainVariable is a variable's name without a subscript.
var plainVariable = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// codeVariables are variables through which programs are made to run code, to
// load it, or to read configuration that does (security research 1.5). A name
// that ends with * stands for all that begin with it.
const codeVariables = ` PATH HOME ENV SHELL CDPATH SHELLOPTS BASHOPTS EXECIGNORE PROMPT_COMMAND PS0 PS1 PS2 PS4 BASH_*
 HISTFILE HISTCONTROL FPATH ZDOTDIR INPUTRC FCEDIT POSIXLY_CORRECT
 LD_* DYLD_* GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH TEXTDOMAINDIR MALLOC_TRACE HOSTALIASES RES_OPTIONS LOCALDOMAIN
 TERMINFO TERMINFO_DIRS TERMCAP
 PAGER MANPAGER MANOPT MANPATH MANROFFOPT MANROFFSEQ MANLESS MAN_* GROFF_* BAT_PAGER BAT_CONFIG_* DELTA_PAGER SYSTEMD_PAGER SYSTEMD_LESS SYSTEMD_EDITOR
 EDITOR VISUAL SUDO_EDITOR KUBE_EDITOR PSQL_* PSQLRC BROWSER LESS LESSOPEN LESSCLOSE LESSEDIT LESSKEY* LESSSECURE* LESSHISTFILE MORE
 VIMINIT EXINIT GVIMINIT MYVIMRC VIM VIMRUNTIME NVIM_* EMACSLOADPATH
 GIT_* SSH_ASKPASS* SUDO_ASKPASS RSYNC_* CVS_RSH SVN_SSH
 PYTHON* PIP_* UV_* POETRY_* VIRTUALENV_* CONDA_* NODE_* NPM_CONFIG_* YARN_* PNPM_* BUN_* DENO_* COREPACK_* ELECTRON_*
 PERL* RUBYOPT RUBYLIB RUBYSHELL GEM_* BUNDLE_* RAKEOPT PHPRC PHP_INI_* COMPOSER_* LUA_* R_* RENV_* JULIA_* GHC* TCLLIBPATH GUILE_* ERL_* ELIXIR_*
 JAVA_* JDK_* _JAVA_OPTIONS CLASSPATH MAVEN_* MVNW_* GRADLE_* ANT_* SBT_OPTS SCALA_* KOTLIN_* GROOVY_* LEIN_*
 GOFLAGS GOENV GOROOT GOPATH GOBIN GOTOOLDIR GOTOOLCHAIN GONOSUMDB GONOSUMCHECK GOSUMDB GOINSECURE GOVCS GOWORK GOCACHEPROG GOEXE GCCGO CGO_*
 CARGO_* CARGO RUSTC RUSTC_* RUSTDOC RUSTFLAGS RUSTDOCFLAGS RUSTUP_* DOTNET_* MSBUILD* NUGET_*
 CC CXX CPP LD AR AS NM RANLIB STRIP FC GCC_* COMPILER_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH
 CCACHE_* SCCACHE_* DISTCC_* CMAKE_* CTEST_* NINJA_* MESON_* BAZEL* PKG_CONFIG* ACLOCAL* M4 M4PATH YACC LEX
 MAKE MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS MAKESHELL TAR_OPTIONS TAPE GZIP BZIP BZIP2 XZ_* ZSTD_* ZIPOPT UNZIP UNZIPOPT RIPGREP_CONFIG_PATH ACKRC FZF_* PARALLEL* XARGS_*
 AWKPATH AWKLIBPATH GAWK_* GREP_OPTIONS
 CURL_HOME CURL_CA_BUNDLE WGETRC WGET_* SYSTEM_WGETRC NETRC
 SSL_CERT_* SSLKEYLOGFILE OPENSSL_* NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE
 GPG_* GNUPGHOME PINENTRY* SSH_AUTH_SOCK SSH_SK_* PKCS11*
 XDG_CONFIG_* XDG_DATA_* XDG_RUNTIME_DIR KUBECONFIG HELM_* DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT COMPOSE_FILE CONTAINER* PODMAN* AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE GOOGLE_APPLICATION_CREDENTIALS CLOUDSDK_* AZURE_* TF_CLI_* TF_PLUGIN_* TERRAFORM_* ANSIBLE_* VAGRANT_*
 DBUS_* SYSTEMD_* NOTIFY_SOCKET GTK_* GDK_PIXBUF_* GIO_* GST_* QT_* KDE_* XKB* WINE* PROMPT_* TMUX_* SCREENRC SCREENDIR DIRENV_*
 npm_* pip_* `

// harmlessVariables are those among codeVariables, by their pattern, whose
// values are only data.
const harmlessVariables = ` GIT_AUTHOR_* GIT_COMMITTER_* GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT GIT_CURL_VERBOSE GIT_LITERAL_PATHSPECS GIT_NO_LAZY_FETCH GIT_LFS_SKIP_SMUDGE GIT_FLUSH
 PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONFAULTHANDLER PYTHONNOUSERSITE PYTHONOPTIMIZE PYTHONTRACEMALLOC PYTHONASYNCIODEBUG PYTHONSAFEPATH PYTHONDEVMODE
 PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT PIP_NO_CACHE_DIR PIP_QUIET PIP_ROOT_USER_ACTION PIP_BREAK_SYSTEM_PACKAGES UV_NO_PROGRESS UV_OFFLINE POETRY_NO_INTERACTION
 NODE_ENV NODE_DEBUG NODE_NO_WARNINGS NODE_DISABLE_COLORS
 CARGO_TERM_* CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_BUILD_JOBS RUST_BACKTRACE DOTNET_NOLOGO DOTNET_CLI_TELEMETRY_OPTOUT
 CGO_ENABLED PERL_BADLANG BASH_COMPAT ANSIBLE_NOCOLOR ANSIBLE_FORCE_COLOR
 CMAKE_BUILD_PARALLEL_LEVEL CMAKE_BUILD_TYPE CTEST_OUTPUT_ON_FAILURE CTEST_PARALLEL_LEVEL NINJA_STATUS PERL_UNICODE `

// harmlessValues are values of variables that name programs and are known not
// to run anything else.
const harmlessValues = ` cat less more most true false : vi vim nano ed gcc g++ cc c++ clang clang++ ld ar as ranlib strip nm cpp make `

// programVariables are the variables that harmlessValues is for.
const programVariables = ` PAGER MANPAGER GIT_PAGER BAT_PAGER DELTA_PAGER SYSTEMD_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL KUBE_EDITOR CC CXX CPP LD AR AS NM RANLIB STRIP MAKE `

// lessFlags are values of LESS that hold only flags of one letter.
var lessFlags = pattern(`^-?[FRXSMKiIgJNQWeEsq]*$`)

// judgeAssignment reports a variable that makes programs run code.
func (a *analyser) judgeAssignment(assignment Assignment) {
	name, value := assignment.Name, assignment.Value
	switch {
	case name == "IFS":
		if !value.Known || !plainSeparators().MatchString(value.Text) {
			a.unknown(KindEnvironment, "IFS changes how words are split", name+"="+value.Text, assignment.Pos)
		}
		return
	case contains(flagVariables, name):
		if value.Known && plainFlags().MatchString(value.Text) {
			return
		}
	case !isCodeVariable(name):
		return
	case value.Known && value.Text == "" && name != "PATH" && name != "HOME":
		return
	case value.Known && contains(programVariables, name) && contains(harmlessValues, value.Text):
		return
	case name == "LESS" && value.Known && lessFlags().MatchString(value.Text):
		return
	}
	a.unknown(KindEnvironment, "the variable "+span(name)+" can make programs run other code than their names say", name+"="+value.Text, assignment.Pos)
}

// plainSeparators are values of IFS that split at no letter, digit, or
// character of a path.
var plainSeparators = pattern(`^[ \t\n,:;|]*$`)

// flagVariables hold flags for a compiler, which has flags that run programs.
const flagVariables = ` CFLAGS CXXFLAGS CPPFLAGS LDFLAGS `

// plainFlags are flags of compilers that only choose what is compiled.
var plainFlags = pattern(`^(\s|-(O[0-3sgz]?|g|pthread|fPIC|W[a-z0-9=+-]*|std=[a-z0-9+]+|[DUIL][\w./=-]+|l\w+)(\s|$))*$`)

// isCodeVariable says that a variable's value can make programs run code. npm
// reads its names in both cases.
func isCodeVariable(name string) bool {
	index := variableIndex()
	return (index.code.has(name) || strings.HasPrefix(strings.ToUpper(name), "NPM_CONFIG_")) && !index.harmless.has(name)
}

// variableIndex returns the lists of variables in a form for many look-ups.
var variableIndex = sync.OnceValue(func() (index struct{ code, harmless nameSet }) {
	index.code, index.harmless = newNameSet(codeVariables), newNameSet(harmlessVariables)
	return index
})

// nameSet is a set of names and of beginnings of names.
type nameSet struct {
	names    map[string]bool
	prefixes []string
}

// newNameSet reads a list of names; those that end with * stand for all that
// begin so.
func newNameSet(list string) nameSet {
	set := nameSet{names: make(map[string]bool)}
	for name := range strings.FieldsSeq(list) {
		if prefix, ok := strings.CutSuffix(name, "*"); ok {
			set.prefixes = append(set.prefixes, prefix)
		} else {
			set.names[name] = true
		}
	}
	return set
}

func (set nameSet) has(name string) bool {
	return set.names[name] || slices.ContainsFunc(set.prefixes, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}
