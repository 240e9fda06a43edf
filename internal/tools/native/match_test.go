package native_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// match compares an answer with what a recorded case expects and returns the
// differences. Objects must have the same members in the same order, numbers
// the same text (1 is not 1.0), strings the same characters. Where the expected
// value is a string that begins with $ or an object with one such name, it says
// what kind of value will do:
//
//	"$handle" "$pid" "$int" "$bool" "$text" "$any"
//	"$ms"       milliseconds, a number with a decimal point
//	"$epoch"    seconds of the epoch, within the last hour
//	{"$ms":[LEAST,MOST]}   milliseconds within bounds
//	{"$has":[TEXT,…]}      a string in which each text occurs
//	{"$match":REGEXP}      a string that the expression matches
//	{"$one":[VALUE,…]}     one of the values
//	{"$bytes":N,"$sha256":HEX}   a string too long to write down
func match(path string, want, got json.RawMessage) []string {
	want, got = bytes.TrimSpace(want), bytes.TrimSpace(got)
	mismatch := []string{fmt.Sprintf("%s: %.300s, want %.300s", path, got, want)}
	switch {
	case len(got) == 0:
		return []string{path + ": nothing"}
	case bytes.HasPrefix(want, []byte(`"$`)):
		if !kind(text(want), got) {
			return mismatch
		}
		return nil
	case bytes.HasPrefix(want, []byte(`{"$`)):
		if !rule(want, got) {
			return mismatch
		}
		return nil
	case want[0] != got[0] || want[0] != '{' && want[0] != '[':
		if !cmp.Equal(value(want), value(got)) {
			return mismatch
		}
		return nil
	case want[0] == '[':
		return matchItems(path, want, got)
	}
	return matchMembers(path, want, got)
}

func matchItems(path string, want, got json.RawMessage) (faults []string) {
	wanted, found := items(want), items(got)
	if len(wanted) != len(found) {
		return []string{fmt.Sprintf("%s: %d items, want %d: %s", path, len(found), len(wanted), got)}
	}
	for i := range wanted {
		faults = append(faults, match(fmt.Sprintf("%s[%d]", path, i), wanted[i], found[i])...)
	}
	return faults
}

func matchMembers(path string, want, got json.RawMessage) (faults []string) {
	wantNames, wanted := members(want)
	gotNames, found := members(got)
	if diff := cmp.Diff(wantNames, gotNames); diff != "" {
		return []string{fmt.Sprintf("%s: fields (-want +got):\n%s", path, diff)}
	}
	for i, name := range wantNames {
		faults = append(faults, match(path+"."+name, wanted[i], found[i])...)
	}
	return faults
}

var (
	handle = regexp.MustCompile(`^"[0-9a-f]{12}"$`)
	number = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	float  = regexp.MustCompile(`^(0|[1-9][0-9]*)\.[0-9]+$`)
)

// kind tells whether a value is of a kind that a name stands for.
func kind(name string, got json.RawMessage) bool {
	switch name {
	case "$handle":
		return handle.Match(got)
	case "$int":
		return number.Match(got)
	case "$pid":
		return number.Match(got) && string(got) != "0" && string(got) != "1"
	case "$ms":
		return float.Match(got)
	case "$epoch":
		now := float64(time.Now().Unix())
		at := decimal(got)
		return float.Match(got) && at > now-3600 && at < now+10
	case "$bool":
		return string(got) == "true" || string(got) == "false"
	case "$text":
		return got[0] == '"' && len(got) > len(`""`)
	case "$any":
		return true
	}
	return false
}

// rule tells whether a value obeys a rule with parameters.
func rule(want, got json.RawMessage) bool {
	var r struct {
		Ms     [2]float64        `json:"$ms"`
		Has    []string          `json:"$has"`
		Match  string            `json:"$match"`
		One    []json.RawMessage `json:"$one"`
		Bytes  int               `json:"$bytes"`
		SHA256 string            `json:"$sha256"`
	}
	decoder := json.NewDecoder(bytes.NewReader(want))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&r) != nil {
		return false
	}
	switch {
	case r.Ms != [2]float64{}:
		return float.Match(got) && decimal(got) >= r.Ms[0] && decimal(got) <= r.Ms[1]
	case r.One != nil:
		return slices.ContainsFunc(r.One, func(v json.RawMessage) bool { return match("", v, got) == nil })
	case got[0] != '"':
		return false
	case r.Has != nil:
		return !slices.ContainsFunc(r.Has, func(part string) bool { return !strings.Contains(text(got), part) })
	case r.Match != "":
		return regexp.MustCompile(r.Match).MatchString(text(got))
	}
	sum := sha256.Sum256([]byte(text(got)))
	return r.Bytes == len(text(got)) && r.SHA256 == hex.EncodeToString(sum[:])
}

