package device

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
)

// tuning are the options of a device, after the commas of its name. What is not given is
// left to the plugin.
type tuning struct {
	fraction      float64 // memory_fraction: most of the card's memory that the client takes; 0: not given
	preallocate   *bool   // take it all at once
	deterministic bool    // the same bytes at each repetition, slower
	tf32          bool    // round float32 products to 10 bits of mantissa
	unchecked     bool    // self_test=false: for tests of ours on plugins that compute nothing
}

// Options of a device by name.
const (
	fractionOption      = "memory_fraction"
	preallocateOption   = "preallocate"
	deterministicOption = "deterministic"
	tf32Option          = "tf32"
	selfTestOption      = "self_test"
)

// optionNames are those that users are told of, and the one of tests.
func optionNames() []string {
	return []string{fractionOption, preallocateOption, deterministicOption, tf32Option, selfTestOption}
}

// tuningHelp says in the help of --device what may follow a card.
const tuningHelp = "; options of a card follow it, as in xla:cuda:0,memory_fraction=0.9,preallocate,deterministic,tf32"

// parseTuning reads "memory_fraction=0.9,deterministic".
func parseTuning(list string) (t tuning, err error) {
	seen := map[string]bool{}
	for part := range strings.SplitSeq(list, ",") {
		name, value, given := strings.Cut(part, "=")
		if seen[name] {
			return t, fmt.Errorf("option %s given twice", name)
		}
		seen[name] = true
		if err := t.set(name, value, given); err != nil {
			return t, err
		}
	}
	return t, nil
}

// set gives one option its value; a name alone is true.
func (t *tuning) set(name, value string, given bool) error {
	if !slices.Contains(optionNames(), name) {
		return nearest.Unknown("option", name, slices.DeleteFunc(optionNames(), func(s string) bool { return s == selfTestOption }))
	}
	if name == fractionOption {
		f, err := strconv.ParseFloat(value, 32)
		if err != nil || !(f > 0 && f <= 1) {
			return fmt.Errorf("option %s=%s: want a part of the memory between 0 and 1, such as 0.9", name, value)
		}
		t.fraction = f
		return nil
	}
	on := true
	if given {
		switch value {
		case "true":
		case "false":
			on = false
		default:
			return fmt.Errorf("option %s=%s: want true or false", name, value)
		}
	}
	switch name {
	case preallocateOption:
		t.preallocate = &on
	case deterministicOption:
		t.deterministic = on
	case tf32Option:
		t.tf32 = on
	case selfTestOption:
		t.unchecked = !on
	}
	return nil
}

// client are the options that a PJRT client is made with, in go-xla's words.
func (t tuning) client() (s string) {
	if t.fraction > 0 {
		s += fmt.Sprintf(",%s=%s", fractionOption, strconv.FormatFloat(t.fraction, 'g', -1, 32))
	}
	if t.preallocate != nil {
		s += fmt.Sprintf(",%s=%t", preallocateOption, *t.preallocate)
	}
	return s
}

// ours are those that go-xla does not know.
func (t tuning) ours() (s string) {
	if t.deterministic {
		s += "," + deterministicOption
	}
	if t.unchecked {
		s += "," + selfTestOption + "=false"
	}
	return s
}

// list are all options as they are given.
func (t tuning) list(before string) string {
	s := t.client()
	if t.tf32 {
		s += "," + tf32Option
	}
	if s += t.ours(); s == "" {
		return ""
	}
	return before + s[1:]
}
