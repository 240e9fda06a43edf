package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// goldenFiles are the files in {W} that golden cases know of.
var goldenFiles = map[string]string{
	seedYieldShell: `{"sub/":null,"ac/root/in/":null,"ac/rootsib/":null,"ac/root/esc":{"link":"/etc"},
		"ac/linkin":{"link":"{W}/ac/root/in"},"ac/lroot":{"link":"{W}/ac/root"}}`,
	seedTabShell: `{"s.sh":{"run":"#!/bin/bash\necho ranscript\n"},"c.yaml":""}`,
	seedMCPShell: `{"m/in.txt":"alpha\nbeta\n","m/sub/":null,"m/esc":{"link":"/etc"},"m/escf":{"link":"/etc/passwd"},"m/okl":{"link":"in.txt"},
		"m/a2.txt":"x\n","m/c.txt":"","m/dd.txt":"","m/mid.txt":"","m/o.txt":"hi\n","m/o2.txt":"","m/o4.txt":"","m/po.txt":"","m/t.txt":"","m/x.tar":""}`,
}

// goldenSetting is what a golden case needs that its line does not say.
type goldenSetting struct {
	cwd    string            // of the server, below {W}
	config string            // the name of its configuration file's text: one process each
	apart  bool              // it begins a process of its own
	pause  time.Duration     // before it
	files  map[string]string // written before it
	// volatile are the types of values that differ from run to run, by path.
	volatile map[string]string
	// ofOthers says that it shows the work of cases that may have been left out,
	// ofMachine that it shows the machine.
	ofOthers, ofMachine bool
}

// write writes the files of the setting.
func (s goldenSetting) write(dir string) error {
	for name, text := range s.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			return err
		}
	}
	return nil
}

func goldenSettingOf(c *goldenCase) goldenSetting {
	var s goldenSetting
	switch {
	case strings.HasPrefix(c.line.text("server"), seedMCPShell):
		s.cwd = "m"
	case strings.HasPrefix(c.line.text("server"), seedTabShell):
		s.files = generator(c.id)
	}
	if name, ok := strings.CutPrefix(c.id, "yaml."); ok {
		s.config, _, _ = strings.Cut(name, ".")
		if text, ok := map[string]string{"all": "default_timeout: 1\n", "bad-mode": "output_truncation_mode: both\n", "bad-transport": "transport: websocket\n"}[s.config]; ok {
			s.files = map[string]string{"c.yaml": text}
		}
	}
	switch c.id {
	case "allowed_cwds.default-inside", "allowed_cwds.relative-in-server-cwd":
		s.cwd = "ac/root"
	case "allowed_cwds.relative-root":
		s.cwd = "ac"
	case "read.cursorless-b":
		s.pause = 1400 * time.Millisecond // until the second line is there
	case "ttl.after":
		s.pause = 2 * time.Second
	case "sigterm.prep", "sigint.prep", "sigkill.prep", "eof.prep", "eof.bg":
		s.apart = true
	case "group.stop-kills-children", "group.setsid-escape": // they print process numbers
		s.volatile = map[string]string{"json.stdout": "string", "json.next_seq": "integer", "json.latest_seq": "integer"}
	case "fg.nohup", "cli.--timeout 0.probe", "yaml.timeout0.probe": // a process number; what is written before no time is over
		s.volatile = map[string]string{"json.stdout": "string"}
	case "policy dd if=/dev/null of=dd.txt": // prints a rate
		s.volatile = map[string]string{"text[0]": "string"}
	case "list.all", "bg.notimeout.status", "ps.limit2":
		s.ofOthers = true
	case "path.safe":
		s.files = map[string]string{"m/bin/mytool": "#!/bin/sh\necho mytool PATH=$PATH\n"}
	case "env.token", "policy curl --version", "policy wget --version", "policy make --version", "policy git --version", "wlbash.plain", "execute.umask":
		s.ofMachine = true
	}
	return s
}

// generator is the script that the cases of truncation run, which is named in
// the case: o70e31 writes 70 letters to stdout and 31 to stderr.
func generator(id string) map[string]string {
	var out, err int
	i := strings.LastIndex(id, ".")
	if !strings.HasPrefix(id, "trunc100.") {
		return nil
	}
	if _, scanned := fmt.Sscanf(id[i+1:], "o%de%d", &out, &err); scanned != nil {
		return nil
	}
	letters := func(n int) string { return strings.Repeat("abcdefghijklmnopqrstuvwxyz", n/26+1)[:n] }
	return map[string]string{"gen.py": fmt.Sprintf("import sys\nsys.stdout.write(%q)\nsys.stderr.write(%q)\n", letters(out), strings.ToUpper(letters(err)))}
}

// goldenPrelude is what a case did that may have been left out of the files.
type goldenPrelude struct {
	seed, cases string // before these
	tool        string
	arguments   string // ${last} is the handle that was given last
	// binds says that the answer has the handle which the case uses, and that
	// all of it is not needed if that is known.
	binds bool
}

