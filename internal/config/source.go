package config

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// source is one layer of the configuration. It returns what it gives for an option;
// given is false if it leaves the option to the next source.
type source func(o Option) (s setting, given bool)

// setting is what decides an option: one entry, unless the option is repeated.
type setting struct {
	origin  string // as in Value
	entries []entry
}

// entry is one text; in a file each has a line of its own.
type entry struct{ text, origin string }

func newSetting(origin string, texts ...string) setting {
	s := setting{origin: origin}
	for _, text := range texts {
		s.entries = append(s.entries, entry{text, origin})
	}
	return s
}

// text returns the entries as lines.
func (s setting) text() string {
	texts := make([]string, len(s.entries))
	for i, e := range s.entries {
		texts[i] = e.text
	}
	return joinTexts(texts)
}

// AddFlags defines one flag an option, of those that only names if it names any.
// Setting a flag only keeps its text: Load reads it, so that all faults of all
// sources are found in one place.
func AddFlags(fs *pflag.FlagSet, only ...string) {
	for _, o := range Options() {
		if len(only) > 0 && !slices.Contains(only, o.Name) {
			continue
		}
		flag := fs.VarPF(&flagTexts{option: o, texts: defaultTexts(o)}, o.Name, "", o.Doc)
		if o.Kind == kindSwitch {
			flag.NoOptDefVal = "true"
		}
	}
}

// flagTexts keeps the texts given for a flag; it is a pflag.Value.
type flagTexts struct {
	option Option
	texts  []string
	set    bool
}

// Set keeps text. Of a flag that is not repeated the last one counts.
func (f *flagTexts) Set(text string) error {
	if !f.set || !f.option.Repeated {
		f.texts = nil
	}
	f.texts, f.set = append(f.texts, text), true
	return nil
}

// String returns the texts as lines; help shows it as the default.
func (f *flagTexts) String() string { return joinTexts(f.texts) }

// Type returns the word that help shows for a value.
func (f *flagTexts) Type() string { return f.option.Kind }

// flags gives what was set on the command line.
func flags(fs *pflag.FlagSet) source {
	return func(o Option) (setting, bool) {
		if fs == nil {
			return setting{}, false
		}
		flag := fs.Lookup(o.Name)
		if flag == nil {
			return setting{}, false
		}
		f, ok := flag.Value.(*flagTexts)
		if !ok || !f.set {
			return setting{}, false
		}
		return newSetting("flag "+o.Flag(), f.texts...), true
	}
}

// variables gives what the environment holds. Of a variable that is there twice the
// first counts, as in os.Getenv.
func variables(environ []string) source {
	set := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if _, seen := set[name]; !seen && strings.HasPrefix(name, variablePrefix) {
			set[name] = value
		}
	}
	return func(o Option) (setting, bool) {
		value := set[o.Variable()]
		origin := "variable " + o.Variable()
		switch {
		case value == "":
			return setting{}, false
		case o.Repeated:
			return newSetting(origin, lines(value)...), true
		}
		return newSetting(origin, value), true
	}
}

// defaultTexts returns no text for a repeated option without a default; for any
// other the empty text is a text.
func defaultTexts(o Option) []string {
	if o.Repeated {
		return lines(o.Default)
	}
	return []string{o.Default}
}

// lines returns the lines of text that are not empty.
func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

func joinTexts(texts []string) string { return strings.Join(texts, "\n") }
