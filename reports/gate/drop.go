package gate

import (
	"fmt"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/diff"
)

// slack allows for the rounding of a subtraction: 0.35 - 0.34 is more than 0.01. writtenSlack
// allows for a value that was written with two decimals times 100.
const (
	slack        = 1e-12
	writtenSlack = 5e-5
)

// judgeDrop compares one number with its baseline, or with the value that was accepted.
func (j *comparison) judgeDrop(r *Rule, s *diff.Shift) (Outcome, string) {
	switch {
	case !s.Before.State.Valued() && r.New:
		return Passed, New + ": the baseline has no such number"
	case !s.Before.State.Valued():
		return Failed, "the baseline has no such number; make the baseline again, or set new: pass"
	case s.Incomparable != "":
		return Failed, "cannot be compared with the baseline: " + s.Incomparable
	case s.Lost > 0:
		return Failed, words.Plural(s.Lost, "query has a value only in the baseline", "queries have a value only in the baseline")
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
func (j *comparison) judgeChange(r *Rule, s *diff.Shift, limit float64) (Outcome, string) {
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

// judgeLarge returns the outcome of a drop that is larger than its rule allows, with a reason that
// begins with change. If the variation between seeds is unknown, the test uses SeedBound, or the
// variation in the history if that is larger. An undecided drop fails if the history is too short
// and the runs at hand alone show a drop beyond the rule.
func (j *comparison) judgeLarge(r *Rule, s *diff.Shift, limit float64, change string) (Outcome, string) {
	tested := j.tested[s]
	switch {
	case r.Level == nil:
		return Failed, change + ": " + Large + ", whether by chance or not"
	case tested == nil:
		return Undecided, change + ": " + string(Undecided) + ", not tested"
	case tested.Why != "" && r.drop(s) > limit+boundOn(r.Measure, *r.Level*tested.Weight):
		return Failed, change + ", and " + tested.Words() + ", but beyond the variation of seeds (" + boundWords + "): " + Large + " and " + Real
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
	case !j.past.enough(s) && r.shownAtHand(tested, limit):
		return Failed, change + fmt.Sprintf(", shown for these runs (%s), each trained once: it fails, and is %s for other seeds: %s", words.PIs(tested.AtHand), Undecided, j.cure(s))
	}
	return Undecided, change + fmt.Sprintf(": %s, trained once, and not shown to be more than %s: %s", Undecided, shown(s.Measure, limit), j.cure(s))
}

// shownAtHand reports whether the runs at hand show a drop beyond a limit, regardless of other
// seeds, at the test's share of the level.
func (r *Rule) shownAtHand(tested *contrast.Contrast, limit float64) bool {
	e := tested.Estimate.AtHand()
	e.Value = r.below(tested.Zero, e.Value) - limit
	return e.Value > slack && e.P() <= *r.Level*tested.Weight
}

// drop returns how much worse a number became.
func (r *Rule) drop(s *diff.Shift) float64 { return r.below(s.Before.Value, s.After.Value) }

// below returns how much worse v is than another value.
func (r *Rule) below(than, v float64) float64 {
	return r.direction.Oriented(than) - r.direction.Oriented(v)
}

// fall is the word for a change for the worse.
func (r *Rule) fall() string {
	if r.direction == metrics.Lower {
		return "rise"
	}
	return "drop"
}

// within describes a drop that a rule allows.
func (r *Rule) within(s *diff.Shift, drop, limit float64) string {
	if drop <= 0 {
		return ""
	}
	return fmt.Sprintf(": a %s of %s, at most %s", r.fall(), shown(s.Measure, drop), shown(s.Measure, limit))
}

// acceptance returns the accepted change for a number whose value was from, preferably one that has
// not expired; nil if there is none.
func (j *comparison) acceptance(s *diff.Shift, from float64) *Accepted {
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

// agreed returns the outcome of a check with an accepted change. An expired acceptance does not
// change the outcome.
func (j *comparison) agreed(a *Accepted, outcome Outcome, reason string) (Outcome, string) {
	j.used[a] = true
	if a.Over(j.Now) {
		return outcome, reason + "; was " + a.By() + ", now expired"
	}
	return Agreed, reason + ": " + a.By()
}
