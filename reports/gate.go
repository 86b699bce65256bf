package reports

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/metrics/nearest"
	"infbench/metrics/stats"
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
func Judge(rules []*Rule, baseline, run []*results.Experiment, opts Options) (*Gate, error) {
	if len(baseline) == 0 && slices.ContainsFunc(rules, (*Rule).against) {
		return nil, ErrNoBaseline
	}
	c, err := Compare(baseline, run, false, opts)
	if err != nil {
		return nil, err
	}
	g := &Gate{Columns: len(c.Shifts)}
	if len(baseline) > 0 {
		g.Method = c.Method
	}
	for _, r := range rules {
		g.Checks = append(g.Checks, c.judge(r)...)
	}
	return g, nil
}

// judge holds all numbers that a rule names to it.
func (c *Changes) judge(r *Rule) []Check {
	var held []*Shift
	for _, s := range c.Shifts {
		if r.names(s) {
			held = append(held, s)
		}
	}
	if len(held) == 0 {
		return []Check{{Rule: r, At: r.Position(), Reason: "no number fits the rule" + c.hint(r)}}
	}
	corrected := map[*Shift]float64{}
	var tested []*Shift
	var ps []float64
	for _, s := range held {
		if s.Test != nil {
			tested, ps = append(tested, s), append(ps, s.Test.P)
		}
	}
	for i, p := range stats.Holm(ps) {
		corrected[tested[i]] = p
	}
	var out []Check
	for _, s := range held {
		passed, reason := r.judge(s, corrected[s])
		out = append(out, Check{r, r.Position(), s.Place(), passed, reason})
	}
	return out
}

// names reports whether a rule is about a number.
func (r *Rule) names(s *Shift) bool {
	fits := func(want, have string) bool { return want == "" || want == have }
	return r.Measure == s.Measure && fits(r.Benchmark, s.Benchmark) && fits(r.Task, s.Task) && fits(r.Side, s.Side) && fits(r.System, s.System) && fits(r.Kind, string(s.Kind))
}

// judge holds one number to a rule.
func (r *Rule) judge(s *Shift, corrected float64) (passed bool, reason string) {
	switch s.After.State {
	case Unplanned:
		return false, "missing: only the baseline has this number"
	case Missing:
		return false, "missing: " + s.After.remark()
	case Undefined:
		return false, "undefined for every query"
	}
	if len(s.After.Absent) > 0 {
		return false, "incomplete: " + s.After.remark()
	}
	var words []string
	value := percentExact(s.After.Value)
	if r.Minimum != nil {
		if s.After.Value < *r.Minimum {
			return false, fmt.Sprintf("%s is below the minimum of %s", value, percentExact(*r.Minimum))
		}
		words = append(words, fmt.Sprintf("%s is at least %s", value, percentExact(*r.Minimum)))
	}
	if r.against() {
		passed, reason := r.judgeDrop(s, corrected)
		if !passed {
			return false, reason
		}
		words = append(words, reason)
	}
	return true, strings.Join(words, "; ")
}

// slack forgives the rounding of a subtraction: 0.35 - 0.34 is more than 0.01.
const slack = 1e-12

// judgeDrop holds one number to its baseline.
func (r *Rule) judgeDrop(s *Shift, corrected float64) (passed bool, reason string) {
	switch {
	case !s.Before.State.Valued() && r.New:
		return true, "new: the baseline has no such number"
	case !s.Before.State.Valued():
		return false, "the baseline has no such number; make it again, or say new: pass"
	case s.Incomparable != "":
		return false, "cannot be compared with the baseline: " + s.Incomparable
	case s.Lost > 0:
		return false, fmt.Sprintf("%s that the baseline has a value for %s none", plural(s.Lost, "query", "queries"), haveOrHas(s.Lost))
	}
	limit := 0.0
	if r.MaximumDrop != nil {
		limit = *r.MaximumDrop
	}
	drop := s.Before.Value - s.After.Value
	change := fmt.Sprintf("%s, before %s", percentExact(s.After.Value), percentExact(s.Before.Value))
	if drop <= limit+slack {
		return true, change + within(drop, limit)
	}
	change += fmt.Sprintf(": a drop of %s, more than %s", percentExact(drop), percentExact(limit))
	switch {
	case r.Level == nil:
		return false, change
	case s.Test == nil:
		return false, change + ", of too few queries to test"
	case corrected <= *r.Level:
		return false, fmt.Sprintf("%s, and significant (p = %s, Holm over the rule's numbers, n = %d)", change, pValue(corrected), s.Test.N)
	}
	return true, fmt.Sprintf("%s, but not significant (p = %s, Holm over the rule's numbers, n = %d)", change, pValue(corrected), s.Test.N)
}

func haveOrHas(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// within words a change that a rule allows.
func within(drop, limit float64) string {
	if drop <= 0 {
		return ""
	}
	return fmt.Sprintf(": a drop of %s, at most %s", percentExact(drop), percentExact(limit))
}

// percentExact prints times 100 with two decimals, one more than tables have,
// so that a limit and what breaks it do not print alike.
func percentExact(v float64) string { return fixed(100*v, 2) }

// hint names the nearest of what there is, for a rule that fits nothing.
func (c *Changes) hint(r *Rule) string {
	asked := []struct {
		kind, name string
		of         func(*Shift) string
	}{
		{"measure", r.Measure, func(s *Shift) string { return s.Measure }},
		{"benchmark", r.Benchmark, func(s *Shift) string { return s.Benchmark }},
		{"task", r.Task, func(s *Shift) string { return s.Task }},
		{"side", r.Side, func(s *Shift) string { return s.Side }},
		{"system", r.System, func(s *Shift) string { return s.System }},
		{"kind", r.Kind, func(s *Shift) string { return string(s.Kind) }},
	}
	for _, a := range asked {
		known := map[string]bool{}
		for _, s := range c.Shifts {
			known[a.of(s)] = true
		}
		delete(known, "")
		if a.name != "" && !known[a.name] {
			return ": " + nearest.Unknown(a.kind, a.name, sortedKeys(known)).Error()
		}
	}
	return ": no system has all that it names together"
}

// shownChecks bounds the list of failures in text.
const shownChecks = 200

// WriteGate prints the failures of a gate, and what passed although it dropped,
// as plain text.
func WriteGate(w io.Writer, g *Gate) error {
	p := &printer{w: w}
	failed := g.Failed()
	for i, c := range failed {
		if i == shownChecks {
			p.line(fmt.Sprintf("... and %d more", len(failed)-i))
			break
		}
		p.line("FAIL " + clean(c.sentence()))
	}
	for _, c := range g.Checks {
		if c.Passed && strings.Contains(c.Reason, "a drop of") {
			p.line("note " + clean(c.sentence()))
		}
	}
	verdict := "gate met"
	if len(failed) > 0 {
		verdict = "gate not met"
	}
	p.line(fmt.Sprintf("%s: %d of %s failed", verdict, len(failed), plural(len(g.Checks), "check", "checks")))
	if g.Method != "" {
		p.line("tests: " + g.Method)
	}
	return p.err
}

// sentence is a check in words.
func (c Check) sentence() string {
	if c.Place == "" {
		return c.At + ": " + c.Reason
	}
	return fmt.Sprintf("%s: %s: %s", c.At, c.Place, c.Reason)
}
