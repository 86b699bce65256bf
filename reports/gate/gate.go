// Package gate checks results against the rules of a file, for continuous integration: single tasks
// and boards, against limits and against a baseline. It also writes the pull-request comment.
// Definitions explain its outcomes and tests. It computes no statistics of its own.
package gate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/diff"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// seedKey is the configuration key in which the runs of a system differ.
const seedKey = results.Seed

// Gate is the result of judging a set of trials by rules.
type Gate struct {
	Checks  []Check     // in the order of rules, then numbers
	Columns int         // number of judged numbers
	Tests   int         // number of tests in the one correction
	Method  string      // description of the tests; "" without a baseline
	Unused  []*Accepted // acceptances that no check needed

	rules      []*Rule
	comparison *comparison
}

// compared returns the changes of the numbers that rules judge, with the tests of the gate, and
// those of the other numbers.
func (g *Gate) compared() (inside, outside *diff.Changes) {
	judged := map[*diff.Shift]bool{}
	for _, c := range g.Checks {
		judged[c.shift] = c.shift != nil
	}
	in, out := *g.comparison.changes, *g.comparison.changes
	in.Shifts, out.Shifts = nil, nil
	for _, s := range g.comparison.shifts {
		if judged[s] {
			in.Shifts = append(in.Shifts, tests(s, g.comparison.tested[s]))
		}
	}
	for _, s := range g.comparison.changes.Shifts {
		if !judged[s] {
			out.Shifts = append(out.Shifts, s)
		}
	}
	return &in, &out
}

// tests returns a shift with the test of a gate if the variation between its runs is known. A mean
// without a test is marked as such.
func tests(s *diff.Shift, tested *contrast.Contrast) *diff.Shift {
	shift := *s
	if tested == nil || tested.Why != "" || tested.Unreplicated && !tested.Shown() || tested.Zero != 0 {
		if s.Task == "" && s.Contrast.Why == "" {
			by := *s.Contrast
			by.Why = "not tested"
			shift.Contrast = &by
		}
		return &shift
	}
	by := *tested
	by.OneRun = false // the variation of its runs is known from others, or it is beyond the bound
	shift.Contrast = &by
	return &shift
}

// Check is the result of one rule for one number.
type Check struct {
	Rule    *Rule
	At      string // position of the rule
	Place   string // system and number; "" if no number fits the rule
	Board   bool   // boards show the number; else it is a single task behind a board
	Outcome Outcome
	Reason  string // a sentence
	brief   string // Reason without the values of the number, if it has any
	worse   bool   // worse than the baseline by more than the rule allows

	shift  *diff.Shift
	tested *contrast.Contrast // nil without a test
}

// ErrNoBaseline is the error for rules that need a baseline when there is none.
var ErrNoBaseline = errors.New("rules with maximum_drop or significance need a baseline")

// Known is the information that a gate gets in addition to its rules.
type Known struct {
	History  []Past      // values of earlier commits, the latest last
	Shifts   []Shift     // steps and drifts over these commits, in order for each number
	Accepted []*Accepted // changes that somebody has accepted
	Now      time.Time   // for the last days of acceptances
}

// Judge judges a run by rules, without further information.
func Judge(rules []*Rule, baseline, run []*results.Experiment) (*Gate, error) {
	return Known{}.Judge(rules, baseline, run)
}

// Judge judges a run by rules. Missing results fail: a number that only the baseline has and that a
// plan still asks for, a number with unfinished trials, queries that lost their value, and a rule
// that fits no number. A number that the baseline lacks fails too, unless its rule allows it. The
// baseline may be nil if no rule compares with it. All tests of all rules are one family.
func (k Known) Judge(rules []*Rule, baseline, run []*results.Experiment) (*Gate, error) {
	if len(baseline) == 0 && slices.ContainsFunc(rules, (*Rule).against) {
		return nil, ErrNoBaseline
	}
	c, err := diff.Compare(baseline, run, false)
	if err != nil {
		return nil, err
	}
	j := newComparison(k, c)
	rules = j.named(rules)
	j.test(rules)
	g := &Gate{Columns: len(c.Shifts), Tests: j.tests, rules: rules, comparison: j}
	if len(baseline) > 0 {
		g.Method = fmt.Sprintf("%s, on the numbers of boards and on single tasks, corrected by Holm over %s, half of the level for each", contrast.Method, words.Plural(j.tests, "test", "tests"))
	}
	for _, r := range rules {
		g.Checks = append(g.Checks, j.checksOf(r)...)
	}
	g.Unused = slices.DeleteFunc(slices.Clone(k.Accepted), func(a *Accepted) bool { return j.used[a] })
	return g, nil
}

