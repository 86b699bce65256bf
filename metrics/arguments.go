package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
)

// arguments are the options and the cutoff of a name. The families' makers take the ones they know;
// check then reports unknown options and invalid values.
type arguments struct {
	cutoff  string // text after @, "" without a cutoff
	options map[string]string
	order   []string // the options as written
	known   []string // the options that the family accepts
	errs    []error
	cut     bool // the family accepts a cutoff
}

// check returns the errors in the arguments, once the family has taken its own.
func (a *arguments) check(f Family) error {
	for _, key := range a.order {
		if !slices.Contains(a.known, key) {
			a.errs = append(a.errs, nearest.Unknown("option of "+f.Name, key, a.known))
		}
	}
	if a.cutoff != "" && !a.cut {
		a.errs = append(a.errs, fmt.Errorf("%s takes no cutoff", f.Name))
	}
	return errors.Join(a.errs...)
}

// take returns the text of an option and marks the option as known.
func (a *arguments) take(key string) (text string, given bool) {
	a.known = append(a.known, key)
	text, given = a.options[key]
	return text, given
}

func (a *arguments) fail(format string, args ...any) {
	a.errs = append(a.errs, fmt.Errorf(format, args...))
}

// depth takes the cutoff as a number of documents; 0 without a cutoff.
func (a *arguments) depth() int {
	a.cut = true
	if a.cutoff == "" {
		return 0
	}
	k, err := strconv.Atoi(a.cutoff)
	if err != nil || k < 1 || strconv.Itoa(k) != a.cutoff {
		a.fail("cutoff %q is not a whole number of at least 1", a.cutoff)
	}
	return k
}

// needDepth takes a required cutoff.
func (a *arguments) needDepth() int {
	k := a.depth()
	if a.cutoff == "" {
		a.fail("needs a cutoff, as in @10")
	}
	return k
}

// rel takes the option rel: a grade of at least 1, or 0 if it is not given.
func (a *arguments) rel() int {
	text, given := a.take("rel")
	if !given {
		return 0
	}
	rel, err := strconv.Atoi(text)
	if err != nil || rel < 1 {
		a.fail("rel=%s is not a grade of at least 1", text)
	}
	return rel
}

// number takes a numeric option between low and high.
func (a *arguments) number(key string, fallback, low, high float64) float64 {
	text, given := a.take(key)
	if !given {
		return fallback
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= low && v <= high) {
		a.fail("%s=%s is not a number from %v to %v", key, text, low, high)
		return fallback
	}
	return v
}

// integer takes an integer option from low to high.
func (a *arguments) integer(key string, fallback, low, high int) int {
	v := a.number(key, float64(fallback), float64(low), float64(high))
	if v != math.Trunc(v) {
		a.fail("%s=%v is not a whole number", key, v)
	}
	return int(v)
}

// fraction takes a required cutoff that is a number from 0 to high.
func (a *arguments) fraction(high float64) float64 {
	a.cut = true
	v, err := strconv.ParseFloat(a.cutoff, 64)
	if err != nil || !(v >= 0 && v <= high) {
		a.fail("needs a cutoff from 0 to %v, as in @0.1", high)
		return 0
	}
	return v + 0 // no -0 in a name
}

// text takes a text option, which must not be empty.
func (a *arguments) text(key, fallback string) string {
	text, given := a.take(key)
	if !given {
		return fallback
	}
	if text == "" || strings.ContainsAny(text, "'\"") {
		a.fail("%s must not be empty or contain quotes", key)
	}
	return text
}

// measure takes an option that names a measure; it is required if there is no fallback.
func (a *arguments) measure(key, fallback string) Measure {
	text, given := a.take(key)
	if !given {
		text = fallback
	}
	if text == "" {
		a.fail("needs %s=, the name of a measure", key)
		return nil
	}
	m, err := parseMeasure(text)
	if err != nil {
		a.errs = append(a.errs, err)
	}
	return m
}

// choice takes an option that must be one of words; the first is the default.
func (a *arguments) choice(key string, words ...string) string {
	text, given := a.take(key)
	if !given {
		return words[0]
	}
	if !slices.Contains(words, text) {
		a.errs = append(a.errs, nearest.Unknown("value of "+key, text, words))
	}
	return text
}
