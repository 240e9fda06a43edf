package config

import (
	"math"
	"slices"
	"time"
)

const (
	kib = 1 << 10
	gib = 1 << 30

	// maxOutputCeiling bounds max-output, in bytes. Clients drop a connection over a
	// message of 1 MiB. A control character takes six bytes in JSON, and both forms
	// of a result are two copies: 12 times this, and the rest, must stay below.
	maxOutputCeiling = 80 * kib
	// maxWaitFloor and maxWaitCeiling bound max-wait: under a second no call could
	// say more than "still running", and past ten minutes no client still listens.
	maxWaitFloor   = time.Second
	maxWaitCeiling = 10 * time.Minute
	// The bounds of buffer, in bytes. The floor is a page of memory. The ceiling
	// catches a slip of the unit: it holds for each stream of each execution.
	bufferFloor   = 4 * kib
	bufferCeiling = gib

	noDurationLimit = time.Duration(math.MaxInt64)
)

// Options returns all options in the order in which help, the documents and the
// effective configuration show them. The slice is the caller's own.
func Options() []Option {
	return slices.Concat(fileOption(), serverOptions(), secretOptions(), transportOptions(), timeOptions(), limitOptions(), policyOptions(), endOptions())
}

// configOption is the name of the option that says where the others are written.
const configOption = "config"

// fileOption names the configuration file, which cannot set it.
func fileOption() []Option {
	return []Option{{
		Name: configOption, Kind: "file",
		Doc:   "configuration file, a YAML mapping of options; empty is whelk/config.yaml in XDG_CONFIG_HOME or ~/.config, if it is there",
		apply: applyConfig,
	}}
}

// serverOptions say how the server answers and where commands run.
func serverOptions() []Option {
	return []Option{{
		Name: "tools", Kind: "set,…", Default: ToolsNative,
		Doc:   "tool sets to serve, with commas between them: native, yieldshell, tabshell, mcpshell",
		apply: applyTools,
	}, {
		Name: "result", Kind: ResultText + "|" + ResultStructured + "|" + ResultBoth, Default: ResultText,
		Doc: "form of a tool's result: readable text, JSON fields, or both, each of them complete",
		apply: choice(func(c *Config) *string { return &c.Result },
			ResultText, ResultStructured, ResultBoth),
	}, {
		Name: "log-level", Kind: "debug|info|warn|error", Default: "warn",
		Doc:   "least level of the messages written to standard error",
		apply: applyLogLevel,
	}, {
		Name: stateOption, Kind: "directory", Default: "",
		Doc:   "directory of what the server keeps, such as tokens; empty is whelk in XDG_STATE_HOME or ~/.local/state",
		apply: applyStateDir,
	}, {
		Name: "audit", Kind: AuditOff + "|" + AuditStderr + "|file", Default: AuditOff,
		Doc:   "where the record of each call goes, one line of JSON; the tool set mcpshell keeps records, and takes stderr if nothing is said",
		apply: applyAudit,
	}, {
		Name: "cwd", Kind: "directory", Default: "",
		Doc:   "directory in which a command runs unless its call names another; empty is the server's own",
		apply: applyCwd,
	}, {
		Name: "shell", Kind: "program", Default: "/bin/sh",
		Doc:   "shell that runs a command text unless its call names another",
		apply: applyShell,
	}, {
		Name: "env-set", Kind: "NAME=value", Repeated: true,
		Doc:   "variable for the environment of every command; repeat the flag, or write one entry a line in the variable, for more",
		apply: applyEnvSet,
	}}
}

// secretOptions say what is hidden in what leaves the server.
func secretOptions() []Option {
	return []Option{{
		Name: "redact-env", Kind: "regex",
		Doc:   "regular expression (RE2) that is searched for in names of variables; the values of those are replaced in output, lists and errors",
		apply: applyRegex(func(c *Config) *string { return &c.RedactEnv }),
	}, {
		Name: "redact-formats", Kind: kindSwitch, Default: "false",
		Doc:   "replace what looks like a key of a well-known format, too, such as a cloud's access key, a forge's token or a private key",
		apply: boolean(func(c *Config) *bool { return &c.RedactFormats }),
	}}
}

// timeOptions bound how long things take.
func timeOptions() []Option {
	return []Option{{
		Name: "yield", Kind: "duration", Default: "30s",
		Doc:   "time after which a running command goes to the background and its call returns; max-wait bounds it",
		apply: duration(func(c *Config) *time.Duration { return &c.Yield }, 0, noDurationLimit),
	}, {
		Name: "max-wait", Kind: "duration", Default: "55s",
		Doc:   "longest time that any call blocks, whatever it asks for, from 1s to 10m; many clients give up after 60s",
		apply: duration(func(c *Config) *time.Duration { return &c.MaxWait }, maxWaitFloor, maxWaitCeiling),
	}, {
		Name: "timeout", Kind: "duration", Default: "1h",
		Doc:   "time after which a command is stopped unless its call names another; 0 is never",
		apply: duration(func(c *Config) *time.Duration { return &c.Timeout }, 0, noDurationLimit),
	}, {
		Name: "idle-timeout", Kind: "duration", Default: "0",
		Doc:   "time without output after which a command is stopped unless its call names another; 0 is never",
		apply: duration(func(c *Config) *time.Duration { return &c.IdleTimeout }, 0, noDurationLimit),
	}, {
		Name: "grace", Kind: "duration", Default: "10s",
		Doc:   "time that a command has to end after SIGTERM before it gets SIGKILL",
		apply: duration(func(c *Config) *time.Duration { return &c.Grace }, 0, noDurationLimit),
	}}
}

