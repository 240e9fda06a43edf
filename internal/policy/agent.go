package policy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whelk/internal/command"
)

// Agent says which processes the agent and its server are. The zero value
// knows only what holds everywhere.
type Agent struct {
	// PIDs holds the processes of the server and of its client.
	PIDs []int
	// Names holds names of their programs.
	Names []string
}

// isKilledBy tells whether kill, pkill or killall means the agent: its number,
// its name, the parent of the shell (which is the server), or every process.
func (a Agent) isKilledBy(name string, args []command.Word) bool {
	if slices.ContainsFunc(args, func(w command.Word) bool {
		return w.Known && (w.Text == "-l" || w.Text == "-L" || w.Text == "--list")
	}) {
		return false
	}
	for i := range args {
		w := &args[i]
		if strings.Contains(w.Text, "PPID") && !w.Known {
			return true
		}
		if !w.Known {
			continue
		}
		if name == "kill" {
			if a.isNumber(w.Text, i == 0) {
				return true
			}
			continue
		}
		if !isOption(w.Text) && a.isNamed(w.Text, name == "pkill") {
			return true
		}
	}
	return name != "kill" && name != "fuser" && meansAll(args)
}

// isNumber tells whether an argument of kill is the agent, its group, or -1,
// which is everybody. The first argument may be a signal: kill -1 is SIGHUP.
func (a Agent) isNumber(text string, first bool) bool {
	pid, err := strconv.Atoi(text)
	if err != nil {
		return false
	}
	if pid < 0 && first {
		return false
	}
	return pid == -1 || pid == 1 || slices.Contains(a.PIDs, max(pid, -pid))
}

// isNamed tells whether a name, or the pattern of pkill, means the agent's
// programs.
func (a Agent) isNamed(text string, isPattern bool) bool {
	if !isPattern {
		return text == server || slices.Contains(a.Names, text)
	}
	if strings.Contains(text, server) { // as in pkill -f 'whelk serve'
		return true
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return true // pkill knows forms that RE2 does not
	}
	return pattern.MatchString(server) || slices.ContainsFunc(a.Names, pattern.MatchString)
}

// server is the name of the server's program.
const server = "whelk"

// meansAll tells whether pkill or killall selects by user alone.
func meansAll(args []command.Word) bool {
	selects := false
	for i := 0; i < len(args); i++ {
		switch text := args[i].Text; {
		case text == "-u" || text == "-U" || text == "--user" || text == "--euid" || text == "-g" || text == "--uid":
			selects = true
			i++
		case !isOption(text):
			return false
		}
	}
	return selects
}
