package config

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func TestEveryOptionIsDeclaredInFull(t *testing.T) {
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	AddFlags(fs)
	seen := map[string]bool{}
	for _, o := range Options() {
		t.Run(o.Name, func(t *testing.T) {
			if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(o.Name) || seen[o.Name] {
				t.Error("the name is taken, or is not lower-case words joined by hyphens")
			}
			seen[o.Name] = true
			if o.Doc == "" || o.Kind == "" || strings.HasSuffix(o.Doc, ".") || strings.ContainsAny(o.Doc, "\n`") {
				t.Errorf("kind %q or doc %q is missing or malformed", o.Kind, o.Doc)
			}
			flag := fs.Lookup(o.Name)
			if flag == nil || flag.Usage != o.Doc || flag.DefValue != o.Default || flag.Value.Type() != o.Kind {
				t.Errorf("the flag is %+v", flag)
			}
		})
	}
	if len(seen) == 0 {
		t.Error("there are no options")
	}
}

func TestSpellingsDeriveFromTheName(t *testing.T) {
	o := Option{Name: "max-output"}
	if diff := cmp.Diff([]string{"--max-output", "WHELK_MAX_OUTPUT", "max_output"}, []string{o.Flag(), o.Variable(), o.FileKey()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHelpShowsKindAndDefault(t *testing.T) {
	usage := parsed(t).FlagUsages()
	for _, want := range []string{
		"--yield duration ", "(default 30s)", "--buffer size ", "(default 256KiB)",
		"--result text|structured|both ", "(default text)", "--env-set NAME=value ",
	} {
		if !strings.Contains(usage, want) {
			t.Errorf("help does not show %q:\n%s", want, usage)
		}
	}
}

func TestWarningsNameUnknownVariables(t *testing.T) {
	got := Warnings([]string{
		"PATH=/bin", "WHELK_YIELD=1s", "WHELK_MAX_OUTPT=5", "WHELK_ZZZ=1", "WHELK_ZZZ=2", "WHELK_EMPTY=",
		"WHELK_" + strings.Repeat("LONG", 1000) + "=1", "WHELK=1", "WHELK_yield=1s",
	})
	want := []string{
		"the variable WHELK_" + strings.Repeat("LONG", 13) + "LO… is ignored: there is no such option",
		"the variable WHELK_MAX_OUTPT is ignored: there is no such option; did you mean WHELK_MAX_OUTPUT?",
		"the variable WHELK_ZZZ is ignored: there is no such option",
		"the variable WHELK_yield is ignored: there is no such option; did you mean WHELK_YIELD?",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
