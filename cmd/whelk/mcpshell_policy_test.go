package main

import (
	"path/filepath"
	"testing"

	"whelk/internal/mcptest"
)

func TestMCPShellAllowsWhatIsListed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		env     []string
		command []string
		refused string // in the message; "" is none
	}{
		{"one list", []string{"ALLOW_COMMANDS=ls, echo"}, []string{"echo", "x"}, ""},
		{"the other name of it", []string{"ALLOWED_COMMANDS=echo"}, []string{"echo", "x"}, ""},
		{"both", []string{"ALLOW_COMMANDS=ls", "ALLOWED_COMMANDS=echo"}, []string{"echo", "x"}, ""},
		{"not listed", []string{"ALLOW_COMMANDS=ls"}, []string{"cat"}, `"cat"`},
		{"another spelling (M11)", []string{"ALLOW_COMMANDS=echo"}, []string{" echo", "x"}, `" echo"`},
		{"by path", []string{"ALLOW_COMMANDS=echo"}, []string{"/bin/echo", "x"}, `"/bin/echo"`},
		{"a path that is listed", []string{"ALLOW_COMMANDS=/bin/echo"}, []string{"/bin/echo", "x"}, ""},
		{"a star is a name", []string{"ALLOW_COMMANDS=*"}, []string{"echo"}, `"echo"`},
		{"in a later stage", []string{"ALLOW_COMMANDS=echo"}, []string{"echo", "|", "cat"}, `"cat"`},
		{"a pattern", []string{"ALLOW_PATTERNS=ec.o"}, []string{"echo", "x"}, ""},
		{"a pattern is the whole name", []string{"ALLOW_PATTERNS=ls"}, []string{"lsof"}, `"lsof"`},
		{"nothing is", []string{"HOME=/"}, []string{"ls"}, "ALLOW_COMMANDS"},
		{"an unsafe pattern", []string{"ALLOW_COMMANDS=ls", "ALLOW_PATTERNS=ls|cat"}, []string{"ls"}, "ls|cat"},
		{"a broken pattern", []string{"ALLOW_COMMANDS=ls", "ALLOW_PATTERNS=(ls"}, []string{"ls"}, "(ls"},
		{"what an allowed program runs is its own affair", []string{"ALLOW_COMMANDS=make"}, []string{"make", "--version"}, ""},
		{"what whelk itself is told counts, too", []string{"ALLOW_COMMANDS=echo", "WHELK_DENY=echo"}, []string{"echo", "x"}, "deny"},
		{"the default security policy beats the list", []string{"ALLOW_COMMANDS=env"}, []string{"env"}, "env"},
		{"and the patterns", []string{"ALLOW_PATTERNS=.*"}, []string{"python3", "-V"}, "python"},
		{"and knows dangerous options", []string{"ALLOW_COMMANDS=find"}, []string{"find", ".", "-exec", "ls", "{}", "+"}, "find -exec"},
		{"and other names of programs", []string{"ALLOW_COMMANDS=gawk"}, []string{"gawk", `BEGIN{system("id")}`}, "awk external access"},
		{"in a later stage as well", []string{"ALLOW_COMMANDS=echo,sh"}, []string{"echo", "id", "|", "sh"}, `"sh"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := shell(t, startMCPShell(t, tt.env...), tt.command)
			if tt.refused == "" {
				if a.Error {
					t.Errorf("refused: %+v", a)
				}
				return
			}
			wantFailure(t, a, 1, tt.refused)
			if a.Fields.Error == nil {
				t.Errorf("fields %+v", a.Fields)
			}
		})
	}
}

func TestMCPShellEnvironment(t *testing.T) {
	t.Parallel()
	const path = "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin\n"
	listed := []string{"ALLOW_COMMANDS=printenv", "MCP_SHELL_CHILD_ENV_ALLOWLIST=LANG, OWN ,ABSENT,PATH", "LANG=C", "OWN=mine", "HIDDEN=x"}
	tests := []struct {
		name string
		env  []string
		more Args
		want string
	}{
		{"is the safe path alone", []string{"ALLOW_COMMANDS=printenv", "HIDDEN=x"}, nil, path},
		{"and what is listed", listed, nil, "LANG=C\nOWN=mine\n" + path},
		{"as far as it is listed, of the call (M10)", listed, Args{"envs": Args{"OWN": "yours", "HIDDEN": "y", "PATH": "/evil"}}, "LANG=C\nOWN=yours\n" + path},
		{"with another path", []string{"ALLOW_COMMANDS=printenv", "MCP_SHELL_SAFE_PATH=/usr/bin"}, nil, "PATH=/usr/bin\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := shell(t, startMCPShell(t, tt.env...), []string{"printenv"}, tt.more).Fields.Stdout; got != tt.want {
				t.Errorf("the environment is\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestMCPShellFindsProgramsInTheSafePathAlone(t *testing.T) {
	t.Parallel()
	dir := mcpShellDir(t)
	for _, safe := range []string{"", filepath.Join(dir, "bin") + ":/bin"} {
		s := mcptest.Start(t, mcptest.Options{Path: "mcp-shell-server", Dir: dir, Env: []string{"ALLOW_COMMANDS=tool", "MCP_SHELL_SAFE_PATH=" + safe}})
		a := shell(t, s, []string{"tool", "echo found"})
		if safe != "" {
			wantShell(t, a, "found\n", "", "found")
		} else {
			wantFailure(t, a, 1, "tool")
		}
	}
}
