package config

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"
)

// parsed returns a flag set with the flags of AddFlags, set by line.
func parsed(t *testing.T, line ...string) *pflag.FlagSet {
	t.Helper()
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	AddFlags(fs)
	if err := fs.Parse(line); err != nil {
		t.Fatal(err)
	}
	return fs
}

// defaultConfig writes the defaults out once more: they are a promise, and a change
// of one must be meant.
func defaultConfig(t *testing.T) *Config {
	t.Helper()
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return &Config{
		Tools:  []string{ToolsNative},
		Result: "text", Audit: "off", LogLevel: slog.LevelWarn, Cwd: cwd, Shell: "/bin/sh",
		Transport: "stdio", Listen: "127.0.0.1:8377", Auth: "token", SessionIdle: 30 * time.Minute, MaxSessions: 1000, MaxCalls: 256,
		Yield: 30 * time.Second, MaxWait: 55 * time.Second, Timeout: time.Hour, Grace: 10 * time.Second,
		MaxOutput: 20000, Buffer: 262144, MaxExecutions: 50, Retention: time.Hour, MaxRetained: 100,
		Containment: "auto", OnExit: "stop", SideEffects: "enforce",
		BlockedSideEffects: []string{"KILLS_AGENT_PROCESS", "MODIFIES_OS_SETTINGS", "MODIFIES_OS_USER_SETTINGS", "MODIFIES_PROTECTED_FILES"},
	}
}