// comparison is a run with its baseline.
type comparison struct {
	Known
	changes *diff.Changes
	shifts  []*diff.Shift // single tasks, then means over tasks
	boards  map[*diff.Shift]bool
	tested  map[*diff.Shift]*contrast.Contrast
	tests   int
	past    pastValues
	used    map[*Accepted]bool
}

// ruling is the result of judging a number by a rule, with the fields of Check.
type ruling struct {
	Outcome
	reason, brief string
}

// newComparison lists the numbers that may be judged.
func newComparison(k Known, c *diff.Changes) *comparison {
	j := &comparison{Known: k, changes: c, shifts: append(slices.Clone(c.Shifts), c.Means()...), tested: map[*diff.Shift]*contrast.Contrast{}, past: newPastValues(k.History), used: map[*Accepted]bool{}}
	j.boards = c.OnBoards(j.shifts)
	return j
}

// systems lists the labels of the systems that may be judged, and their other names by label.
func (j *comparison) systems() (all []string, others map[string][]string) {
	others = map[string][]string{}
	for _, s := range j.shifts {
		all = words.AddNew(all, s.System)
		s.AddNames(others)
	}
	return all, others
}

// named returns the rules with the name of each system replaced by its label. Names may have any
// form that other verbs accept. An unknown or ambiguous name is unchanged, and fits no number.
func (j *comparison) named(rules []*Rule) []*Rule {
	out := slices.Clone(rules)
	systems, others := j.systems()
	for i, r := range out {
		if label, err := results.Meant("system", r.System, systems, others); r.System != "" && err == nil {
			of := *r
			of.System, out[i] = label, &of
		}
	}
	return out
}

// test runs the tests that rules ask for, once for each number.
func (j *comparison) test(rules []*Rule) {
	var f contrast.Family
	for _, s := range j.shifts {
		asked := slices.ContainsFunc(rules, func(r *Rule) bool { return r.Level != nil && r.names(s) })
		if !asked || s.Contrast.Why != "" || s.Incomparable != "" || s.Lost > 0 {
			continue
		}
		c := &contrast.Contrast{A: s.Contrast.A, B: s.Contrast.B, On: s.Contrast.On}
		if a := j.acceptance(s, s.Before.Value); a != nil && a.To != nil && !a.Over(j.Now) {
			c.Zero = *a.To - s.Before.Value
		}
		j.tested[s], f.Contrasts = c, append(f.Contrasts, c)
	}
	j.weigh()
	before, after := j.changes.Sets()
	f.TestRuns(j.past.elsewhere(before, after), before, after)
	j.tests = f.Tested()
}

// weigh gives half of the level to the numbers that boards show and half to the single tasks behind
// them, in equal shares; all of it if there is only one kind.
func (j *comparison) weigh() {
	shown := 0
	for s := range j.tested {
		if j.boards[s] {
			shown++
		}
	}
	behind := len(j.tested) - shown
	for s, c := range j.tested {
		if c.Weight = 1 / float64(max(1, behind)); j.boards[s] {
			c.Weight = 1 / float64(shown)
		}
		if shown > 0 && behind > 0 {
			c.Weight /= 2
		}
	}
}

// checksOf checks all numbers that a rule names.
func (j *comparison) checksOf(r *Rule) []Check {
	var out []Check
	for _, s := range j.shifts {
		if !r.names(s) {
			continue
		}
		c := Check{Rule: r, At: r.Position(), Place: s.Place(), Board: j.boards[s], worse: r.against() && s.Before.State.Valued() && r.drop(s) > r.limit()+slack, shift: s}
		if r.Level != nil {
			c.tested = j.tested[s]
		}
		of := j.decide(r, s)
		c.Outcome, c.Reason, c.brief = of.Outcome, of.reason, of.brief
		out = append(out, c)
	}
	if len(out) == 0 {
		return []Check{{Rule: r, At: r.Position(), Outcome: Failed, Reason: "no number fits the rule" + j.hint(r)}}
	}
	return out
}