// decode reads JSON that has been read before, as part of something larger.
func decode(raw json.RawMessage, into any) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		panic(fmt.Sprintf("%s: %v", raw, err))
	}
}

// value is any JSON value, numbers as they are written.
func value(raw json.RawMessage) (v any) {
	decode(raw, &v)
	return v
}

func text(raw json.RawMessage) (s string) {
	decode(raw, &s)
	return s
}

func decimal(raw json.RawMessage) (f float64) {
	decode(raw, &f)
	return f
}

func items(raw json.RawMessage) (list []json.RawMessage) {
	decode(raw, &list)
	return list
}

// members are the names and values of an object in order.
func members(raw json.RawMessage) (names []string, values []json.RawMessage) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	_, err := decoder.Token() // the opening brace
	for err == nil && decoder.More() {
		var token json.Token
		if token, err = decoder.Token(); err != nil {
			break
		}
		var v json.RawMessage
		err = decoder.Decode(&v)
		names, values = append(names, token.(string)), append(values, v)
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v", raw, err))
	}
	return names, values
}

func TestMatchTellsDifferences(t *testing.T) {
	tests := []struct {
		name, want, got string
		faults          int
	}{
		{"equal", `{"a":1,"b":[true,null,"x"]}`, `{"a":1,"b":[true,null,"\u0078"]}`, 0},
		{"other order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, 1},
		{"one more", `{"a":1}`, `{"a":1,"b":2}`, 1},
		{"one less", `{"a":1,"b":2}`, `{"a":1}`, 1},
		{"whole number for a decimal", `{"a":1.0}`, `{"a":1}`, 1},
		{"null for empty", `{"a":""}`, `{"a":null}`, 1},
		{"two differences", `{"a":1,"b":"x"}`, `{"a":2,"b":"y"}`, 2},
		{"shorter list", `[1,2]`, `[1]`, 1},
		{"item", `[{"a":1}]`, `[{"a":2}]`, 1},
		{"handle", `"$handle"`, `"0123456789ab"`, 0},
		{"no handle", `"$handle"`, `"0123456789AB"`, 1},
		{"pid", `"$pid"`, `4711`, 0},
		{"no pid", `"$pid"`, `"4711"`, 1},
		{"milliseconds", `"$ms"`, `0.5`, 0},
		{"milliseconds without point", `"$ms"`, `5`, 1},
		{"milliseconds negative", `"$ms"`, `-0.5`, 1},
		{"within bounds", `{"$ms":[1,2]}`, `2.0`, 0},
		{"out of bounds", `{"$ms":[1,2]}`, `2.1`, 1},
		{"moment long ago", `"$epoch"`, `1000.5`, 1},
		{"has", `{"$has":["a","b"]}`, `"xbxa"`, 0},
		{"has not", `{"$has":["a","b"]}`, `"xa"`, 1},
		{"has needs text", `{"$has":[]}`, `1`, 1},
		{"matches", `{"$match":"^a+$"}`, `"aa"`, 0},
		{"matches not", `{"$match":"^a+$"}`, `"ab"`, 1},
		{"one of", `{"$one":[1,"x"]}`, `"x"`, 0},
		{"none of", `{"$one":[1,"x"]}`, `2`, 1},
		{"long", `{"$bytes":1,"$sha256":"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"}`, `"a"`, 0},
		{"long and other", `{"$bytes":1,"$sha256":"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"}`, `"b"`, 1},
		{"unknown kind", `"$nonsense"`, `1`, 1},
		{"unknown rule", `{"$nonsense":1}`, `"x"`, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if faults := match("", json.RawMessage(test.want), json.RawMessage(test.got)); len(faults) != test.faults {
				t.Errorf("match(%s, %s) = %q, want %d faults", test.want, test.got, faults, test.faults)
			}
		})
	}
}
