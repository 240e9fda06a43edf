package config

import "strings"

// variablePrefix begins the name of every environment variable of the program.
const variablePrefix = "WHELK_"

// kindSwitch is the kind of options that are on or off. Their flag alone means on.
const kindSwitch = "true|false"

// Option declares one option. Only Options makes them.
type Option struct {
	// Name is in lower case, its words joined by hyphens; the other spellings derive
	// from it.
	Name string
	// Kind says in a word what a value is: "duration", "size", or the choices.
	Kind string
	// Default is the text of the value when no source gives one.
	Default string
	// Doc is one sentence, without a full stop since help adds the default to it.
	Doc string
	// Repeated options take any number of values: the flag again for each, a line of
	// the variable for each, and a list in the file.
	Repeated bool
	// apply reads one text into the field of the option. The error is the reason of
	// an Error.
	apply func(c *Config, text string) error
}

// Flag returns the spelling on the command line: --max-output.
func (o Option) Flag() string { return "--" + o.Name }

// Variable returns the spelling in the environment: WHELK_MAX_OUTPUT.
func (o Option) Variable() string { return variablePrefix + strings.ToUpper(o.FileKey()) }

// FileKey returns the spelling in a configuration file: max_output.
func (o Option) FileKey() string { return strings.ReplaceAll(o.Name, "-", "_") }