// names reports whether a rule applies to a number. A rule that names a task applies to that task
// only.
func (r *Rule) names(s *diff.Shift) bool {
	fits := func(want, have string) bool { return want == "" || want == have }
	return r.Measure == s.Measure && fits(r.Benchmark, s.Benchmark) && fits(r.Task, s.Task) && fits(r.Side, s.Side) && fits(r.System, s.System) && fits(r.Kind, string(s.Kind))
}

// decide judges one number by a rule.
func (j *comparison) decide(r *Rule, s *diff.Shift) ruling {
	if of := j.missing(r, s); of.Outcome != "" {
		return of
	}
	var parts []string
	value := shown(s.Measure, s.After.Value)
	if r.Minimum != nil {
		if s.After.Value < *r.Minimum {
			return ruling{Outcome: Failed, reason: fmt.Sprintf("%s is below the minimum of %s", value, shown(s.Measure, *r.Minimum))}
		}
		parts = append(parts, fmt.Sprintf("%s is at least %s", value, shown(s.Measure, *r.Minimum)))
	}
	if r.Maximum != nil {
		if s.After.Value > *r.Maximum {
			return ruling{Outcome: Failed, reason: fmt.Sprintf("%s is above the maximum of %s", value, shown(s.Measure, *r.Maximum))}
		}
		parts = append(parts, fmt.Sprintf("%s is at most %s", value, shown(s.Measure, *r.Maximum)))
	}
	of := ruling{Outcome: Passed}
	if r.against() {
		if of = j.judgeDrop(r, s); of.Outcome == Failed {
			return of
		}
		parts = append(parts, of.reason)
	}
	of.reason = strings.Join(parts, "; ")
	return of
}

// missing describes what a number lacks; its outcome is "" if the number is complete. A number that only the baseline has
// was lost, unless its plan was read and does not ask for it: then it was dropped on purpose.
func (j *comparison) missing(r *Rule, s *diff.Shift) ruling {
	reason := ""
	switch {
	case s.Dropped() && r.Dropped:
		return ruling{Outcome: Dropped, reason: string(Dropped) + ": the plan no longer asks for it"}
	case s.Dropped():
		reason = string(Dropped) + ": the plan no longer asks for it, which the rule does not allow"
	case s.After.State == scores.Unplanned:
		reason = "missing: only the baseline has this number: " + Lost
	case s.After.State == scores.Missing:
		reason = "missing: " + s.After.Remark() + ": " + Lost
	case s.After.State == scores.Undefined:
		return ruling{Outcome: Failed, reason: "undefined for every query"}
	case len(s.After.Absent) > 0:
		return ruling{Outcome: Failed, reason: "incomplete: " + s.After.Remark()}
	default:
		return ruling{}
	}
	of := ruling{Outcome: Failed, reason: reason}
	if a := j.acceptance(s, s.Before.Value); a != nil && a.To == nil {
		return j.agreed(a, of)
	}
	return of
}

// hint names the nearest known name, for a rule that fits nothing.
func (j *comparison) hint(r *Rule) string {
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
		for _, s := range j.shifts {
			known[a.of(s)] = true
		}
		delete(known, "")
		systems, others := j.systems()
		if _, err := results.Meant(a.kind, a.name, systems, others); a.name != "" && a.kind == "system" && err != nil {
			return ": " + err.Error()
		}
		if a.name != "" && !known[a.name] {
			return ": " + nearest.Unknown(a.kind, a.name, words.SortedKeys(known)).Error()
		}
	}
	return ": no single number has all of its names"
}

// tests returns the number of a check with its test.
func (c Check) tests() *diff.Shift { return tests(c.shift, c.tested) }

// Sentence describes a check.
func (c Check) Sentence() string {
	if c.Place == "" {
		return c.At + ": " + c.Reason
	}
	return fmt.Sprintf("%s: %s: %s", c.At, c.Place, c.Reason)
}
