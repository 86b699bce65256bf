package device

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
)

// tuning holds the options of a device, which follow the commas of its name. The plugin decides
// options that are not given.
type tuning struct {
	fraction      float64 // memory_fraction: most of the card's memory that the client takes; 0: not given
	preallocate   *bool   // take it all at the start
	deterministic bool    // the same bytes at each repetition, slower
	tf32          bool    // round float32 products to 10 bits of mantissa
	unchecked     bool    // self_test=false: for our tests with plugins that compute nothing
}

// Names of a device's options.
const (
	fractionOption      = "memory_fraction"
	preallocateOption   = "preallocate"
	deterministicOption = "deterministic"
	tf32Option          = "tf32"
	selfTestOption      = "self_test"
)

// optionNames lists the options that users are offered, and the one for tests.
func optionNames() []string {
	return []string{fractionOption, preallocateOption, deterministicOption, tf32Option, selfTestOption}
}

// tuningHelp describes the options of a card in the help of --device.
const tuningHelp = "; options of a card follow it, as in xla:cuda:0,memory_fraction=0.9,preallocate,deterministic,tf32"

// parseTuning parses options such as "memory_fraction=0.9,deterministic".
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

// set gives one option its value. A name alone means true.
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

// client returns the options for creating a PJRT client, in go-xla's syntax.
func (t tuning) client() (s string) {
	if t.fraction > 0 {
		s += fmt.Sprintf(",%s=%s", fractionOption, strconv.FormatFloat(t.fraction, 'g', -1, 32))
	}
	if t.preallocate != nil {
		s += fmt.Sprintf(",%s=%t", preallocateOption, *t.preallocate)
	}
	return s
}

// ours returns the options that go-xla does not have.
func (t tuning) ours() (s string) {
	if t.deterministic {
		s += "," + deterministicOption
	}
	if t.unchecked {
		s += "," + selfTestOption + "=false"
	}
	return s
}

// list returns all options as the user writes them.
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
