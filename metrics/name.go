package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infbench/metrics/nearest"
)

// maxName bounds a measure's name, and with it how deep names nest.
const maxName = 300

// Parse returns the measure of that name: a family's name, options in
// parentheses, a cutoff after @, as in "nDCG(dcg='exp-log2')@10". Upper and
// lower case are the same in the family's name. What Names lists parses, and so
// does every measure's String.
func Parse(name string) (Measure, error) {
	m, err := parse(name)
	if err != nil {
		return nil, fmt.Errorf("measure %q: %w", name, err)
	}
	return m, nil
}

func parse(name string) (Measure, error) {
	if len(name) > maxName {
		return nil, fmt.Errorf("name longer than %d bytes", maxName)
	}
	base, args, err := cutName(strings.TrimSpace(name))
	if err != nil {
		return nil, err
	}
	for _, f := range Families() {
		if !f.called(base) {
			continue
		}
		m := f.make(args)
		if err := args.check(f); err != nil {
			return nil, err
		}
		if len(m.String()) > maxName {
			return nil, fmt.Errorf("name longer than %d bytes once its defaults are written out", maxName)
		}
		return m, nil
	}
	return nil, nearest.Unknown("measure", base, Names())
}

// arguments are the options and the cutoff of a name. The families' makers take
// what they know; check then finds what nobody took and what was wrong.
type arguments struct {
	cutoff  string // text after @, "" if there is none
	options map[string]string
	order   []string // the options as written
	known   []string // the options that the family asked for
	errs    []error
	cut     bool // the family asked for the cutoff
}

// cutName takes a name apart: base(option=value,...)@cutoff.
func cutName(name string) (base string, a *arguments, err error) {
	a = &arguments{options: map[string]string{}}
	open := strings.IndexByte(name, '(')
	if at := strings.IndexByte(name, '@'); open < 0 || at >= 0 && at < open {
		base, a.cutoff, err = cutCutoff(name)
		return base, a, err
	}
	base = name[:open]
	parts, rest, err := cutOptions(name[open+1:])
	if err != nil {
		return "", nil, err
	}
	for _, part := range parts {
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		if !ok || key == "" {
			return "", nil, fmt.Errorf("option %q is not of the form name=value", part)
		}
		if _, twice := a.options[key]; twice {
			return "", nil, fmt.Errorf("option %s is given twice", key)
		}
		a.options[key] = unquote(strings.TrimSpace(value))
		a.order = append(a.order, key)
	}
	var between string
	between, a.cutoff, err = cutCutoff(rest)
	if err == nil && between != "" {
		err = fmt.Errorf("%q after the options", between)
	}
	return base, a, err
}

// cutCutoff splits text at @; a cutoff must not be empty.
func cutCutoff(text string) (before, cutoff string, err error) {
	before, cutoff, found := strings.Cut(text, "@")
	if found && cutoff == "" {
		return "", "", errors.New("no cutoff after @")
	}
	return before, cutoff, nil
}

// cutOptions splits what follows an opening parenthesis at the commas outside
// quotes and inner parentheses, and returns what stands after the closing one.
func cutOptions(text string) (parts []string, rest string, err error) {
	depth, start, quote := 0, 0, byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			if last := text[start:i]; strings.TrimSpace(last) != "" || len(parts) > 0 {
				parts = append(parts, last)
			}
			return parts, text[i+1:], nil
		case c == ',' && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return nil, "", errors.New("no closing parenthesis")
}

// unquote strips one pair of quotes.
func unquote(text string) string {
	if n := len(text); n >= 2 && text[0] == text[n-1] && (text[0] == '\'' || text[0] == '"') {
		return text[1 : n-1]
	}
	return text
}

// check returns what is wrong with the arguments once the family has taken its own.
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

// take returns the text of an option and notes that it is known.
func (a *arguments) take(key string) (text string, given bool) {
	a.known = append(a.known, key)
	text, given = a.options[key]
	return text, given
}

func (a *arguments) fail(format string, args ...any) {
	a.errs = append(a.errs, fmt.Errorf(format, args...))
}

// depth takes the cutoff as a number of documents; 0 where there is none.
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

// needDepth takes a cutoff that must be there.
func (a *arguments) needDepth() int {
	k := a.depth()
	if a.cutoff == "" {
		a.fail("needs a cutoff, as in @10")
	}
	return k
}

// rel takes the option rel: a grade of at least 1, 0 where it is not given.
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

// number takes an option between low and high.
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

// whole takes an option that is a whole number from low to high.
func (a *arguments) whole(key string, fallback, low, high int) int {
	v := a.number(key, float64(fallback), float64(low), float64(high))
	if v != math.Trunc(v) {
		a.fail("%s=%v is not a whole number", key, v)
	}
	return int(v)
}

// fraction takes a cutoff that must be there and is a number from 0 to high.
func (a *arguments) fraction(high float64) float64 {
	a.cut = true
	v, err := strconv.ParseFloat(a.cutoff, 64)
	if err != nil || !(v >= 0 && v <= high) {
		a.fail("needs a cutoff from 0 to %v, as in @0.1", high)
		return 0
	}
	return v + 0 // no -0 in a name
}

// text takes an option that is any text but the empty one.
func (a *arguments) text(key, fallback string) string {
	text, given := a.take(key)
	if !given {
		return fallback
	}
	if text == "" || strings.ContainsAny(text, "'\"") {
		a.fail("%s must not be empty or hold quotes", key)
	}
	return text
}

// measure takes an option that names a measure; without a fallback it must be given.
func (a *arguments) measure(key, fallback string) Measure {
	text, given := a.take(key)
	if !given {
		text = fallback
	}
	if text == "" {
		a.fail("needs %s=, the name of a measure", key)
		return nil
	}
	m, err := parse(text)
	if err != nil {
		a.errs = append(a.errs, err)
	}
	return m
}

// choice takes an option that is one of some words, the first if not given.
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

// spell writes a name: base, the options that are not "", the cutoff if not 0.
func spell(base string, k int, options ...string) string {
	var given []string
	for _, o := range options {
		if o != "" {
			given = append(given, o)
		}
	}
	if len(given) > 0 {
		base += "(" + strings.Join(given, ",") + ")"
	}
	if k > 0 {
		base += "@" + strconv.Itoa(k)
	}
	return base
}

// relOption spells rel where it is given.
func relOption(rel int) string {
	if rel == 0 {
		return ""
	}
	return "rel=" + strconv.Itoa(rel)
}

// numberOption spells a number that is not its default.
func numberOption(key string, value, fallback float64) string {
	if value == fallback {
		return ""
	}
	return key + "=" + strconv.FormatFloat(value, 'g', -1, 64)
}

// wordOption spells a word that is not its default.
func wordOption(key, value, fallback string) string {
	if value == fallback {
		return ""
	}
	return key + "='" + value + "'"
}
