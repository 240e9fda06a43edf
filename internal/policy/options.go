package policy

import (
	"fmt"
	"slices"
)

// Mode says what detected side effects do.
type Mode string

// The modes.
const (
	// Enforce judges declared and detected effects alike.
	Enforce Mode = "enforce"
	// Advise detects and reports, but judges what was declared alone.
	Advise Mode = "advise"
	// Off detects nothing.
	Off Mode = "off"
)

// Options are all settings of a policy. The zero value has no list and no
// rule, and enforces the default set of blocked side effects.
type Options struct {
	// Allow and Deny hold entries: a program, or a program with words. No
	// entry in Allow means that everything else decides.
	Allow, Deny []string
	// AllowRegex and DenyRegex are searched in the text and in each command
	// after quote removal; "" is none.
	AllowRegex, DenyRegex string
	// AllowRegexInText searches AllowRegex in the text alone, as
	// mcp-yieldshell does: one command that matches then permits all others
	// in the same text.
	AllowRegexInText bool
	// AllowExact holds names as they must be written, AllowPatterns regular
	// expressions that must match the whole name (mcp-shell-server).
	AllowExact, AllowPatterns []string
	// Closed permits nothing that is not listed, also if no list has an
	// entry.
	Closed bool
	// OnlyNamed judges the programs that the input itself names, and not what
	// these run in turn, nor what that could be: mcp-shell-server restricts the
	// names of programs, "not what an allowed program does".
	OnlyNamed bool
	// Documents are parsed policy files. What they permit must be permitted
	// by the lists above as well, and what either denies is denied.
	Documents []Document
	// OnUnknown is the decision on what the analysis could not tell, where a
	// list or a rule is configured: "deny", "ask" or "allow"; "" is that of
	// the documents, else "deny".
	OnUnknown string
	// OnInlineCode is the same for code given as an argument to an
	// interpreter; "" is OnUnknown.
	OnInlineCode string
	// SideEffects is "" for that of the documents, else Enforce.
	SideEffects Mode
	// Blocked holds the categories that are denied. nil is that of the
	// documents, else DefaultBlocked; an empty slice blocks none.
	Blocked []Effect
	// Roots are directories that commands are held to; none is no limit.
	// They may be symbolic links and may be missing.
	Roots []string
	// TrustedDirs are those whose programs an allow entry without a slash
	// means when they are named by path; nil is the system's.
	TrustedDirs []string
	// Protected holds further patterns of files that nobody may write to.
	Protected []string
	// Home is the home directory; "" is unknown.
	Home string
	// Path is the PATH by which programs are found, for warnings alone.
	Path string
	// Agent says which processes are not to be killed.
	Agent Agent
}

// Document is a parsed policy file: see [ParseDocument]. The zero value says
// nothing.
type Document struct {
	// Name is the file's, for messages.
	Name        string
	Rules       []Rule
	Allow, Deny []string
	AllowRegex  string
	DenyRegex   string
	// OnUnknown, OnInlineCode, SideEffects, Blocked, Roots and Protected are
	// those of [Options]; those that are given there come first.
	OnUnknown, OnInlineCode string
	SideEffects             Mode
	Blocked                 []Effect
	Roots, Protected        []string
}

// Warning is something in a policy that works and is probably not meant.
type Warning string

// scalars returns the settings that have one value, in the order options,
// documents, default.
func (o *Options) scalars() (onUnknown, onInline Decision, mode Mode, blocked []Effect, err error) {
	unknown, inline := o.OnUnknown, o.OnInlineCode
	mode, blocked = o.SideEffects, o.Blocked
	for _, d := range o.Documents {
		unknown = first(unknown, d.OnUnknown)
		inline = first(inline, d.OnInlineCode)
		mode = Mode(first(string(mode), string(d.SideEffects)))
		if blocked == nil {
			blocked = d.Blocked
		}
	}
	if onUnknown, err = ParseDecision(first(unknown, Deny.String())); err != nil {
		return 0, 0, "", nil, fmt.Errorf("on_unknown: %w", err)
	}
	if onInline, err = ParseDecision(first(inline, onUnknown.String())); err != nil {
		return 0, 0, "", nil, fmt.Errorf("inline_code: %w", err)
	}
	if mode = Mode(first(string(mode), string(Enforce))); !slices.Contains([]Mode{Enforce, Advise, Off}, mode) {
		return 0, 0, "", nil, fmt.Errorf("side_effects: %q is no mode: write off, advise or enforce", shown(string(mode)))
	}
	if blocked == nil {
		blocked = DefaultBlocked()
	}
	for _, e := range blocked {
		if _, err := ParseEffect(string(e)); err != nil {
			return 0, 0, "", nil, fmt.Errorf("blocked side effects: %w", err)
		}
	}
	return onUnknown, onInline, mode, ordered(blocked), nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