func TestDefaultsAreThePromisedOnes(t *testing.T) {
	for name, fs := range map[string]*pflag.FlagSet{"no flag set": nil, "no flags": new(pflag.FlagSet), "no flag given": parsed(t)} {
		t.Run(name, func(t *testing.T) {
			c, values, err := Load(fs, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(defaultConfig(t), c); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for i, o := range Options() {
				if want := (Value{Option: o.Name, Text: o.Default, Origin: "default"}); values[i] != want {
					t.Errorf("value %d is %+v, want %+v", i, values[i], want)
				}
			}
		})
	}
}

func TestEveryOptionIsReadFromFlagVariableAndFile(t *testing.T) {
	dir := t.TempDir()
	settings := []struct {
		option, text string
		change       func(*Config)
	}{
		{"config", os.DevNull, func(c *Config) { c.File = os.DevNull }},
		{"tools", "tabshell, native", func(c *Config) { c.Tools = []string{"tabshell", "native"} }},
		{"result", "both", func(c *Config) { c.Result = "both" }},
		{"log-level", "debug", func(c *Config) { c.LogLevel = slog.LevelDebug }},
		{"state-dir", dir, func(c *Config) { c.StateDir = dir }},
		{"audit", "/var/log/whelk.jsonl", func(c *Config) { c.Audit = "/var/log/whelk.jsonl" }},
		{"cwd", dir, func(c *Config) { c.Cwd = dir }},
		{"shell", "bash", func(c *Config) { c.Shell = "bash" }},
		{"env-set", "A=b=c", func(c *Config) { c.EnvSet = []string{"A=b=c"} }},
		{"redact-env", "TOKEN|_KEY$", func(c *Config) { c.RedactEnv = "TOKEN|_KEY$" }},
		{"redact-formats", "true", func(c *Config) { c.RedactFormats = true }},
		{"transport", "http", func(c *Config) { c.Transport = "http" }},
		{"listen", "unix:/run/whelk.sock", func(c *Config) { c.Listen = "unix:/run/whelk.sock" }},
		{"auth", "none", func(c *Config) { c.Auth = "none" }},
		{"jwt-issuer", "https://id.example.org", func(c *Config) { c.JWTIssuer = "https://id.example.org" }},
		{"jwt-audience", "whelk", func(c *Config) { c.JWTAudience = "whelk" }},
		{"jwt-keys", "/etc/keys.json", func(c *Config) { c.JWTKeys = "/etc/keys.json" }},
		{"jwt-scope", "run", func(c *Config) { c.JWTScope = "run" }},
		{"tls-cert", os.DevNull, func(c *Config) { c.TLSCert = os.DevNull }},
		{"tls-key", os.DevNull, func(c *Config) { c.TLSKey = os.DevNull }},
		{"tls-client-ca", os.DevNull, func(c *Config) { c.TLSClientCA = os.DevNull }},
		{"behind-proxy", "true", func(c *Config) { c.BehindProxy = true }},
		{"allowed-hosts", "Whelk.example.org:443", func(c *Config) { c.AllowedHosts = []string{"whelk.example.org:443"} }},
		{"allowed-origins", "https://example.org", func(c *Config) { c.AllowedOrigins = []string{"https://example.org"} }},
		{"session-idle", "10s", func(c *Config) { c.SessionIdle = 10 * time.Second }},
		{"max-sessions", "1", func(c *Config) { c.MaxSessions = 1 }},
		{"max-calls", "1", func(c *Config) { c.MaxCalls = 1 }},
		{"yield", "0", func(c *Config) { c.Yield = 0 }},
		{"max-wait", "10m", func(c *Config) { c.MaxWait = 10 * time.Minute }},
		{"timeout", "0", func(c *Config) { c.Timeout = 0 }},
		{"idle-timeout", "90s", func(c *Config) { c.IdleTimeout = 90 * time.Second }},
		{"grace", "1h30m", func(c *Config) { c.Grace = 90 * time.Minute }},
		{"max-output", "80KiB", func(c *Config) { c.MaxOutput = 81920 }},
		{"buffer", "1GiB", func(c *Config) { c.Buffer = 1 << 30 }},
		{"max-executions", "1", func(c *Config) { c.MaxExecutions = 1 }},
		{"retention", "0", func(c *Config) { c.Retention = 0 }},
		{"max-retained", "0", func(c *Config) { c.MaxRetained = 0 }},
		{"allow", "git status", func(c *Config) { c.Allow = []string{"git status"} }},
		{"deny", "rm", func(c *Config) { c.Deny = []string{"rm"} }},
		{"allow-regex", "^git ", func(c *Config) { c.AllowRegex = "^git " }},
		{"deny-regex", "rm|dd", func(c *Config) { c.DenyRegex = "rm|dd" }},
		{"on-unknown", "ask", func(c *Config) { c.OnUnknown = "ask" }},
		{"side-effects", "off", func(c *Config) { c.SideEffects = "off" }},
		{"blocked-side-effects", "OTHER, UNKNOWN,OTHER", func(c *Config) { c.BlockedSideEffects = []string{"OTHER", "UNKNOWN"} }},
		{"roots", dir, func(c *Config) { c.Roots = []string{dir} }},
		{"containment", "group", func(c *Config) { c.Containment = "group" }},
		{"on-exit", "keep-detached", func(c *Config) { c.OnExit = "keep-detached" }},
		{"exit-with-parent", "true", func(c *Config) { c.ExitWithParent = true }},
	}
	options := Options()
	if len(settings) != len(options) {
		t.Fatalf("%d options are tested, of %d", len(settings), len(options))
	}
	for i, s := range settings {
		t.Run(s.option, func(t *testing.T) {
			o := options[i]
			want := defaultConfig(t)
			s.change(want)
			written := filepath.Join(t.TempDir(), "config.yaml")
			check := func(fs *pflag.FlagSet, environ []string, origin string) {
				t.Helper()
				c, values, err := Load(fs, environ)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, c); diff != "" {
					t.Errorf("from %s (-want +got):\n%s", origin, diff)
				}
				if v := (Value{Option: s.option, Text: s.text, Origin: origin}); values[i] != v {
					t.Errorf("the value is %+v, want %+v", values[i], v)
				}
			}
			check(parsed(t, o.Flag(), s.text), nil, "flag --"+s.option)
			check(parsed(t), []string{o.Variable() + "=" + s.text}, "variable "+o.Variable())
			if o.Name == configOption {
				return // a file cannot set it
			}
			text := strconv.Quote(s.text)
			if o.Repeated {
				text = "[" + text + "]"
			}
			write(t, written, o.FileKey()+": "+text)
			want.File = written
			check(parsed(t, "--config", written), nil, "file "+written+":1")
		})
	}
}

