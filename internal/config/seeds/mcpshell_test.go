package seeds

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMCPShellDefaults(t *testing.T) {
	got, err := ReadMCPShell([]string{"PATH=/evil", "HOME=/h", "MCP_SHELL_SAFE_PATH=  ", "MCP_SHELL_OUTPUT_LIMIT_BYTES="})
	if err != nil {
		t.Fatal(err)
	}
	want := MCPShell{
		Timeout: 30 * time.Second, MaxTimeout: 300 * time.Second, OutputLimit: 1048576,
		Environ: []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestMCPShellListsAreJoined(t *testing.T) {
	got, err := ReadMCPShell([]string{"ALLOW_COMMANDS= ls , cat,,ls", "ALLOWED_COMMANDS=echo,cat", "ALLOW_PATTERNS=python[0-9.]*, node", "ALLOW_COMMANDS=late"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ls", "cat", "echo"}, got.Commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"python[0-9.]*", "node"}, got.Patterns); diff != "" {
		t.Errorf("patterns (-want +got):\n%s", diff)
	}
}

func TestMCPShellEnvironmentIsThePathAndWhatIsListed(t *testing.T) {
	got, err := ReadMCPShell([]string{
		"PATH=/evil", "LANG=C", "FOO=", "TOKEN=x", "MCP_SHELL_SAFE_PATH=/opt/bin:/bin", "MCP_SHELL_CHILD_ENV_ALLOWLIST=PATH, LANG ,FOO,NOPE",
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"PATH=/opt/bin:/bin", "LANG=C", "FOO="}, got.Environ); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"FOO", "LANG", "NOPE"}, got.CallEnv); diff != "" {
		t.Errorf("names for calls (-want +got):\n%s", diff)
	}
}

func TestMCPShellNumbers(t *testing.T) {
	const def, most, limit = "MCP_SHELL_DEFAULT_TIMEOUT_SECONDS", "MCP_SHELL_MAX_TIMEOUT_SECONDS", "MCP_SHELL_OUTPUT_LIMIT_BYTES"
	tests := []struct {
		name          string
		environ       []string
		timeout, most time.Duration
		limit         int64
		fault         string // in the error
	}{
		{"given", []string{def + "=5", most + "= 60 ", limit + "=1000"}, 5 * time.Second, time.Minute, 1000, ""},
		{"zero is the default", []string{def + "=0", most + "=0", limit + "=0"}, 30 * time.Second, 300 * time.Second, 1 << 20, ""},
		{"less is the default", []string{def + "=-1", limit + "=-1"}, 30 * time.Second, 300 * time.Second, 1 << 20, ""},
		{"the most bounds the default", []string{most + "=2"}, 2 * time.Second, 2 * time.Second, 1 << 20, ""},
		{"the most bounds what is given", []string{def + "=50", most + "=2"}, 2 * time.Second, 2 * time.Second, 1 << 20, ""},
		{"letters (M17)", []string{def + "=abc"}, 0, 0, 0, def + ` is "abc"`},
		{"a fraction (M17)", []string{most + "=1.5"}, 0, 0, 0, most + ` is "1.5"`},
		{"a unit (M17)", []string{limit + "=1MiB"}, 0, 0, 0, limit + ` is "1MiB"`},
		{"past a duration", []string{def + "=9300000000"}, 0, 0, 0, def},
		{"past a number", []string{limit + "=99999999999999999999"}, 0, 0, 0, limit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadMCPShell(tt.environ)
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Errorf("the error is %v, want one with %q", err, tt.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Timeout != tt.timeout || got.MaxTimeout != tt.most || got.OutputLimit != tt.limit {
				t.Errorf("got %v, at most %v, %d bytes; want %v, %v, %d", got.Timeout, got.MaxTimeout, got.OutputLimit, tt.timeout, tt.most, tt.limit)
			}
		})
	}
}
