package policy

import (
	"fmt"
	"slices"
	"strings"

	"whelk/internal/nearest"
)

// Effect is a category of side effects, by the name that callers declare
// (mcp-yieldshell, side_effects).
type Effect string

// The categories. They are all there are.
const (
	ChangesNetworkConfiguration  Effect = "CHANGES_NETWORK_CONFIGURATION"
	ChangesPackages              Effect = "CHANGES_PACKAGES_OR_DEPENDENCIES"
	ConsumesSignificantResources Effect = "CONSUMES_SIGNIFICANT_RESOURCES"
	DeletesFiles                 Effect = "DELETES_FILES"
	ExposesSecrets               Effect = "EXPOSES_SECRETS"
	KillsAgentProcess            Effect = "KILLS_AGENT_PROCESS"
	MakesNetworkRequests         Effect = "MAKES_NETWORK_REQUESTS"
	ModifiesOSSettings           Effect = "MODIFIES_OS_SETTINGS"
	ModifiesOSUserSettings       Effect = "MODIFIES_OS_USER_SETTINGS"
	ModifiesOutsideWorkspace     Effect = "MODIFIES_OUTSIDE_WORKSPACE"
	ModifiesProductionServices   Effect = "MODIFIES_PRODUCTION_SERVICES"
	ModifiesProtectedFiles       Effect = "MODIFIES_PROTECTED_FILES"
	ModifiesSecurityControls     Effect = "MODIFIES_SECURITY_CONTROLS"
	ModifiesWorkspaceFiles       Effect = "MODIFIES_WORKSPACE_FILES"
	None                         Effect = "NONE"
	Other                        Effect = "OTHER"
	RunsInlineCode               Effect = "RUNS_INLINE_CODE"
	RunsPrivilegedCommands       Effect = "RUNS_PRIVILEGED_COMMANDS"
	StopsOrRestartsServices      Effect = "STOPS_OR_RESTARTS_SERVICES"
	UnknownEffect                Effect = "UNKNOWN"
	UsesDestructiveGitOperation  Effect = "USES_DESTRUCTIVE_GIT_OPERATION"
)

// Effects returns all categories in the order of their names. The slice is the
// caller's own.
func Effects() []Effect {
	return []Effect{
		ChangesNetworkConfiguration, ChangesPackages, ConsumesSignificantResources, DeletesFiles, ExposesSecrets,
		KillsAgentProcess, MakesNetworkRequests, ModifiesOSSettings, ModifiesOSUserSettings,
		ModifiesOutsideWorkspace, ModifiesProductionServices, ModifiesProtectedFiles, ModifiesSecurityControls,
		ModifiesWorkspaceFiles, None, Other, RunsInlineCode, RunsPrivilegedCommands, StopsOrRestartsServices,
		UnknownEffect, UsesDestructiveGitOperation,
	}
}

// DefaultBlocked returns the categories that are blocked unless the operator
// says otherwise: what damages the machine or the agent rather than the work.
// mcp-yieldshell blocks RUNS_INLINE_CODE as well. The slice is the caller's own.
func DefaultBlocked() []Effect {
	return []Effect{KillsAgentProcess, ModifiesOSSettings, ModifiesOSUserSettings, ModifiesProtectedFiles}
}

// ParseEffect reads the name of a category. Case matters.
func ParseEffect(name string) (Effect, error) {
	if e := Effect(name); slices.Contains(Effects(), e) {
		return e, nil
	}
	var names []string
	for _, e := range Effects() {
		names = append(names, string(e))
	}
	fault := fmt.Sprintf("%q is no side-effect category", shown(name))
	if near := nearest.Name(name, names); near != "" {
		return "", fmt.Errorf("%s; did you mean %s?", fault, near)
	}
	return "", fmt.Errorf("%s: the categories are %s", fault, strings.Join(names, ", "))
}

// ParseDeclared reads what a caller declares. NONE excludes every other
// category; twice the same is once (mcp-yieldshell, Side-Effects Guide).
// Whether nothing may be declared is the caller's rule.
func ParseDeclared(names []string) ([]Effect, error) {
	var declared []Effect
	for _, name := range names {
		e, err := ParseEffect(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(declared, e) {
			declared = append(declared, e)
		}
	}
	if len(declared) > 1 && slices.Contains(declared, None) {
		var others []string
		for _, e := range declared {
			if e != None {
				others = append(others, string(e))
			}
		}
		return nil, fmt.Errorf("NONE excludes every other category, and was declared with %s: leave one of the two out", strings.Join(others, ", "))
	}
	return declared, nil
}

// Advice returns a safer next step for a category that is blocked, as one
// sentence.
func (e Effect) Advice() string {
	switch e {
	case ChangesNetworkConfiguration:
		return "Read the network's configuration instead, and leave changes to a person."
	case ChangesPackages:
		return "Work with what is installed, or name the package that is missing and let a person add it."
	case ConsumesSignificantResources:
		return "Run a smaller piece of the work first, with a limit on time and memory."
	case DeletesFiles:
		return "List what would go, or move it to a folder of the workspace, and leave the deletion to a person."
	case ExposesSecrets:
		return "Check that the secret exists without printing it, and refer to it by its name."
	case KillsAgentProcess:
		return "Stop only executions that you started, through the stop tool and their execution_id."
	case MakesNetworkRequests:
		return "Use what is on this machine, or ask a person to fetch the file into the workspace."
	case ModifiesOSSettings:
		return "Put the setting into the project or into the environment of this one command; for the machine, ask a person."
	case ModifiesOSUserSettings:
		return "Set the value for this command alone, through env or an option, and leave the user's own files as they are."
	case ModifiesOutsideWorkspace:
		return "Write to a file inside the workspace."
	case ModifiesProductionServices:
		return "Make a plan or a dry run, and hand it to the person who releases."
	case ModifiesProtectedFiles:
		return "Write the proposal to an ordinary file of the workspace, and let a person put it in place."
	case ModifiesSecurityControls:
		return "Describe the change of rights that is needed, and let a person make it."
	case RunsInlineCode:
		return "Write the code to a file of the workspace where it can be read, and run that file."
	case RunsPrivilegedCommands:
		return "Run the command as the present user; if that is not enough, ask a person."
	case StopsOrRestartsServices:
		return "Look at the service's state and logs, and ask a person to restart it."
	case UsesDestructiveGitOperation:
		return "Keep what is there first, in a branch or a stash, and choose a command that can be undone."
	}
	return "Split the command into small steps whose effects are known, or ask a person."
}

// ordered returns the effects without repetition, in the order of Effects.
func ordered(effects []Effect) []Effect {
	out := slices.Clone(effects)
	slices.Sort(out)
	return slices.Compact(out)
}