func goldenPreludes() []goldenPrelude {
	const inBackground = `,"side_effects":["NONE"],"yield_ms":300}`
	const stopLast = `{"execution_id":"${last}","force_after_ms":400}`
	return []goldenPrelude{
		{seedYieldShell, "stop.prep.TERM", "stop", stopLast, false},
		{seedYieldShell, "stop.prep.SIGUSR1", "stop", stopLast, false},
		{seedYieldShell, "stop.prep.SIGSTOP", "stop", stopLast, false},
		{seedYieldShell, "stop.prep.SIGCONT", "stop", stopLast, false},
		{seedYieldShell, "ps.trap", "stop", stopLast, false},
		{seedYieldShell, "read.graceful", "stop", `{"execution_id":"${last}"}`, false},
		{seedYieldShell, "ps.empty", "cleanup", `{"completed_older_than_ms":0,"stopped_older_than_ms":0}`, false},
		{seedYieldShell, "retained2.ps", "execute", `{"command":"echo 4","side_effects":["NONE"]}`, false},
		{seedYieldShell, "retained-1.2", "execute", `{"command":"echo 1","side_effects":["NONE"]}`, false},
		{seedYieldShell, "redact.ps", "execute", `{"command":"echo supersecret123","side_effects":["NONE"]}`, false},
		{seedYieldShell, "bgchild.yield", "execute", `{"command":"sleep 3 & echo started","side_effects":["NONE"]}`, false},
		{seedYieldShell, "interleave.*", "execute", `{"command":"for i in 1 2 3; do echo o$i; sleep 0.05; echo e$i >&2; sleep 0.05; done","side_effects":["NONE"]}`, true},
		{seedYieldShell, "tail.noeol.*", "execute", `{"command":"printf 'a\nb\nc'","side_effects":["NONE"]}`, true},
		{seedYieldShell, "redact.page.*", "execute", `{"command":"echo aaa $MY_TOKEN bbb","side_effects":["NONE"],"max_output_bytes":6}`, true},
		{seedYieldShell, "evict.*", "execute", `{"command":"seq 1 100000; echo err >&2","side_effects":["NONE"]}`, true},
		{seedYieldShell, "write.close-then", "execute", `{"command":"sleep 30","close_stdin":false` + inBackground, true},
		{seedYieldShell, "write.epipe", "execute", `{"command":"exec <&-; sleep 30","close_stdin":false` + inBackground, true},
		{seedYieldShell, "bgchild.setsid-writes.read", "execute", `{"command":"setsid sh -c 'sleep 1; echo late' & echo first","side_effects":["NONE"]}`, true},
		{seedTabShell, "bg.stop.status", "stop_background_task", `{"task_id":"${last}"}`, false},
		{seedTabShell, "bg.stop-children.call", "execute_shell_command", `{"command":"sleep 30 & sleep 30","background":true}`, true},
		{seedTabShell, "bg.badcwd.status", "execute_shell_command", `{"command":"echo","cwd":"/no/such","background":true}`, true},
		{seedTabShell, "bg.badshell.status", "execute_shell_command", `{"command":"echo","shell":"/no/such","background":true}`, true},
	}
}

// goldenBug says that a golden case shows a fault of its package, and why
// whelk does not answer the same.
type goldenBug struct {
	seed, cases string // patterns with blanks between them
	row, reason string
}

