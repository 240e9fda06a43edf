package execution

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The real-time signals that programs may use: the C library keeps 32 and 33
// for itself and calls 34 SIGRTMIN.
const (
	realtimeMin syscall.Signal = 34
	realtimeMax syscall.Signal = 64
)

// aliases are the second names that signal(7) has for some signals.
var aliases = map[string]syscall.Signal{"SIGCLD": syscall.SIGCHLD, "SIGIOT": syscall.SIGABRT, "SIGPOLL": syscall.SIGIO}

// ParseSignal returns the signal of a name: TERM or SIGTERM in any case, and
// SIGRTMIN, SIGRTMIN+n, SIGRTMAX-n. Numbers are no names (mcp-yieldshell
// refuses them, since they differ between machines).
func ParseSignal(name string) (syscall.Signal, error) {
	full := strings.ToUpper(name)
	if !strings.HasPrefix(full, "SIG") {
		full = "SIG" + full
	}
	if sig := unix.SignalNum(full); sig != 0 {
		return sig, nil
	}
	if sig := aliases[full]; sig != 0 {
		return sig, nil
	}
	if sig, ok := realtime(full); ok {
		return sig, nil
	}
	return 0, errorf(InvalidArgument, "there is no signal '%s': give a name such as SIGTERM, SIGINT, SIGHUP, SIGUSR1 or SIGKILL. Nothing was sent", shown(name))
}

func realtime(name string) (syscall.Signal, bool) {
	base, offset := realtimeMin, strings.TrimPrefix(name, "SIGRTMIN")
	if offset == name {
		if base, offset = realtimeMax, strings.TrimPrefix(name, "SIGRTMAX"); offset == name {
			return 0, false
		}
	}
	if offset == "" {
		return base, true
	}
	n, err := strconv.Atoi(offset) // its sign is part of the name
	sig := base + syscall.Signal(n)
	if err != nil || offset[0] != '+' && offset[0] != '-' || sig < realtimeMin || sig > realtimeMax {
		return 0, false
	}
	return sig, true
}

// SignalName returns the name of a signal with its SIG, "" for none.
func SignalName(sig syscall.Signal) string {
	switch {
	case sig == 0:
		return ""
	case sig == realtimeMin:
		return "SIGRTMIN"
	case sig > realtimeMin && sig <= realtimeMax:
		return fmt.Sprintf("SIGRTMIN+%d", sig-realtimeMin)
	}
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}
