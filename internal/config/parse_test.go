package config

import (
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// refused checks that text was refused, with what must be said about it.
func refused(t *testing.T, text string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%q: the error is %v, want %q in it", text, err, want)
	}
}

func TestDurations(t *testing.T) {
	good := map[string]time.Duration{
		"0": 0, "0s": 0, "-0s": 0, "30s": 30 * time.Second, "500ms": 500 * time.Millisecond,
		"1h30m": 90 * time.Minute, "1.5h": 90 * time.Minute, "1ns": 1,
	}
	for text, want := range good {
		t.Run(text, func(t *testing.T) {
			if d, err := parseDuration(text); err != nil || d != want {
				t.Errorf("%q is %v, %v; want %v", text, d, err, want)
			}
		})
	}
	bad := map[string]string{
		"": "it is empty", " ": "it is not a duration", "30": "it has no unit; write 30s for seconds or 30ms for milliseconds",
		"00": "it has no unit", "1.5": "it is not a duration", "-1s": "it is negative", "-5": "it is not a duration",
		"NaN": "it is not a duration", "Inf": "it is not a duration", "1d": "it is not a duration", "30S": "it is not a duration",
		"30 s": "it is not a duration", "9999999h": "is one past 292 years", strings.Repeat("9", 30): "it is not a duration",
	}
	for text, want := range bad {
		t.Run(text, func(t *testing.T) {
			_, err := parseDuration(text)
			refused(t, text, err, want)
		})
	}
}

func TestSizes(t *testing.T) {
	good := map[string]int64{
		"0": 0, "1": 1, "20000": 20000, "10B": 10, "256KiB": 262144, "3MiB": 3 << 20, "1GiB": 1 << 30,
		"9223372036854775807": math.MaxInt64, "8589934591GiB": 8589934591 << 30, "007": 7,
	}
	for text, want := range good {
		t.Run(text, func(t *testing.T) {
			if n, err := parseSize(text); err != nil || n != want {
				t.Errorf("%q is %d, %v; want %d", text, n, err, want)
			}
		})
	}
	bad := map[string]string{
		"": "it is empty", "-1": "it is negative", "KiB": "it is not a size", "NaN": "it is not a size", "1.5MiB": "it is not a size",
		"+1": "it is not a size", "256KB": `the unit "KB" is not known`, "256kib": `the unit "kib" is not known`,
		"256 KiB": `the unit " KiB" is not known`, "1e3": `the unit "e3" is not known`, "1TiB": `the unit "TiB" is not known`,
		"9223372036854775808": "it is too large", "8589934592GiB": "it is too large", strings.Repeat("9", 30): "it is too large",
	}
	for text, want := range bad {
		t.Run(text, func(t *testing.T) {
			_, err := parseSize(text)
			refused(t, text, err, want)
		})
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "50": 50, "007": 7, "9223372036854775807": math.MaxInt64} {
		t.Run(text, func(t *testing.T) {
			if n, err := parseNumber(text); err != nil || n != want {
				t.Errorf("%q is %d, %v; want %d", text, n, err, want)
			}
		})
	}
	bad := map[string]string{
		"": "it is empty", "-1": "it is negative", "-": "it is not a whole number", "1.0": "it is not a whole number",
		"+1": "it is not a whole number", "5k": "it is not a whole number", "9223372036854775808": "it is too large",
	}
	for text, want := range bad {
		t.Run(text, func(t *testing.T) {
			_, err := parseNumber(text)
			refused(t, text, err, want)
		})
	}
}

func TestBoundsAreInclusiveAndNamed(t *testing.T) {
	good := []struct{ option, text string }{
		{"max-wait", "1s"},
		{"max-wait", "10m"},
		{"max-output", "1"},
		{"max-output", "81920"},
		{"buffer", "4096"},
		{"buffer", "1GiB"},
		{"max-executions", "1"},
		{"max-retained", "0"},
		{"retention", "0"},
	}
	for _, test := range good {
		t.Run(test.option+" "+test.text, func(t *testing.T) {
			if err := Options()[indexOf(t, test.option)].apply(new(Config), test.text); err != nil {
				t.Error(err)
			}
		})
	}
	bad := []struct{ option, text, want string }{
		{"max-wait", "999ms", "it is too short; write 1s or more"},
		{"max-wait", "10m1s", "it is too long; write 10m or less"},
		{"max-output", "0", "it is too small; write 1 or more"},
		{"max-output", "81KiB", "it is too large; write 80KiB or less"},
		{"exit-with-parent", "yes", "it is neither true nor false"},
		{"buffer", "4095", "it is too small; write 4KiB or more"},
		{"buffer", "1025MiB", "it is too large; write 1GiB or less"},
		{"max-executions", "0", "it is too small; write 1 or more"},
		{"max-executions", "many", "it is not a whole number"},
	}
	for _, test := range bad {
		t.Run(test.option+" "+test.text, func(t *testing.T) {
			err := Options()[indexOf(t, test.option)].apply(new(Config), test.text)
			refused(t, test.text, err, test.want)
		})
	}
}