// limitOptions bound how much is returned, kept and run.
func limitOptions() []Option {
	return []Option{{
		Name: "max-output", Kind: "size", Default: "20000",
		Doc:   "most output in one answer, from 1 byte to 80KiB; the rest stays readable",
		apply: size(func(c *Config) *int64 { return &c.MaxOutput }, 1, maxOutputCeiling),
	}, {
		Name: "buffer", Kind: "size", Default: "256KiB",
		Doc:   "output that each stream of an execution keeps in memory, from 4KiB to 1GiB",
		apply: size(func(c *Config) *int64 { return &c.Buffer }, bufferFloor, bufferCeiling),
	}, {
		Name: "max-executions", Kind: "number", Default: "50",
		Doc:   "most executions alive at once, 1 or more",
		apply: number(func(c *Config) *int { return &c.MaxExecutions }, 1),
	}, {
		Name: "retention", Kind: "duration", Default: "1h",
		Doc:   "time for which a finished execution stays readable",
		apply: duration(func(c *Config) *time.Duration { return &c.Retention }, 0, noDurationLimit),
	}, {
		Name: "max-retained", Kind: "number", Default: "100",
		Doc:   "most finished executions that are kept; the oldest go first",
		apply: number(func(c *Config) *int { return &c.MaxRetained }, 0),
	}}
}

// policyOptions say what commands may do.
func policyOptions() []Option {
	return []Option{{
		Name: "allow", Kind: "command", Repeated: true,
		Doc:   "command that may run, a name or a name with words such as 'git status'; with one, all others are denied",
		apply: applyCommand(func(c *Config) *[]string { return &c.Allow }),
	}, {
		Name: "deny", Kind: "command", Repeated: true,
		Doc:   "command that may not run, a name or a name with words such as 'git push'; it beats allow",
		apply: applyCommand(func(c *Config) *[]string { return &c.Deny }),
	}, {
		Name: "allow-regex", Kind: "regex",
		Doc:   "regular expression (RE2) that is searched for in a command; with one, what it does not match is denied",
		apply: applyRegex(func(c *Config) *string { return &c.AllowRegex }),
	}, {
		Name: "deny-regex", Kind: "regex",
		Doc:   "regular expression (RE2) that is searched for in a command; what it matches is denied",
		apply: applyRegex(func(c *Config) *string { return &c.DenyRegex }),
	}, {
		Name: "on-unknown", Kind: DecisionDeny + "|" + DecisionAsk + "|" + DecisionAllow,
		Doc:   "decision on what cannot be known before it runs; empty is deny if anything is allowed or denied by name",
		apply: applyOnUnknown,
	}, {
		Name: "side-effects", Kind: SideEffectsOff + "|" + SideEffectsAdvise + "|" + SideEffectsEnforce, Default: SideEffectsEnforce,
		Doc: "what becomes of a command with a blocked side effect: not looked for, reported, or denied",
		apply: choice(func(c *Config) *string { return &c.SideEffects },
			SideEffectsOff, SideEffectsAdvise, SideEffectsEnforce),
	}, {
		Name: "blocked-side-effects", Kind: "category", Repeated: true, Default: blockedByDefault,
		Doc:   "categories of side effects that are denied, with commas between them; a comma alone is none",
		apply: applyEffects,
	}, {
		Name: "roots", Kind: "directory", Repeated: true,
		Doc:   "directory in which, or below which, every command must start; none is no limit",
		apply: applyRoot,
	}}
}

// endOptions say how processes are held together and how they end.
func endOptions() []Option {
	return []Option{{
		Name: "containment", Kind: ContainmentAuto + "|cgroup|subreaper|group", Default: ContainmentAuto,
		Doc: "how the processes of a command are found when they leave its group; auto is the best that works",
		apply: choice(func(c *Config) *string { return &c.Containment },
			ContainmentAuto, "cgroup", "subreaper", "group"),
	}, {
		Name: "on-exit", Kind: OnExitStop + "|" + OnExitKeep, Default: OnExitStop,
		Doc: "what becomes of daemons that finished commands left behind when the server ends",
		apply: choice(func(c *Config) *string { return &c.OnExit },
			OnExitStop, OnExitKeep),
	}, {
		Name: "exit-with-parent", Kind: kindSwitch, Default: "false",
		Doc:   "end when the program that started the server has died, also if its end of the input stays open",
		apply: boolean(func(c *Config) *bool { return &c.ExitWithParent }),
	}}
}
