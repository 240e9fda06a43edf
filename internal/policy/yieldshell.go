package policy

import "fmt"

// YieldShell returns the settings of mcp-yieldshell: expressions that are
// searched in the command, the denying one first, and blocked side effects of
// what the caller declares. nil blocks that server's defaults, which are
// DefaultBlocked and RUNS_INLINE_CODE. "" is no expression.
func YieldShell(denyRegex, allowRegex string, blocked []Effect) (Options, error) {
	for name, text := range map[string]string{
		"YIELDSHELL_DENY_COMMAND_REGEX": denyRegex, "YIELDSHELL_ALLOW_COMMAND_REGEX": allowRegex,
	} {
		if _, err := compileRegex(text); err != nil {
			return Options{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if blocked == nil {
		blocked = append(DefaultBlocked(), RunsInlineCode)
	}
	return Options{
		DenyRegex: denyRegex, AllowRegex: allowRegex, AllowRegexInText: true, SideEffects: Off, Blocked: blocked,
	}, nil
}