func TestWordsAndPaths(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	bad := []struct{ option, text, want string }{
		{"tools", "", "it is none of native, yieldshell, tabshell, mcpshell"},
		{"tools", "native,", "it is none of native"},
		{"tools", "tab-shell", "did you mean tabshell?"},
		{"tools", "native,native", "native is there twice"},
		{"tools", "yieldshell,native", "two dialects of the same tools"},
		{"listen", "", "it is no address"},
		{"listen", "8377", "it is no address"},
		{"listen", "localhost:http", "its port is none"},
		{"listen", "localhost:65536", "its port is none"},
		{"listen", "localhost:08", "its port is none"},
		{"listen", "unix:", "it has no path"},
		{"auth", "bearer", "it is none of token, jwt, none"},
		{"jwt-issuer", "example.org", "it is no URL"},
		{"jwt-audience", "a\nb", "a line break"},
		{"tls-cert", filepath.Join(dir, "missing"), "it cannot be read: no such file"},
		{"allowed-hosts", "", "it is no host"},
		{"allowed-hosts", "*", "it is no host"},
		{"allowed-hosts", "https://a", "it is no host"},
		{"allowed-hosts", "a/b", "it is no host"},
		{"allowed-origins", "*", "it is no origin"},
		{"allowed-origins", "null", "it is no origin"},
		{"allowed-origins", "https://a/", "it is no origin"},
		{"allowed-origins", "example.org", "it is no origin"},
		{"session-idle", "1s", "it is too short; write 10s or more"},
		{"result", "json", "it is none of text, structured, both"},
		{"result", "Text", "it is none of text, structured, both; did you mean text?"},
		{"result", "", "it is none of text, structured, both"},
		{"log-level", "warning", "it is none of debug, info, warn, error; did you mean warn?"},
		{"audit", "", "it is empty; write off, stderr or the path of a file"},
		{"log-level", "INFO+2", "it is none of debug, info, warn, error; did you mean info?"},
		{"cwd", filepath.Join(dir, "missing"), "there is no such directory"},
		{"cwd", file, "it is not a directory"},
		{"cwd", file + "/x", "it cannot be used"},
		{"shell", "", "it is empty"},
		{"env-set", "", "it has no name; write NAME=value"},
		{"env-set", "NAME", "it has no name; write NAME=value"},
		{"env-set", "=value", "it has no name; write NAME=value"},
		{"env-set", "A=\x00", "it holds a NUL byte"},
		{"cwd", "~/missing", "~ stands for nothing here"},
		{"roots", "", "it is empty; write a directory"},
		{"roots", file, "it is not a directory"},
		{"allow", " ", "it is empty; write a command"},
		{"deny", "rm\ndd", "it holds a NUL byte or a line break"},
		{"deny-regex", "(", "it is no regular expression"},
		{"redact-env", "(", "it is no regular expression"},
		{"redact-formats", "yes", "it is neither true nor false"},
		{"deny-regex", `\1`, "it is no regular expression"},
		{"on-unknown", "Deny", "it is none of deny, ask, allow; did you mean deny?"},
		{"side-effects", "on", "it is none of off, advise, enforce"},
	}
	for _, test := range bad {
		t.Run(test.option+" "+test.text, func(t *testing.T) {
			err := Options()[indexOf(t, test.option)].apply(new(Config), test.text)
			refused(t, test.text, err, test.want)
		})
	}
	for text, want := range map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError} {
		c := new(Config)
		if err := applyLogLevel(c, text); err != nil || c.LogLevel != want {
			t.Errorf("level %s is %v, %v", text, c.LogLevel, err)
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, seed := range []string{"", "0", "30", "30s", "1h30m", "1h0m0s", "-1s", "NaN", "9999999h", "1.5h", "10m0s", "2562047h47m16.854775807s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDuration(text)
		if err != nil {
			return
		}
		if again, err := parseDuration(formatDuration(d)); err != nil || again != d || d < 0 {
			t.Errorf("%q is %d, written %q, which is %d (%v)", text, d, formatDuration(d), again, err)
		}
	})
}

func FuzzSize(f *testing.F) {
	for _, seed := range []string{"", "0", "1", "20000", "256KiB", "3MiB", "1GiB", "10B", "-1", "1.5MiB", "9223372036854775808", "8589934591GiB"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseSize(text)
		if err != nil {
			return
		}
		if again, err := parseSize(formatSize(n)); err != nil || again != n || n < 0 {
			t.Errorf("%q is %d, written %q, which is %d (%v)", text, n, formatSize(n), again, err)
		}
	})
}
