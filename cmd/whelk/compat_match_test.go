package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a recording wants is an answer in which an object with one key that
// begins with $ stands for a value that differs from run to run:
//
//	{"$type":"string"}          any value of a type: string, integer, number, object, array
//	{"$range":[0,3000]}         a number in a range
//	{"$says":["rm","10"]}       a message in the server's own words with these data in it
//	{"$text":{…}}               a long text: its bytes, SHA-256, beginning and end
//	{"$has":{"stdout":"x"}}     an object with at least these keys, and what is wanted of them
//	{"$one_of":[1,2]}           one of these
//
// and, for keys of objects in the overrides of a known difference,
//
//	{"$absent":true}            no such key
//	{"$maybe":true}             no such key, or this

// mismatch is one place where an answer is not what is wanted.
type mismatch struct{ path, want, got string }

func (m mismatch) String() string {
	return fmt.Sprintf("%s\n      want %s\n      got  %s", m.path, m.want, m.got)
}

// matcher splits an object that stands for other values.
func matcher(want any) (kind string, argument any, ok bool) {
	o, ok := want.(*object)
	if !ok || len(o.members) != 1 || !strings.HasPrefix(o.members[0].name, "$") {
		return "", nil, false
	}
	return o.members[0].name, o.members[0].value, true
}

// compare returns where an answer is not what is wanted.
func compare(path string, want, got any) []mismatch {
	differ := []mismatch{{path, shown(want), shown(got)}}
	if kind, argument, ok := matcher(want); ok {
		if matches(kind, argument, got) {
			return nil
		}
		return differ
	}
	switch want := want.(type) {
	case *object:
		if got, ok := got.(*object); ok {
			return compareObjects(path, want, got)
		}
	case []any:
		if got, ok := got.([]any); ok && len(got) == len(want) {
			var all []mismatch
			for i := range want {
				all = append(all, compare(path+"["+strconv.Itoa(i)+"]", want[i], got[i])...)
			}
			return all
		}
	case json.Number:
		if got, ok := got.(json.Number); ok && sameNumber(want, got) {
			return nil
		}
	default:
		if want == got {
			return nil
		}
	}
	return differ
}

func compareObjects(path string, want, got *object) []mismatch {
	var all []mismatch
	for _, m := range want.members {
		v, ok := got.lookup(m.name)
		if kind, argument, is := matcher(m.value); is && kind == "$maybe" {
			if ok {
				all = append(all, compare(path+"."+m.name, argument, v)...)
			}
			continue
		}
		if !ok {
			all = append(all, mismatch{path + "." + m.name, shown(m.value), "no such key"})
			continue
		}
		all = append(all, compare(path+"."+m.name, m.value, v)...)
	}
	for _, m := range got.members {
		if _, ok := want.lookup(m.name); !ok {
			all = append(all, mismatch{path + "." + m.name, "no such key", shown(m.value)})
		}
	}
	wanted, found := want.keys(), got.keys()
	wanted = slices.DeleteFunc(wanted, func(k string) bool { return !slices.Contains(found, k) })
	if len(all) == 0 && !want.anyOrder && !slices.Equal(wanted, found) {
		all = append(all, mismatch{path + ", the order of its keys", strings.Join(wanted, ", "), strings.Join(found, ", ")})
	}
	return all
}

// matches tells whether a value is one that a matcher stands for.
func matches(kind string, argument, got any) bool {
	switch kind {
	case "$type":
		return hasType(got, argument.(string))
	case "$range":
		n, ok := got.(json.Number)
		bounds := argument.([]any)
		return ok && number(bounds[0].(json.Number)) <= number(n) && number(n) <= number(bounds[1].(json.Number))
	case "$says":
		return says(got, argument.([]any))
	case "$text":
		s, ok := got.(string)
		return ok && matches("$has", argument, digest(s))
	case "$has":
		o, ok := got.(*object)
		return ok && !slices.ContainsFunc(argument.(*object).members, func(m member) bool {
			v, there := o.lookup(m.name)
			return !there || len(compare("", m.value, v)) > 0
		})
	case "$one_of":
		return slices.ContainsFunc(argument.([]any), func(v any) bool { return len(compare("", v, got)) == 0 })
	}
	return false // $absent: the key is there
}

