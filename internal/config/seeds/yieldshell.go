package seeds

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// YieldShell holds the settings of mcp-yieldshell 1.1.0, which has variables
// alone.
type YieldShell struct {
	Dir   string   // of commands that name none, absolute; "" is the server's own
	Roots []string // directories that commands must start in or below; none: anywhere

	MaxOutput     int           // bytes of one answer
	Buffer        int           // bytes of each stream that are kept
	MaxExecutions int           // most that live at once
	Yield         time.Duration // of a call that names none
	MaxYield      time.Duration // 0: every call goes to the background at once
	Timeout       time.Duration // of a call that names none; 0: none
	Retention     time.Duration
	MaxRetained   int

	// Expressions, in RE2's syntax; "" is none.
	DenyCommand, AllowCommand, RedactEnv string

	// Blocked are names of categories, not checked; nil is the default, an empty
	// list is none.
	Blocked []string

	// Warnings name the values that mean nothing and are not used.
	Warnings []string
}

// YieldShellBlocked is the variable that Blocked is from.
const YieldShellBlocked = "MCP_YIELDSHELL_BLOCKED_SIDE_EFFECTS"

// ReadYieldShell reads the settings from variables of the form NAME=value. A
// number that is none is replaced by its default, as the seed's document says. The
// error names every variable that keeps the server from starting.
func ReadYieldShell(environ []string) (YieldShell, error) {
	v := variables{values: make(map[string]string)}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			v.values[name] = value
		}
	}
	s := YieldShell{
		Dir:           v.directory("YIELDSHELL_DEFAULT_CWD"),
		Roots:         v.directories("YIELDSHELL_ALLOWED_CWDS"),
		MaxOutput:     v.number("YIELDSHELL_MAX_OUTPUT_BYTES", 20_000, 1),
		Buffer:        v.number("YIELDSHELL_MAX_BUFFER_BYTES", 262_144, 1),
		MaxExecutions: v.number("YIELDSHELL_MAX_PROCESSES", 50, 1),
		Yield:         v.milliseconds("YIELDSHELL_DEFAULT_YIELD_MS", 30_000),
		MaxYield:      v.milliseconds("YIELDSHELL_MAX_YIELD_MS", 300_000),
		Timeout:       v.milliseconds("YIELDSHELL_DEFAULT_TIMEOUT_MS", 3_600_000),
		Retention:     v.milliseconds("YIELDSHELL_PROCESS_RETENTION_MS", 3_600_000),
		MaxRetained:   v.number("YIELDSHELL_MAX_RETAINED_PROCESSES", 100, 0),
		DenyCommand:   v.expression("YIELDSHELL_DENY_COMMAND_REGEX"),
		AllowCommand:  v.expression("YIELDSHELL_ALLOW_COMMAND_REGEX"),
		RedactEnv:     v.expression("YIELDSHELL_REDACT_ENV_REGEX"),
		Blocked:       v.names(YieldShellBlocked),
	}
	s.Warnings = v.warnings
	return s, errors.Join(v.faults...)
}

// variables reads values of the environment, and gathers what is wrong with them.
type variables struct {
	values   map[string]string
	warnings []string
	faults   []error
}

// wholeNumber is what Python's int takes of ASCII.
var wholeNumber = regexp.MustCompile(`^[+-]?[0-9]+(?:_[0-9]+)*$`)

// number reads a whole number of at least least; anything else is standard.
func (v *variables) number(name string, standard, least int) int {
	text := strings.TrimSpace(v.values[name])
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
	switch {
	case errors.Is(err, strconv.ErrRange): // n is the nearest
	case err != nil || !wholeNumber.MatchString(text):
		v.warn(name, text, "no whole number", standard)
		return standard
	}
	if n < least {
		v.warn(name, text, fmt.Sprintf("less than %d", least), standard)
		return standard
	}
	return n
}

func (v *variables) warn(name, text, what string, standard int) {
	const most = 40 // bytes: enough to recognize it
	v.warnings = append(v.warnings, fmt.Sprintf("%s=%.*q is %s: the default holds, %d", name, most, text, what, standard))
}

// milliseconds reads a duration, which may be zero.
func (v *variables) milliseconds(name string, standard int) time.Duration {
	const longest = math.MaxInt64 / int64(time.Millisecond) // 292 years
	return time.Duration(min(int64(v.number(name, standard, 0)), longest)) * time.Millisecond
}

// directory reads one directory; "" is none.
func (v *variables) directory(name string) string {
	if v.values[name] == "" {
		return ""
	}
	return v.absolute(name, v.values[name])
}

// directories reads directories with colons between them.
func (v *variables) directories(name string) []string {
	var list []string
	for _, dir := range filepath.SplitList(v.values[name]) {
		if strings.TrimSpace(dir) != "" {
			list = append(list, v.absolute(name, dir))
		}
	}
	return list
}

// absolute makes a directory absolute; a relative one counts from the server's.
func (v *variables) absolute(name, dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		v.fault(name, err)
	}
	return abs
}

func (v *variables) expression(name string) string {
	text, err := fromPython(v.values[name])
	if err != nil {
		v.fault(name, err)
	}
	return text
}

// names reads names with commas between them: nil if the variable is not set or
// empty.
func (v *variables) names(name string) []string {
	if v.values[name] == "" {
		return nil
	}
	list := []string{}
	for item := range strings.SplitSeq(v.values[name], ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

func (v *variables) fault(name string, err error) {
	v.faults = append(v.faults, fmt.Errorf("%s: %w", name, err))
}
