package gate

import (
	"fmt"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/diff"
)

// slack forgives the rounding of a subtraction: 0.35 - 0.34 is more than 0.01;
// writtenSlack that of a value that was written with two decimals times 100.
const (
	slack        = 1e-12
	writtenSlack = 5e-5
)

// judgeDrop holds one number to its baseline, or to what was accepted below it.
func (j *hearing) judgeDrop(r *Rule, s *diff.Shift) (Outcome, string) {
	switch {
	case !s.Before.State.Valued() && r.New:
		return Passed, New + ": the baseline has no such number"
	case !s.Before.State.Valued():
		return Failed, "the baseline has no such number; make it again, or say new: pass"
	case s.Incomparable != "":
		return Failed, "cannot be compared with the baseline: " + s.Incomparable
	case s.Lost > 0:
		return Failed, words.Plural(s.Lost, "query that the baseline has a value for has none", "queries that the baseline has a value for have none")
	}
	limit := 0.0
	if r.MaximumDrop != nil {
		limit = *r.MaximumDrop
	}
	outcome, reason := j.judgeChange(r, s, limit)
	if outcome == Passed || outcome == Undecided {
		return j.judgeDrift(r, s, limit, outcome, reason)
	}
	return outcome, reason
}

// judgeChange judges the change of a number since its baseline.
func (j *hearing) judgeChange(r *Rule, s *diff.Shift, limit float64) (Outcome, string) {
	drop := r.drop(s)
	change := fmt.Sprintf("%s, before %s", shown(s.Measure, s.After.Value), shown(s.Measure, s.Before.Value))
	if drop <= limit+slack {
		return Passed, change + r.within(s, drop, limit)
	}
	change += fmt.Sprintf(": a %s of %s, more than %s", r.fall(), shown(s.Measure, drop), shown(s.Measure, limit))
	a := j.acceptance(s, s.Before.Value)
	if a == nil || a.To == nil {
		return j.judgeLarge(r, s, limit, change)
	}
	if a.Over(j.Now) {
		outcome, reason := j.judgeLarge(r, s, limit, change)
		return j.agreed(a, outcome, reason)
	}
	further := r.below(*a.To, s.After.Value)
	if further <= limit+writtenSlack {
		return j.agreed(a, Failed, change)
	}
	change += fmt.Sprintf("; %s was accepted, and this is %s further, more than %s", shown(s.Measure, *a.To), shown(s.Measure, further), shown(s.Measure, limit))
	j.used[a] = true
	return j.judgeLarge(r, s, limit, change)
}

// judgeLarge returns what a drop that is larger than its rule allows comes to, in the words of
// change. Where nothing tells how runs with other seeds vary, the test is by SeedBound, or by
// what the history varied by if that is more. What it leaves open fails if no history is
// long enough and these runs alone show a drop beyond the rule.
func (j *hearing) judgeLarge(r *Rule, s *diff.Shift, limit float64, change string) (Outcome, string) {
	tested := j.tested[s]
	switch {
	case r.Level == nil:
		return Failed, change + ": " + Large + ", whether by chance or not"
	case tested == nil:
		return Undecided, change + ": " + string(Undecided) + ", not tested"
	case tested.Why != "" && r.drop(s) > limit+boundOn(r.Measure, *r.Level*tested.Weight):
		return Failed, change + ", and " + tested.Words() + ", but beyond what a seed may do (" + boundWords + "): " + Large + " and " + Real
	case tested.Why != "":
		return Undecided, change + ": " + string(Undecided) + ", " + tested.Words()
	}
	test := fmt.Sprintf("%s, Holm over the gate's tests, n = %d", words.PIs(tested.Adjusted), tested.N)
	if tested.Runs > 2 {
		test += fmt.Sprintf(", %d runs", tested.Runs)
	}
	if tested.Unreplicated {
		test += ", " + boundWords
	}
	switch {
	case tested.Adjusted <= *r.Level:
		return Failed, change + ", and significant (" + test + "): " + Large + " and " + Real
	case !tested.Unreplicated:
		return Passed, change + ", but not significant (" + test + "): " + NotShown
	case tested.AtHand > *r.Level:
		return Passed, change + fmt.Sprintf(", but not significant even for these runs (%s): %s", words.PIs(tested.AtHand), NotShown)
	case !j.past.told(s) && r.shownAtHand(tested, limit):
		return Failed, change + fmt.Sprintf(", shown for these runs (%s), each trained once: it fails, and is %s for other seeds: %s", words.PIs(tested.AtHand), Undecided, j.cure(s))
	}
	return Undecided, change + fmt.Sprintf(": %s, trained once, and not shown to be more than %s: %s", Undecided, shown(s.Measure, limit), j.cure(s))
}

// shownAtHand reports whether the runs at hand, whatever other seeds do, show a drop beyond
// a limit, at the share of the level that the test has.
func (r *Rule) shownAtHand(tested *contrast.Contrast, limit float64) bool {
	e := tested.Estimate.AtHand()
	e.Value = r.below(tested.Zero, e.Value) - limit
	return e.Value > slack && e.P() <= *r.Level*tested.Weight
}

// drop is how much worse a number became.
func (r *Rule) drop(s *diff.Shift) float64 { return r.below(s.Before.Value, s.After.Value) }

// below is how much worse than one value another is.
func (r *Rule) below(than, v float64) float64 {
	return r.direction.Oriented(than) - r.direction.Oriented(v)
}

// fall names a change for the worse.
func (r *Rule) fall() string {
	if r.direction == metrics.Lower {
		return "rise"
	}
	return "drop"
}

// within words a change that a rule allows.
func (r *Rule) within(s *diff.Shift, drop, limit float64) string {
	if drop <= 0 {
		return ""
	}
	return fmt.Sprintf(": a %s of %s, at most %s", r.fall(), shown(s.Measure, drop), shown(s.Measure, limit))
}

// acceptance finds what was accepted of a number that was at from, the last one that still
// holds before others; nil where nothing was.
func (j *hearing) acceptance(s *diff.Shift, from float64) *Accepted {
	var found *Accepted
	for _, a := range j.Accepted {
		fits := a.System == s.System && (a.Number == "" || a.Number == s.Number())
		lifts := a.To == nil || s.Contrast.On.Direction().Better(from, *a.To)
		if fits && lifts && (found == nil || found.Over(j.Now) || !a.Over(j.Now)) {
			found = a
		}
	}
	return found
}

// agreed is what a check comes to of which somebody accepted what is said of it: nothing
// changes where that is over.
func (j *hearing) agreed(a *Accepted, outcome Outcome, reason string) (Outcome, string) {
	j.used[a] = true
	if a.Over(j.Now) {
		return outcome, reason + "; was " + a.By() + ", which is over"
	}
	return Agreed, reason + ": " + a.By()
}
