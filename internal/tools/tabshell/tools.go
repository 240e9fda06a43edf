package tabshell

import "whelk/internal/tools/schema"

// Execute is the one tool that can take long.
const Execute = "execute_shell_command"

// The ways to cut output that is too long.
const (
	keepHead = "head"
	keepTail = "tail"
)

// tools declares the tool set in the order in which clients see it. Its server ignores
// what it does not know.
func tools() []*tool {
	task := []schema.Param{{
		Name: "task_id", Kind: schema.String, Required: true,
		Doc: "Handle of the task, from " + Execute + ".",
	}}
	return []*tool{
		{
			name: Execute, call: execute,
			doc: "Runs a shell command. In the foreground (default) it answers when the command has ended: status success, error (nonzero exit_code), " +
				"timeout, or rejected by the operator's lists. In the background it answers at once with a task_id for get_task_status and " +
				"stop_background_task. Nothing can be typed in: standard input is empty.",
			Tool: schema.Tool{Lenient: true, Params: []schema.Param{
				{Name: "command", Kind: schema.String, Required: true, Doc: "Text for the shell."},
				{Name: "background", Kind: schema.Boolean, Default: false, Doc: "true answers at once with a task_id."},
				{Name: "timeout", Kind: schema.Number, Doc: "Seconds until the command is killed, also in the background. Default: the operator's, usually 30."},
				{Name: "shell", Kind: schema.String, Default: "", Doc: "Shell to use, such as /bin/bash. Default: the operator's, or $SHELL."},
				{Name: "cwd", Kind: schema.String, Doc: "Working directory. Default: the server's."},
				{
					Name: "output_truncation_mode", Kind: schema.String, Enum: []string{keepHead, keepTail},
					Doc: "Which end of output that is too long is kept: head the beginning, tail the end. Default: the operator's, usually tail.",
				},
			}},
		},
		{
			name: "get_task_status", call: taskStatus,
			doc:  "Tells how a task stands: running, completed, error, timeout or killed, and its result once it has ended.",
			Tool: schema.Tool{Lenient: true, Params: task},
		},
		{
			name: "stop_background_task", call: stop,
			doc:  "Kills a running task with all its processes. What it has written stays in its result.",
			Tool: schema.Tool{Lenient: true, Params: task},
		},
		{
			name: "list_background_tasks", call: list,
			doc:  "Lists the tasks, running and ended, the oldest first.",
			Tool: schema.Tool{Lenient: true},
		},
	}
}