// says tells whether a message contains all data, each as a whole: 10 is not
// in 1000.
func says(message any, data []any) bool {
	text, ok := message.(string)
	if !ok || strings.TrimSpace(text) == "" {
		return false
	}
	return !slices.ContainsFunc(data, func(d any) bool { return !hasWhole(text, d.(string)) })
}

func hasWhole(text, datum string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], datum)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+i])
		after, _ := utf8.DecodeRuneInString(text[from+i+len(datum):])
		first, _ := utf8.DecodeRuneInString(datum)
		last, _ := utf8.DecodeLastRuneInString(datum)
		if !(alphanumeric(before) && alphanumeric(first)) && !(alphanumeric(after) && alphanumeric(last)) {
			return true
		}
		from += i + 1
	}
}

func alphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

func hasType(v any, name string) bool {
	switch v := v.(type) {
	case string:
		return name == "string"
	case json.Number:
		return name == "number" || name == "integer" && !strings.ContainsAny(v.String(), ".eE")
	case *object:
		return name == "object"
	case []any:
		return name == "array"
	}
	return false
}

// digest is what a recording keeps of a long text.
func digest(s string) *object {
	sum := sha256.Sum256([]byte(s))
	return (&object{}).set("bytes", json.Number(strconv.Itoa(len(s)))).
		set("sha256", hex.EncodeToString(sum[:])).
		set("head", s[:min(len(s), digestEdge)]).set("tail", s[len(s)-min(len(s), digestEdge):])
}

// digestEdge is how many bytes of a long text are kept at either end, so that
// a failure shows something.
const digestEdge = 40

func number(n json.Number) float64 {
	f, err := n.Float64()
	if err != nil {
		panic("no number: " + n)
	}
	return f
}

// sameNumber compares values: 10 and 10.0 are one number to JSON's readers.
func sameNumber(a, b json.Number) bool { return a == b || number(a) == number(b) }

func stringsOf(list any) []string {
	var all []string
	for _, v := range list.([]any) {
		all = append(all, v.(string))
	}
	return all
}

// shown is a value in a failure, shortened.
func shown(v any) string {
	const longest = 600
	s := compactJSON(v)
	if len(s) > longest {
		return s[:longest] + fmt.Sprintf("… (%d bytes)", len(s))
	}
	return s
}

// override returns what must hold instead: want with values replaced, added or
// taken out ($absent) at paths such as json.executions[0].status.
func override(want any, instead *object) any {
	if instead == nil {
		return want
	}
	changed := clone(want)
	for _, m := range instead.members {
		changed = overridePath(changed, splitPath(m.name), m.value)
	}
	return changed
}

func overridePath(v any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	if list, ok := v.([]any); ok {
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(list) {
			panic("an override names no item of a list: " + path[0])
		}
		list[i] = overridePath(list[i], path[1:], value)
		return list
	}
	o, ok := v.(*object)
	if !ok {
		o = &object{anyOrder: true}
	}
	if kind, _, is := matcher(value); is && kind == "$absent" && len(path) == 1 {
		o.remove(path[0])
		return o
	}
	inner, there := o.lookup(path[0])
	if kind, argument, is := matcher(inner); is && kind == "$has" && len(path) > 1 {
		return o.set(path[0], (&object{}).set(kind, overridePath(argument, path[1:], value)))
	}
	o.anyOrder = o.anyOrder || !there
	return o.set(path[0], overridePath(inner, path[1:], value))
}

// splitPath splits json.executions[0].status into its steps.
func splitPath(path string) []string {
	return strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path), ".")
}

func clone(v any) any {
	switch v := v.(type) {
	case *object:
		c := &object{anyOrder: v.anyOrder}
		for _, m := range v.members {
			c.members = append(c.members, member{m.name, clone(m.value)})
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = clone(v[i])
		}
		return c
	}
	return v
}
