// Package gate holds results to the rules of a file, for continuous integration.
package gate

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/metrics"
	"infbench/metrics/nearest"
	"infbench/reports/contrast"
	"infbench/reports/diff"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// Gate is what a set of trials is worth under rules.
type Gate struct {
	Checks  []Check // by rule, then number
	Columns int     // numbers that were looked at
	Method  string  // of the tests, in words; "" without a baseline
}

// Check is one rule held against one number.
type Check struct {
	Rule   *Rule  `json:"-"`
	At     string `json:"rule"`   // position of the rule
	Place  string `json:"number"` // which number; "" where the rule finds none
	Passed bool   `json:"passed"`
	Reason string `json:"reason"` // a sentence
	worse  bool   // than the baseline, which the rule may allow
}

// Failed lists the checks that were not met.
func (g *Gate) Failed() []Check {
	return slices.DeleteFunc(slices.Clone(g.Checks), func(c Check) bool { return c.Passed })
}

// ErrNoBaseline says that rules compare with a baseline and there is none.
var ErrNoBaseline = errors.New("rules with maximum_drop or significance need a baseline")

// Judge holds a run to rules. What is missing fails: a number that only the
// baseline has, one whose trials did not all finish, queries that lost their
// value, a rule that finds no number at all, and a number that the baseline has
// not unless its rule says so. The baseline may be nil where no rule compares.
func Judge(rules []*Rule, baseline, run []*results.Experiment) (*Gate, error) {
	if len(baseline) == 0 && slices.ContainsFunc(rules, (*Rule).against) {
		return nil, ErrNoBaseline
	}
	c, err := diff.Compare(baseline, run, false)
	if err != nil {
		return nil, err
	}
	g := &Gate{Columns: len(c.Shifts)}
	if len(baseline) > 0 {
		g.Method = contrast.Method
	}
	for _, r := range rules {
		g.Checks = append(g.Checks, checksOf(c, r)...)
	}
	return g, nil
}

// checksOf holds all numbers that a rule names to it.
func checksOf(c *diff.Changes, r *Rule) []Check {
	var held []*diff.Shift
	for _, s := range c.Shifts {
		if r.names(s) {
			held = append(held, s)
		}
	}
	if len(held) == 0 {
		return []Check{{Rule: r, At: r.Position(), Reason: "no number fits the rule" + hint(c, r)}}
	}
	var f contrast.Family
	for _, s := range held {
		own := *s.Contrast // corrected over the rule's numbers
		f.Contrasts = append(f.Contrasts, &own)
	}
	f.Correct()
	var out []Check
	for i, s := range held {
		c := Check{Rule: r, At: r.Position(), Place: s.Place(), worse: r.against() && s.Before.State.Valued() && r.drop(s) > 0}
		c.Passed, c.Reason = r.judge(s, f.Contrasts[i])
		out = append(out, c)
	}
	return out
}

// names reports whether a rule is about a number.
func (r *Rule) names(s *diff.Shift) bool {
	fits := func(want, have string) bool { return want == "" || want == have }
	return r.Measure == s.Measure && fits(r.Benchmark, s.Benchmark) && fits(r.Task, s.Task) && fits(r.Side, s.Side) && fits(r.System, s.System) && fits(r.Kind, string(s.Kind))
}

// judge holds one number to a rule.
func (r *Rule) judge(s *diff.Shift, tested *contrast.Contrast) (passed bool, reason string) {
	switch s.After.State {
	case scores.Unplanned:
		return false, "missing: only the baseline has this number"
	case scores.Missing:
		return false, "missing: " + s.After.Remark()
	case scores.Undefined:
		return false, "undefined for every query"
	}
	if len(s.After.Absent) > 0 {
		return false, "incomplete: " + s.After.Remark()
	}
	var parts []string
	value := words.PercentExact(s.After.Value)
	if r.Minimum != nil {
		if s.After.Value < *r.Minimum {
			return false, fmt.Sprintf("%s is below the minimum of %s", value, words.PercentExact(*r.Minimum))
		}
		parts = append(parts, fmt.Sprintf("%s is at least %s", value, words.PercentExact(*r.Minimum)))
	}
	if r.Maximum != nil {
		if s.After.Value > *r.Maximum {
			return false, fmt.Sprintf("%s is above the maximum of %s", value, words.PercentExact(*r.Maximum))
		}
		parts = append(parts, fmt.Sprintf("%s is at most %s", value, words.PercentExact(*r.Maximum)))
	}
	if r.against() {
		passed, reason := r.judgeDrop(s, tested)
		if !passed {
			return false, reason
		}
		parts = append(parts, reason)
	}
	return true, strings.Join(parts, "; ")
}

