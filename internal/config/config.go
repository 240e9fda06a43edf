// Package config owns the options of whelk: each is declared once, in Options, and
// its flag, its environment variable, its key in a file, its default and its sentence
// of help all follow from that declaration.
//
// Words: an option is one setting; its text is how a person writes it; its origin
// says where that text came from; a source is one layer that gives texts.
//
// Invariants:
//   - Sources are asked in order, and the first that gives an option decides it:
//     flags, then the environment, then the file, then defaults. A fault in the text
//     that decides is a fault, never a reason to fall back to the next source.
//   - A file that is there and cannot be understood to its last word is a fault: it
//     may hold a policy, and half of one lets through what the whole forbids.
//   - All faults are reported together, each with its origin.
//   - A variable that is set but empty counts as unset.
//
// Only package main of the program calls this package; the others are handed a
// Config, or a part of it.
package config

import (
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/pflag"
)

// The names of the tool sets.
const (
	ToolsNative     = "native"
	ToolsYieldShell = "yieldshell"
	ToolsTabShell   = "tabshell"
	ToolsMCPShell   = "mcpshell"
)

// The values of the option result.
const (
	ResultText       = "text"
	ResultStructured = "structured"
	ResultBoth       = "both"
)

// ContainmentAuto, of the option containment, takes the best that works. The
// other values are named in Options.
const ContainmentAuto = "auto"

// The values of the option audit, besides the path of a file.
const (
	AuditOff    = "off"
	AuditStderr = "stderr"
)

// The values of the option on-exit.
const (
	OnExitStop = "stop"
	OnExitKeep = "keep-detached"
)

// The values of the option on-unknown.
const (
	DecisionDeny  = "deny"
	DecisionAsk   = "ask"
	DecisionAllow = "allow"
)

// The values of the option side-effects.
const (
	SideEffectsOff     = "off"
	SideEffectsAdvise  = "advise"
	SideEffectsEnforce = "enforce"
)

// Config is what the program uses, one field an option. Load makes it; it is not
// changed afterwards, so it is safe for concurrent reading.
type Config struct {
	// File is the absolute path of the configuration file; empty is none.
	File string
	// Tools holds names of tool sets, each once, at least one.
	Tools []string

	// Transport is TransportStdio or TransportHTTP.
	Transport string
	// Listen is host:port, or SocketPrefix and an absolute path.
	Listen string
	// Auth is AuthToken, AuthJWT or AuthNone.
	Auth string
	// JWTIssuer, JWTAudience, JWTKeys (a file or an https URL) and JWTScope say which
	// JWT counts; empty is not given.
	JWTIssuer, JWTAudience, JWTKeys, JWTScope string
	// TLSCert, TLSKey and TLSClientCA are absolute paths of files that could be read
	// when the program started; empty is none.
	TLSCert, TLSKey, TLSClientCA string
	// BehindProxy says that somebody else ends TLS.
	BehindProxy bool
	// AllowedHosts and AllowedOrigins are in lower case.
	AllowedHosts, AllowedOrigins []string
	// SessionIdle is how long an unused session is kept.
	SessionIdle time.Duration
	// MaxSessions and MaxCalls bound what is held for clients at once.
	MaxSessions, MaxCalls int

	// Result is ResultText, ResultStructured or ResultBoth.
	Result string
	// LogLevel is the least level that is written to standard error.
	LogLevel slog.Level
	// StateDir is an absolute path, which need not exist; empty is none, because
	// the environment does not tell where it would be.
	StateDir string
	// Audit is AuditOff, AuditStderr or the absolute path of a file.
	Audit string
	// Cwd is an absolute path; the directory existed when the program started.
	Cwd string
	// Shell is the program that runs a command text, as it was written.
	Shell string
	// Yield is how long execute waits before it goes to the background. It may be
	// longer than MaxWait, which bounds it where it is used.
	Yield time.Duration
	// MaxWait bounds every blocking call.
	MaxWait time.Duration
	// Timeout ends an execution that runs longer; zero is no limit.
	Timeout time.Duration
	// IdleTimeout ends an execution that is silent for longer; zero is no limit.
	IdleTimeout time.Duration
	// Grace is how long a stopped execution has between SIGTERM and SIGKILL.
	Grace time.Duration
	// MaxOutput bounds the output in one answer, in bytes.
	MaxOutput int64
	// Buffer bounds what each stream of an execution keeps in memory, in bytes.
	Buffer int64
	// MaxExecutions bounds the executions alive at once.
	MaxExecutions int
	// Retention is how long a finished execution stays readable.
	Retention time.Duration
	// MaxRetained bounds the finished executions that are kept.
	MaxRetained int
	// Containment names how the processes of a command are held together.
	Containment string
	// OnExit is OnExitStop or OnExitKeep.
	OnExit string
	// ExitWithParent ends the server when its parent process has died.
	ExitWithParent bool
	// EnvSet holds NAME=value entries for every command; the last of a name wins.
	EnvSet []string
	// RedactEnv is a regular expression that compiles (RE2); empty chooses no variable.
	RedactEnv string
	// RedactFormats hides keys of well-known formats.
	RedactFormats bool

	// Allow and Deny hold names of commands, or names with words ("git push"); empty
	// is no such list.
	Allow, Deny []string
	// AllowRegex and DenyRegex are regular expressions that compile (RE2); empty is
	// none.
	AllowRegex, DenyRegex string
	// OnUnknown is DecisionDeny, DecisionAsk or DecisionAllow; empty is the policy's
	// own choice.
	OnUnknown string
	// SideEffects is SideEffectsOff, SideEffectsAdvise or SideEffectsEnforce.
	SideEffects string
	// BlockedSideEffects holds names of categories, which are not checked here. It
	// holds the default, too: nil blocks none.
	BlockedSideEffects []string
	// Roots are absolute paths of directories that existed when the program started;
	// their symbolic links are not resolved. Empty is no limit.
	Roots []string
	// Policy is the section policy of File as YAML, not yet understood; nil is none.
	// What stands before it in the file is blank, so that lines and columns are
	// those of the file.
	Policy []byte
	// PolicyOrigin says where Policy stands, as an origin of a Value does.
	PolicyOrigin string

	// Warnings holds one line for each thing that is no fault but most likely not
	// meant: unknown variables, and a file that others may change.
	Warnings []string
}

