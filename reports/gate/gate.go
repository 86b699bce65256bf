// Package gate checks results against the rules of a file, for continuous integration:
// single tasks and boards, against limits and against a baseline; and it writes the
// pull-request comment. Definitions explain its outcomes and tests. It computes no
// statistics of its own.
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

// seedKey is the key of a configuration in which the runs of a system differ.
const seedKey = results.Seed

// Gate is what a set of trials is worth under rules.
type Gate struct {
	Checks  []Check     // by rule, then number
	Columns int         // numbers that were looked at
	Tests   int         // that one correction runs over
	Method  string      // of the tests, in words; "" without a baseline
	Unused  []*Accepted // that no check needed

	rules   []*Rule
	hearing *hearing
}

// Changes are the numbers of the run beside those of the baseline with the tests of the
// gate, where it tests one and knows how its runs vary: who shows both says the same of it.
func (g *Gate) Changes() *diff.Changes {
	c := *g.hearing.changes
	c.Shifts = slices.Clone(c.Shifts)
	for i, s := range c.Shifts {
		tested := g.hearing.tested[s]
		if tested == nil || tested.Why != "" || tested.Unreplicated && !tested.Shown() || tested.Zero != 0 {
			continue
		}
		shift, by := *s, *tested
		by.OneRun = false // others tell how its runs vary, or it is beyond the bound on that
		shift.Contrast = &by
		c.Shifts[i] = &shift
	}
	return &c
}

// Check is one rule held against one number.
type Check struct {
	Rule    *Rule
	At      string // position of the rule
	Place   string // which number; "" where the rule finds none
	Board   bool   // boards show the number; else it is behind one
	Outcome Outcome
	Reason  string // a sentence
	worse   bool   // than the baseline, which the rule may allow

	shift  *diff.Shift
	tested *contrast.Contrast // nil where the rule tests nothing
}

// ErrNoBaseline says that rules compare with a baseline and there is none.
var ErrNoBaseline = errors.New("rules with maximum_drop or significance need a baseline")

// Known is what a gate is told beside its rules.
type Known struct {
	History  []Past      // what commits before measured, the last one last
	Shifts   []Shift     // steps and drifts over these commits, those of a number in order
	Accepted []*Accepted // changes that somebody answers for
	Now      time.Time   // when acceptances are held to their last day
}

// Judge holds a run to rules, with nothing else known.
func Judge(rules []*Rule, baseline, run []*results.Experiment) (*Gate, error) {
	return Known{}.Judge(rules, baseline, run)
}

// Judge holds a run to rules. What is missing fails: a number that only the baseline has
// and that a plan still asks for, one whose trials did not all finish, queries that lost
// their value, a rule that finds no number at all, and a number that the baseline has not
// unless its rule says so. The baseline may be nil where no rule compares. All tests of all
// rules are one family.
func (k Known) Judge(rules []*Rule, baseline, run []*results.Experiment) (*Gate, error) {
	if len(baseline) == 0 && slices.ContainsFunc(rules, (*Rule).against) {
		return nil, ErrNoBaseline
	}
	c, err := diff.Compare(baseline, run, false)
	if err != nil {
		return nil, err
	}
	j := newHearing(k, c)
	rules = j.named(rules)
	j.test(rules)
	g := &Gate{Columns: len(c.Shifts), Tests: j.tests, rules: rules, hearing: j}
	if len(baseline) > 0 {
		g.Method = fmt.Sprintf("%s, of what boards show and of single tasks, corrected by Holm over %s, half of the level to each", contrast.Method, words.Plural(j.tests, "test", "tests"))
	}
	for _, r := range rules {
		g.Checks = append(g.Checks, j.checksOf(r)...)
	}
	g.Unused = slices.DeleteFunc(slices.Clone(k.Accepted), func(a *Accepted) bool { return j.used[a] })
	return g, nil
}

// hearing is a run beside its baseline.
type hearing struct {
	Known
	changes *diff.Changes
	shifts  []*diff.Shift // single tasks, then means over tasks
	boards  map[*diff.Shift]bool
	tested  map[*diff.Shift]*contrast.Contrast
	tests   int
	past    before
	used    map[*Accepted]bool
}

// newHearing lists what may be judged.
func newHearing(k Known, c *diff.Changes) *hearing {
	j := &hearing{Known: k, changes: c, shifts: append(slices.Clone(c.Shifts), c.Means()...), tested: map[*diff.Shift]*contrast.Contrast{}, past: newBefore(k.History), used: map[*Accepted]bool{}}
	j.boards = c.OnBoards(j.shifts)
	return j
}

// systems lists the labels of the systems that may be judged.
func (j *hearing) systems() (all []string) {
	for _, s := range j.shifts {
		all = words.AddNew(all, s.System)
	}
	return all
}

