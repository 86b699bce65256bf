// Package mixture defines training data: one or several sources of records, their proportions, when
// each joins, and the records of each batch. A Mixture is a line of text that can be parsed and
// printed, like a loss.
//
// Other packages open the sources and compute the loss of a batch.
package mixture

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"infbench/datasets/format"
)

// Mixture is a list of sources, each named once.
type Mixture []Source

// Source is a part of a mixture.
type Source struct {
	Name   string  // a corpus, a file, a folder, or ORG/NAME[@REVISION]
	Weight float64 // weight of its records in the draw; 0: its number of records
	From   float64 // share of all steps after which it joins, 0 to 1
}

// separator joins sources.
const separator = " + "

// String returns the canonical text, which Parse accepts. A single source is printed as its name,
// without weight.
func (m Mixture) String() string {
	var parts []string
	for _, s := range m {
		text := s.Name
		if s.Weight > 0 {
			text += ":" + number(s.Weight)
		}
		if s.From > 0 {
			text += "@" + number(s.From)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, separator)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Names lists the sources.
func (m Mixture) Names() []string {
	var names []string
	for _, s := range m {
		names = append(names, s.Name)
	}
	return names
}

// NamesIn lists the sources of a text that may be a mixture, for callers that need their files
// before parsing it. It returns the text itself if Parse rejects it.
func NamesIn(text string) []string {
	m, err := Parse(text)
	if err != nil {
		return []string{text}
	}
	return m.Names()
}

// plus separates sources if a space is next to it; in a path it is an ordinary character.
var plus = regexp.MustCompile(`\s+\+|\+\s+`)

// Parse parses "A:0.8 + B:0.2@0.4": sources joined by " + ". Either all or none have a weight.
// After @ comes the share of steps before the source joins. Only a number is a weight or a share:
// other text after a colon or an @ belongs to the name, which may be a path or a revision of the
// hub.
func Parse(text string) (Mixture, error) {
	var m Mixture
	var errs []error
	for _, part := range plus.Split(strings.TrimSpace(text), -1) {
		s, err := parseSource(strings.TrimSpace(part))
		errs = append(errs, err)
		m = append(m, s)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(m) == 1 {
		m[0].Weight = 0
	}
	return m, m.check()
}

// check rejects sources that do not fit together.
func (m Mixture) check() error {
	seen := map[string]bool{}
	weighted, first := 0, 1.0
	for _, s := range m {
		if seen[s.Name] {
			return fmt.Errorf("%q is in the mixture twice", s.Name)
		}
		seen[s.Name] = true
		if s.Weight > 0 {
			weighted++
		}
		first = min(first, s.From)
	}
	for _, s := range m {
		if weighted > 0 && len(m) > 1 && s.Weight == 0 {
			return fmt.Errorf("%q has no weight, but others do: give all sources a weight, as in %s:1, or none; the default weight is the number of records", s.Name, s.Name)
		}
	}
	if first > 0 {
		return fmt.Errorf("%q has no source from the start: at least one must have no @", m)
	}
	return nil
}

// parseSource parses NAME[:WEIGHT][@SHARE].
func parseSource(text string) (s Source, err error) {
	if text == "" {
		return s, errors.New(`a source is missing: want sources joined by " + ", as in mini-infir:1 + ./own.jsonl:2`)
	}
	if err := missingPlus(text); err != nil {
		return s, err
	}
	s.Name = text
	if name, share, ok := cut(s.Name, "@"); ok && !digits.MatchString(share) {
		if s.From, err = parseNumber(share); err != nil || !(s.From >= 0 && s.From < 1) {
			return s, shareError(text, share)
		}
		s.Name = name
	}
	if name, weight, ok := cut(s.Name, ":"); ok {
		if s.Weight, err = parseNumber(weight); err != nil || !(s.Weight > 0) {
			return s, fmt.Errorf("%q: weight %s: want a number above 0", text, weight)
		}
		if s.Weight > mostWeight {
			return s, fmt.Errorf("%q: weight %s: want at most %g", text, weight, mostWeight)
		}
		s.Name = name
	}
	if s.Name == "" {
		return s, fmt.Errorf("%q does not name a source", text)
	}
	if IsPath(s.Name) {
		return s, nil
	}
	switch {
	case strings.Contains(s.Name, "+"):
		return s, fmt.Errorf(`%q: want spaces around the "+" between two sources`, text)
	case strings.Contains(s.Name, ":"):
		_, weight, _ := strings.Cut(s.Name, ":")
		if number, share, late := strings.Cut(weight, "@"); late && numeric.MatchString(number) {
			return s, shareError(text, share)
		}
		return s, fmt.Errorf("%q: weight %q: want a number above 0", text, weight)
	case strings.Contains(s.Name, "@"):
		_, share, _ := strings.Cut(s.Name, "@")
		return s, shareError(text, share)
	}
	return s, nil
}

// mostWeight keeps sums of weights finite.
const mostWeight = 1e100

func shareError(text, share string) error {
	return fmt.Errorf("%q: share of steps %q: want a number of at least 0 and below 1", text, share)
}

// Patterns of the text after the last colon or @: something like a number, and the digits of a
// commit.
var (
	numeric = regexp.MustCompile(`^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$`)
	digits  = regexp.MustCompile(`^[0-9]{7,}$`)
)

// cut splits a text at the last mark if something like a number follows it.
func cut(text, mark string) (name, value string, ok bool) {
	i := strings.LastIndex(text, mark)
	if i < 0 || !numeric.MatchString(text[i+1:]) {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && math.IsInf(x, 0) {
		err = strconv.ErrRange
	}
	return x, err
}

// IsPath reports whether a name is a file, a folder or a repository of the hub.
func IsPath(name string) bool { return strings.ContainsAny(name, `/\`) || format.IsTable(name) }

// missingPlus finds two sources with only a space between them. Paths may contain spaces.
func missingPlus(text string) error {
	fields := strings.Fields(text)
	for i, f := range fields[:len(fields)-1] {
		bare, _, shared := cut(f, "@")
		bare, _, weighted := cut(bare, ":")
		if shared || weighted || !IsPath(bare) && i == 0 || format.IsTable(bare) {
			return fmt.Errorf(`%q: a "+" is missing between %q and %q`, text, f, fields[i+1])
		}
	}
	return nil
}