func TestFlagBeatsVariableBeatsFileBeatsDefault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	tests := []struct {
		name, flag, variable, file string
		want                       time.Duration
		origin                     string
	}{
		{"all", "1s", "2s", "yield: 3s", time.Second, "flag --yield"},
		{"variable and file", "", "2s", "yield: 3s", 2 * time.Second, "variable WHELK_YIELD"},
		{"file", "", "", "\nyield: 3s", 3 * time.Second, "file " + path + ":2"},
		{"none", "", "", "", 30 * time.Second, "default"},
		{"flag equal to the default", "30s", "2s", "", 30 * time.Second, "flag --yield"},
		{"a fault that does not decide", "1s", "nonsense", "yield: nonsense", time.Second, "flag --yield"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			write(t, path, test.file)
			line := []string{"--config", path}
			if test.flag != "" {
				line = append(line, "--yield="+test.flag)
			}
			// An empty variable counts as unset; of two of a name the first counts.
			environ := []string{"WHELK_YIELD=" + test.variable, "WHELK_YIELD=9s"}
			c, values, err := Load(parsed(t, line...), environ)
			if err != nil {
				t.Fatal(err)
			}
			i := indexOf(t, "yield")
			if c.Yield != test.want || values[i].Origin != test.origin {
				t.Errorf("yield is %v from %s, want %v from %s", c.Yield, values[i].Origin, test.want, test.origin)
			}
		})
	}
}

func indexOf(t *testing.T, name string) int {
	t.Helper()
	for i, o := range Options() {
		if o.Name == name {
			return i
		}
	}
	t.Fatalf("no option %s", name)
	return 0
}

func TestTheLastOfARepeatedFlagCounts(t *testing.T) {
	c, _, err := Load(parsed(t, "--yield=1s", "--yield=2s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Yield != 2*time.Second {
		t.Errorf("yield is %v", c.Yield)
	}
}

func TestEnvSetTakesManyEntries(t *testing.T) {
	tests := []struct {
		name    string
		line    []string
		environ []string
		want    []string
	}{
		{"flags", []string{"--env-set=A=1", "--env-set=B=x,y", "--env-set=A="}, nil, []string{"A=1", "B=x,y", "A="}},
		{"a flag of two lines is one entry", []string{"--env-set=A=1\nB=2"}, nil, []string{"A=1\nB=2"}},
		{"variable", nil, []string{"WHELK_ENV_SET=A=1\n\nB=x y,z\n"}, []string{"A=1", "B=x y,z"}},
		{"flags replace the variable", []string{"--env-set=C=3"}, []string{"WHELK_ENV_SET=A=1"}, []string{"C=3"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, _, err := Load(parsed(t, test.line...), test.environ)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, c.EnvSet); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRelativeCwdBecomesAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	c, _, err := Load(parsed(t, "--cwd=sub"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := filepath.Abs("sub")
	if err != nil || c.Cwd != want {
		t.Errorf("cwd is %q, want %q (%v)", c.Cwd, want, err)
	}
}

func TestAllFaultsAreReportedWithTheirOrigin(t *testing.T) {
	c, values, err := Load(parsed(t, "--yield=30", "--env-set=A=1", "--env-set=x"), []string{"WHELK_MAX_OUTPUT=1MB", "WHELK_YIELD=1s"})
	if c != nil {
		t.Error("there is a configuration next to an error")
	}
	if len(values) != len(Options()) {
		t.Errorf("%d values of %d options", len(values), len(Options()))
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("the error is %#v", err)
	}
	want := []error{
		&Error{Option: "env-set", Origin: "flag --env-set", Value: "x"},
		&Error{Option: "yield", Origin: "flag --yield", Value: "30"},
		&Error{Option: "max-output", Origin: "variable WHELK_MAX_OUTPUT", Value: "1MB"},
	}
	if diff := cmp.Diff(want, joined.Unwrap(), cmpopts.IgnoreFields(Error{}, "Reason")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const first = `invalid value "x" for option env-set, from flag --env-set: it has no name; write NAME=value`
	if line, _, _ := strings.Cut(err.Error(), "\n"); line != first {
		t.Errorf("the first line is %s", line)
	}
}

func TestErrorCutsALongValue(t *testing.T) {
	value := strings.Repeat("é", 5000)
	_, _, err := Load(parsed(t, "--yield=a"+value), nil)
	var fault *Error
	if !errors.As(err, &fault) || fault.Value != "a"+value {
		t.Fatalf("the error does not hold the value: %v", err)
	}
	if text := err.Error(); len(text) > 400 || !strings.Contains(text, `éé…"`) {
		t.Errorf("the text is %s", text)
	}
}