// Value is the text that decided one option.
type Value struct {
	// Option is the option's name.
	Option string
	// Text is as it was written; the entries of a repeated option are lines.
	Text string
	// Origin reads like "flag --yield", "variable WHELK_YIELD", "file /path:3", with
	// the line from 1, or "default".
	Origin string
}

// Load returns the configuration that the flags of fs, the variables of environ and
// the configuration file ask for, and the text that decided each option, in declared
// order. fs may be nil, or have some of the flags of AddFlags only. environ has the
// form of os.Environ. To take up a file that has changed, load again.
//
// An error joins one *Error a fault, and the Config is then nil; the values are
// returned in either case.
func Load(fs *pflag.FlagSet, environ []string) (*Config, []Value, error) {
	sources := []source{flags(fs), variables(environ)}
	f := chosenFile(sources, environ)
	c, values, err := load(append(sources, f.source, defaultState(environ)), f)
	if c != nil {
		c.Warnings = append(c.Warnings, Warnings(environ)...)
	}
	return c, values, err
}

// Check reads the configuration file at path as Load would, with no flag and no
// variable over it, so that every fault in it comes to light. The policy is not
// understood here either.
func Check(path string) (*Config, error) {
	f := readFile(path, "the command line")
	c, _, err := load([]source{f.source}, f)
	return c, err
}

// load decides each option. The faults of the file come before those of its values.
func load(sources []source, f *file) (*Config, []Value, error) {
	c := &Config{Policy: f.policy, PolicyOrigin: f.section, Warnings: f.warnings}
	var values []Value
	faults := slices.Clone(f.faults)
	for _, o := range Options() {
		s := decide(sources, o)
		values = append(values, Value{Option: o.Name, Text: s.text(), Origin: s.origin})
		for _, e := range s.entries {
			if err := o.apply(c, e.text); err != nil {
				faults = append(faults, &Error{Option: o.Name, Origin: e.origin, Value: e.text, Reason: err.Error()})
			}
		}
	}
	if len(faults) > 0 {
		return nil, values, errors.Join(faults...)
	}
	return c, values, nil
}

// decide returns what the first source that gives o says, or else its default.
func decide(sources []source, o Option) setting {
	for _, from := range sources {
		if s, given := from(o); given {
			return s
		}
	}
	return newSetting("default", defaultTexts(o)...)
}
