// Package config owns the options of whelk: each is declared once, in Options, and
// its flag, its environment variable, its default and its sentence of help all
// follow from that declaration.
//
// Words: an option is one setting; its text is how a person writes it; its origin
// says where that text came from; a source is one layer that gives texts.
//
// Invariants:
//   - Sources are asked in order, and the first that gives an option decides it:
//     flags, then the environment, then defaults. A fault in the text that decides
//     is a fault, never a reason to fall back to the next source.
//   - All faults are reported together, each with its origin.
//   - A variable that is set but empty counts as unset.
//
// Only package main of the program calls this package; the others are handed a
// Config, or a part of it.
package config

import (
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/pflag"
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

// The values of the option on-exit.
const (
	OnExitStop = "stop"
	OnExitKeep = "keep-detached"
)

// Config is what the program uses, one field an option. Load makes it; it is not
// changed afterwards, so it is safe for concurrent reading.
type Config struct {
	// Result is ResultText, ResultStructured or ResultBoth.
	Result string
	// LogLevel is the least level that is written to standard error.
	LogLevel slog.Level
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
}

// Value is the text that decided one option.
type Value struct {
	// Option is the option's name.
	Option string
	// Text is as it was written; the entries of a repeated option are lines.
	Text string
	// Origin reads like "flag --yield", "variable WHELK_YIELD" or "default".
	Origin string
}

// Load returns the configuration that the flags of fs and the variables of environ
// ask for, and the text that decided each option, in declared order. fs may be nil,
// or have some of the flags of AddFlags only. environ has the form of os.Environ.
//
// An error joins one *Error a fault, and the Config is then nil; the values are
// returned in either case.
func Load(fs *pflag.FlagSet, environ []string) (*Config, []Value, error) {
	sources := []source{flags(fs), variables(environ)}
	c := new(Config)
	var values []Value
	var faults []error
	for _, o := range Options() {
		texts, origin := decide(sources, o)
		values = append(values, Value{Option: o.Name, Text: joinTexts(texts), Origin: origin})
		for _, text := range texts {
			if err := o.apply(c, text); err != nil {
				faults = append(faults, &Error{Option: o.Name, Origin: origin, Value: text, Reason: err.Error()})
			}
		}
	}
	if len(faults) > 0 {
		return nil, values, errors.Join(faults...)
	}
	return c, values, nil
}

// decide returns the texts of the first source that gives o, or else its default.
func decide(sources []source, o Option) (texts []string, origin string) {
	for _, from := range sources {
		if texts, origin, given := from(o); given {
			return texts, origin
		}
	}
	return defaultTexts(o), "default"
}
