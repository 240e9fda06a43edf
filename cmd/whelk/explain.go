package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"whelk/internal/config"
	"whelk/internal/execution"
	"whelk/internal/policy"
	"whelk/internal/principal"
)

func newExplain() *cobra.Command {
	var asJSON, lines bool
	var cwd, shell, stdin string
	cmd := &cobra.Command{
		Use:   "explain [flags] -- COMMAND",
		Short: "Say whether the policy would let a command run, and why, without running it",
		Long: "explain judges a command text by the configured policy, or one given by flags, and shows the decision, the rules\n" +
			"that match, the commands found in the text and what cannot be known before it runs. Several words are joined by\n" +
			"blanks. With --lines it reads JSON lines {\"id\", \"policy\": {\"deny\", \"allow\"}, \"command\" or \"argv\", \"stdin\", \"cwd\",\n" +
			"\"env\", \"shell\", \"tty\", \"roots\"} from standard input and writes one JSON line for each.",
		Example: "  whelk explain --deny 'git push' -- 'cd /tmp && git push origin'\n" +
			"  whelk explain --allow ls --allow cat --json -- 'ls | cat'",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, values, err := config.Load(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			p, warnings, err := policyOf(c, values, "")
			if err != nil {
				return err
			}
			for _, w := range warnings {
				fmt.Fprintln(os.Stderr, "whelk: warning:", w)
			}
			if lines {
				return explainLines(cmd.InOrStdin(), cmd.OutOrStdout(), c, p)
			}
			if len(args) == 0 {
				return usagef("write the command behind --: whelk explain -- 'rm -r build'")
			}
			text := strings.Join(args, " ")
			asked := question{Command: &text, Cwd: cwd, Shell: shell}
			if cmd.Flags().Changed("stdin") {
				asked.Stdin = &stdin
			}
			x, err := asked.explain(c, p)
			if err != nil {
				return err
			}
			return printExplanation(cmd.OutOrStdout(), x, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON object")
	cmd.Flags().BoolVar(&lines, "lines", false, "read questions as JSON lines from standard input, answer each with one")
	cmd.Flags().StringVar(&stdin, "stdin", "", "text that the command would get on standard input")
	config.AddFlags(cmd.Flags())
	return cmd
}

// question is one line of explain --lines.
type question struct {
	ID     json.RawMessage `json:"id"`
	Policy *struct {
		Deny  []string `json:"deny"`
		Allow []string `json:"allow"`
	} `json:"policy"`
	Command *string           `json:"command"`
	Argv    []string          `json:"argv"`
	Stdin   *string           `json:"stdin"`
	Cwd     string            `json:"cwd"`
	Env     map[string]string `json:"env"`
	Shell   string            `json:"shell"`
	TTY     bool              `json:"tty"`
	Roots   []string          `json:"roots"`
}

// explain answers a question by its own policy, or by the configured one.
func (q *question) explain(c *config.Config, configured *policy.Policy) (*explanation, error) {
	p := configured
	if q.Policy != nil || q.Roots != nil {
		o := policy.Options{Roots: q.Roots, Home: os.Getenv("HOME")}
		if q.Policy != nil {
			o.Deny, o.Allow = q.Policy.Deny, q.Policy.Allow
		}
		var err error
		if p, _, err = policy.New(o); err != nil {
			return nil, &policyError{err}
		}
	}
	r := execution.Request{Command: q.Command, Argv: q.Argv, Operators: true, Shell: q.Shell, Dir: q.Cwd, Env: q.Env, TTY: q.TTY}
	if q.Stdin != nil {
		r.Input = *q.Stdin
	}
	sup := execution.New(execution.Options{Dir: c.Cwd, Shell: c.Shell, Policy: p})
	x, err := sup.As(principal.Principal{}).Explain(r)
	if err != nil {
		return nil, err
	}
	return newExplanation(q.ID, x), nil
}

// explanation is one answer.
type explanation struct {
	ID          json.RawMessage    `json:"id,omitempty"`
	Decision    string             `json:"decision"`
	Rule        string             `json:"rule"`
	Reason      string             `json:"reason"`
	Suggest     string             `json:"suggest"`
	Commands    []explainedCommand `json:"commands"`
	Unknown     []explainedUnknown `json:"unknown"`
	SideEffects []string           `json:"side_effects"`
}

type explainedCommand struct {
	Name string   `json:"name"`
	Argv []string `json:"argv"`
	Via  []string `json:"via,omitempty"`
}

type explainedUnknown struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

func newExplanation(id json.RawMessage, x execution.Explanation) *explanation {
	v := x.Verdict
	e := &explanation{
		ID: id, Decision: v.Decision.String(), Rule: v.Rule, Reason: v.Reason, Suggest: v.Suggest,
		Commands: []explainedCommand{}, Unknown: []explainedUnknown{}, SideEffects: []string{},
	}
	for _, c := range x.Analysis.Commands {
		words := c.Texts()
		e.Commands = append(e.Commands, explainedCommand{Name: words[0], Argv: words, Via: c.Via})
	}
	for _, u := range v.Unknown {
		e.Unknown = append(e.Unknown, explainedUnknown{Kind: string(u.Kind), Reason: u.Reason, Text: u.Text, Line: u.Pos.Line, Column: u.Pos.Col})
	}
	for _, effect := range v.Effects {
		e.SideEffects = append(e.SideEffects, string(effect))
	}
	return e
}

// explainLines answers each line of in. A line that is no question gets an
// answer that says so, and denies.
func explainLines(in io.Reader, out io.Writer, c *config.Config, p *policy.Policy) error {
	lines := bufio.NewReader(in)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := encoder.Encode(answerLine(line, c, p)); err != nil {
				return fmt.Errorf("write an answer: %w", err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read a question: %w", err)
		}
	}
}

func answerLine(line []byte, c *config.Config, p *policy.Policy) *explanation {
	var q question
	err := json.Unmarshal(line, &q)
	var answer *explanation
	if err == nil {
		answer, err = q.explain(c, p)
	}
	if err != nil {
		return &explanation{
			ID: q.ID, Decision: policy.Deny.String(), Rule: "invalid question", Reason: err.Error(),
			Commands: []explainedCommand{}, Unknown: []explainedUnknown{}, SideEffects: []string{},
		}
	}
	return answer
}

func printExplanation(out io.Writer, e *explanation, asJSON bool) error {
	if asJSON {
		b, err := json.MarshalIndent(e, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, string(b))
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "decision      %s\n", e.Decision)
	for _, pair := range [][2]string{{"rule", e.Rule}, {"reason", e.Reason}, {"instead", e.Suggest}, {"side effects", strings.Join(e.SideEffects, ", ")}} {
		if pair[1] != "" {
			fmt.Fprintf(&b, "%-13s %s\n", pair[0], pair[1])
		}
	}
	for _, c := range e.Commands {
		fmt.Fprintf(&b, "%-13s %s", "command", strings.Join(c.Argv, " "))
		if len(c.Via) > 0 {
			fmt.Fprintf(&b, "   (through %s)", strings.Join(c.Via, ", "))
		}
		b.WriteByte('\n')
	}
	for _, u := range e.Unknown {
		fmt.Fprintf(&b, "%-13s %s\n", "unknown", u.Reason)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