func goldenBugs() []goldenBug {
	return []goldenBug{
		{seedYieldShell, "execute.stdin-big-unread", "Y3", "stdin_error says what went wrong"},
		{seedYieldShell, "stdin.backpressure.*", "Y3", "stdin_error says what went wrong"},
		{seedYieldShell, "bgchild.writes-later", "Y2", "the descendant's output is in the result"},
		{seedYieldShell, "bgchild.setsid*", "Y4", "a descendant in a session of its own belongs to the command"},
		{seedYieldShell, "utf8.invalid*", "Y6", "positions count the bytes that were written"},
		{seedYieldShell, "retention0.*", "Y8", "results have both handles"},
		{seedYieldShell, "retained0.*", "Y8", "results have both handles"},
		{seedYieldShell, "capped+reaped", "Y7", "a hint names no execution that is gone"},
		{seedYieldShell, "read.since-beyond", "Y9", "a position past the end becomes the end"},
		{seedYieldShell, "tail.max5", "Y10", "a tail that is cut says so"},
		{seedYieldShell, "evict.tail-all", "Y10", "a tail that is cut says so"},
		{seedYieldShell, "default_cwd.relative*", "Y11", "a relative directory is below the configured one"},
		{seedYieldShell, "cancel.ps", "Y12", "a cancelled command that nobody can address has ended"},
		{seedYieldShell, "config.invalid.*", "exit-configuration", "a fault of the configuration ends with 2, as of the command line"},
		{seedYieldShell, "redact.base64", "redact-encoded", "encoded forms of a secret are secrets"},
		{seedYieldShell, "redact.error", "policy-redaction-errors", "error texts are redacted, too"},

		{seedTabShell, "fg.timeout-trap", "T3", "the output so far is kept"},
		{seedTabShell, "trunc10.*.timeout", "T3", "the output so far is kept"},
		{seedTabShell, "fg.bgchild-timeout", "T3", "the output so far is kept"},
		{seedTabShell, "bg.stop.status", "T3", "a killed task has its output"},
		{seedTabShell, "bg.stop-trap.status", "T3", "a killed task has its output"},
		{
			seedTabShell, "bl.alias bl.bash-stdin bl.brace-exp bl.builtin-exec bl.case bl.command bl.elif bl.eval bl.eval-nq bl.find-exec " +
				"bl.function bl.function-kw bl.glob bl.if-cond bl.line-cont bl.nice bl.not bl.parallel bl.pipeamp bl.procsub " +
				"bl.procsub-out bl.python bl.redirect-first bl.redirect-first2 bl.select bl.source bl.subshell bl.sudo " +
				"bl.sudo-bash-c bl.sudo-n bl.timeout bl.trap bl.unbalanced bl.until bl.var bl.var2 bl.watch bl.while bl.xargs",
			"T4", "the list holds whatever the grammar puts around the command",
		},
		{seedTabShell, "bl.func-shadow", "T4", "a function of a listed name is not the program"},
		{seedTabShell, "wl.heredoc", "T5", "data of a here-document is no command"},
		{seedTabShell, "yaml.blacklist-*", "T6", "a list that would not hold keeps the server from starting"},
		{seedTabShell, "cfg.missing-file.*", "T6", "a missing file keeps the server from starting"},
		{seedTabShell, "yaml.unknown-key.*", "yaml-unknown-key", "a key that has no effect is refused"},
		{seedTabShell, "yaml.nested-unknown.*", "yaml-unknown-key", "a key that has no effect is refused"},
		{seedTabShell, "yaml.list.*", "yaml-unknown-key", "a document that has no effect is refused"},
		{seedTabShell, "yaml.scalar.*", "yaml-unknown-key", "a document that has no effect is refused"},
		{
			seedTabShell, "wl.brace wl.comment wl.dbracket wl.for wl.func wl.not wl.subshell wl.time wl.unbalanced",
			"T7", "syntax is no command",
		},
		{seedTabShell, "yaml.bad-type-timeout.*", "T8", "a wrong type keeps the server from starting"},
		{seedTabShell, "yaml.str-timeout.*", "T8", "a wrong type keeps the server from starting"},
		{seedTabShell, "yaml.env-*", "T8", "a wrong type keeps the server from starting"},
		{seedTabShell, "blcfg[/bin/rm]", "policy-path-entry", "a path in a list means that program, by whatever name"},
		{seedTabShell, "arg.shell-null", "param-shell", "a null is no argument"},
		{seedTabShell, "shell.SHELL=missing", "env-shell", "a shell that is not there is passed over"},
		{
			seedTabShell, "trunc10.head.out10err1 trunc10.head.out20 trunc10.head.out20err2 trunc10.head.out2err20 trunc10.head.out30err10 " +
				"trunc10.head.out5err6 trunc10.head.out9err20 trunc10.head.override-other trunc10.head.utf8 " +
				"trunc10.tail.out10err1 trunc10.tail.out10err30 trunc10.tail.out2err20 trunc10.tail.out30err10 " +
				"trunc10.tail.out5err6 trunc10.tail.out8err8 trunc10.tail.override-other trunc10.tail.utf8",
			"T9", "a page without room for the mark has output",
		},
		{seedTabShell, "trunc.max1", "T9", "a page without room for the mark has output"},
		{seedTabShell, "cfg.cli-over-yaml.probe", "T9", "a page without room for the mark has output"},

		{seedTabShell, "yaml.bad-*", "error-exit-code", "a fault of the configuration ends with 2, as of the command line"},

		{seedMCPShell, "leading-space", "M11", "a name with blanks is refused"},
		{seedMCPShell, "pipe.timeout*", "M3", "a pipeline that has no time left fails"},
		{seedMCPShell, "pipe.size.*", "M4", "the stages run together"},
		{seedMCPShell, "pipe.sort", "M5", "the stages run together"},
		{seedMCPShell, "cap.pipe", "M5", "the stages run together"},
		{seedMCPShell, "pipe.stdin", "M6", "stdin is the first stage's"},
		{seedMCPShell, "pipe.redir-mid", "M7", "a redirection holds in each stage"},
		{seedMCPShell, "pipe.utf8-split", "M8", "bytes go through a pipe as they are"},
		{seedMCPShell, "pipe.fail-last-stderr", "M12", "a program that does not read its input has its own result"},
		{seedMCPShell, "op.attached-*", "M15", "arguments are no shell text"},
		{seedMCPShell, "bgchild-timeout", "M13", "descendants are ended, and output is kept"},
		{seedMCPShell, "timeout.str", "wire-repair", "numbers that arrive as text are understood"},
		{seedMCPShell, "envs-arg", "M10", "variables of a call are accepted"},
	}
}