// named are rules with the label of the one system that each names, in any way that other
// verbs take it. A name that means none or several stays, and fits nothing.
func (j *hearing) named(rules []*Rule) []*Rule {
	out := slices.Clone(rules)
	for i, r := range out {
		if label, err := results.Meant("system", r.System, j.systems()); r.System != "" && err == nil {
			of := *r
			of.System, out[i] = label, &of
		}
	}
	return out
}

// test runs the tests that rules ask for, each number once.
func (j *hearing) test(rules []*Rule) {
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

// weigh gives half of the level to what boards show and half to the single tasks behind
// it, each shared alike; all of it where there is one of them only.
func (j *hearing) weigh() {
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

// checksOf holds all numbers that a rule names to it.
func (j *hearing) checksOf(r *Rule) []Check {
	var out []Check
	for _, s := range j.shifts {
		if !r.names(s) {
			continue
		}
		c := Check{Rule: r, At: r.Position(), Place: s.Place(), Board: j.boards[s], worse: r.against() && s.Before.State.Valued() && r.drop(s) > 0, shift: s}
		if r.Level != nil {
			c.tested = j.tested[s]
		}
		c.Outcome, c.Reason = j.decide(r, s)
		out = append(out, c)
	}
	if len(out) == 0 {
		return []Check{{Rule: r, At: r.Position(), Outcome: Failed, Reason: "no number fits the rule" + j.hint(r)}}
	}
	return out
}

// names reports whether a rule is about a number. One that names a task is about it alone.
func (r *Rule) names(s *diff.Shift) bool {
	fits := func(want, have string) bool { return want == "" || want == have }
	return r.Measure == s.Measure && fits(r.Benchmark, s.Benchmark) && fits(r.Task, s.Task) && fits(r.Side, s.Side) && fits(r.System, s.System) && fits(r.Kind, string(s.Kind))
}

// decide holds one number to a rule.
func (j *hearing) decide(r *Rule, s *diff.Shift) (Outcome, string) {
	if outcome, reason := j.missing(r, s); outcome != "" {
		return outcome, reason
	}
	var parts []string
	value := shown(s.Measure, s.After.Value)
	if r.Minimum != nil {
		if s.After.Value < *r.Minimum {
			return Failed, fmt.Sprintf("%s is below the minimum of %s", value, shown(s.Measure, *r.Minimum))
		}
		parts = append(parts, fmt.Sprintf("%s is at least %s", value, shown(s.Measure, *r.Minimum)))
	}
	if r.Maximum != nil {
		if s.After.Value > *r.Maximum {
			return Failed, fmt.Sprintf("%s is above the maximum of %s", value, shown(s.Measure, *r.Maximum))
		}
		parts = append(parts, fmt.Sprintf("%s is at most %s", value, shown(s.Measure, *r.Maximum)))
	}
	outcome := Passed
	if r.against() {
		var reason string
		if outcome, reason = j.judgeDrop(r, s); outcome == Failed {
			return Failed, reason
		}
		parts = append(parts, reason)
	}
	return outcome, strings.Join(parts, "; ")
}

// missing says what a number lacks; "" where it has all. What the baseline alone has was
// lost, unless its plan was read and does not ask for it: then it was dropped on purpose.
func (j *hearing) missing(r *Rule, s *diff.Shift) (Outcome, string) {
	reason := ""
	switch {
	case s.Dropped() && r.Dropped:
		return Dropped, string(Dropped) + ": the plan no longer asks for it"
	case s.Dropped():
		reason = string(Dropped) + ": the plan no longer asks for it, and the rule does not let that pass"
	case s.After.State == scores.Unplanned:
		reason = "missing: only the baseline has this number: " + Lost
	case s.After.State == scores.Missing:
		reason = "missing: " + s.After.Remark() + ": " + Lost
	case s.After.State == scores.Undefined:
		return Failed, "undefined for every query"
	case len(s.After.Absent) > 0:
		return Failed, "incomplete: " + s.After.Remark()
	default:
		return "", ""
	}
	if a := j.acceptance(s, s.Before.Value); a != nil && a.To == nil {
		return j.agreed(a, Failed, reason)
	}
	return Failed, reason
}

// hint names the nearest of what there is, for a rule that fits nothing.
func (j *hearing) hint(r *Rule) string {
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
		if _, err := results.Meant(a.kind, a.name, j.systems()); a.name != "" && a.kind == "system" && err != nil {
			return ": " + err.Error()
		}
		if a.name != "" && !known[a.name] {
			return ": " + nearest.Unknown(a.kind, a.name, words.SortedKeys(known)).Error()
		}
	}
	return ": no system has all that it names together"
}

// Sentence is a check in words.
func (c Check) Sentence() string {
	if c.Place == "" {
		return c.At + ": " + c.Reason
	}
	return fmt.Sprintf("%s: %s: %s", c.At, c.Place, c.Reason)
}