// slack forgives the rounding of a subtraction: 0.35 - 0.34 is more than 0.01.
const slack = 1e-12

// judgeDrop holds one number to its baseline.
func (r *Rule) judgeDrop(s *diff.Shift, tested *contrast.Contrast) (passed bool, reason string) {
	switch {
	case !s.Before.State.Valued() && r.New:
		return true, "new: the baseline has no such number"
	case !s.Before.State.Valued():
		return false, "the baseline has no such number; make it again, or say new: pass"
	case s.Incomparable != "":
		return false, "cannot be compared with the baseline: " + s.Incomparable
	case s.Lost > 0:
		return false, words.Plural(s.Lost, "query that the baseline has a value for has none", "queries that the baseline has a value for have none")
	}
	limit := 0.0
	if r.MaximumDrop != nil {
		limit = *r.MaximumDrop
	}
	drop := r.drop(s)
	change := fmt.Sprintf("%s, before %s", words.PercentExact(s.After.Value), words.PercentExact(s.Before.Value))
	if drop <= limit+slack {
		return true, change + r.within(drop, limit)
	}
	change += fmt.Sprintf(": a %s of %s, more than %s", r.fall(), words.PercentExact(drop), words.PercentExact(limit))
	switch {
	case r.Level == nil:
		return false, change
	case tested.Why != "":
		return false, change + ", " + tested.Words()
	}
	test := fmt.Sprintf("(%s, Holm over the rule's numbers, n = %d)", words.PIs(tested.Adjusted), tested.N)
	if tested.Adjusted <= *r.Level {
		return false, change + ", and significant " + test
	}
	return true, change + ", but not significant " + test
}

// drop is how much worse a number became.
func (r *Rule) drop(s *diff.Shift) float64 {
	return r.direction.Oriented(s.Before.Value) - r.direction.Oriented(s.After.Value)
}

// fall names a change for the worse.
func (r *Rule) fall() string {
	if r.direction == metrics.Lower {
		return "rise"
	}
	return "drop"
}

// within words a change that a rule allows.
func (r *Rule) within(drop, limit float64) string {
	if drop <= 0 {
		return ""
	}
	return fmt.Sprintf(": a %s of %s, at most %s", r.fall(), words.PercentExact(drop), words.PercentExact(limit))
}

// hint names the nearest of what there is, for a rule that fits nothing.
func hint(c *diff.Changes, r *Rule) string {
	asked := []struct {
		kind, name string
		of         func(*diff.Shift) string
	}{
		{"measure", r.Measure, func(s *diff.Shift) string { return s.Measure }},
		{"benchmark", r.Benchmark, func(s *diff.Shift) string { return s.Benchmark }},
		{"task", r.Task, func(s *diff.Shift) string { return s.Task }},
		{"side", r.Side, func(s *diff.Shift) string { return s.Side }},
		{"system", r.System, func(s *diff.Shift) string { return s.System }},
		{"kind", r.Kind, func(s *diff.Shift) string { return string(s.Kind) }},
	}
	for _, a := range asked {
		known := map[string]bool{}
		for _, s := range c.Shifts {
			known[a.of(s)] = true
		}
		delete(known, "")
		if a.name != "" && !known[a.name] {
			return ": " + nearest.Unknown(a.kind, a.name, words.SortedKeys(known)).Error()
		}
	}
	return ": no system has all that it names together"
}

// shownChecks bounds the list of failures in text.
const shownChecks = 200

// WriteGate prints the failures of a gate, and what passed although it dropped,
// as plain text.
func WriteGate(w io.Writer, g *Gate) error {
	p := &table.Printer{W: w}
	failed := g.Failed()
	for i, c := range failed {
		if i == shownChecks {
			p.Line(fmt.Sprintf("... and %d more", len(failed)-i))
			break
		}
		p.Line("FAIL " + words.Clean(c.Sentence()))
	}
	for _, c := range g.Checks {
		if c.Passed && c.worse {
			p.Line("note " + words.Clean(c.Sentence()))
		}
	}
	verdict := "gate met"
	if len(failed) > 0 {
		verdict = "gate not met"
	}
	p.Line(fmt.Sprintf("%s: %d of %s failed", verdict, len(failed), words.Plural(len(g.Checks), "check", "checks")))
	if g.Method != "" {
		p.Line("tests: " + g.Method)
	}
	return p.Err
}

// Sentence is a check in words.
func (c Check) Sentence() string {
	if c.Place == "" {
		return c.At + ": " + c.Reason
	}
	return fmt.Sprintf("%s: %s: %s", c.At, c.Place, c.Reason)
}
