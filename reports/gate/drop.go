package gate

import (
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/diff"
	"infbench/reports/sentence"
)

// slack allows for the rounding of a subtraction: 0.35 - 0.34 is more than 0.01. writtenSlack
// allows for a value that was written with two decimals times 100.
const (
	slack        = 1e-12
	writtenSlack = 5e-5
)

// judgeDrop compares one number with its baseline, or with the value that was accepted.
func (j *comparison) judgeDrop(r *Rule, s *diff.Shift) ruling {
	switch {
	case !s.Before.State.Valued() && r.New:
		return ruling{Outcome: Passed, reason: New + ": the baseline has no such number"}
	case !s.Before.State.Valued():
		return ruling{Outcome: Failed, reason: "the baseline has no such number; make the baseline again, or set new: pass"}
	case s.Incomparable != "":
		return ruling{Outcome: Failed, reason: "cannot be compared with the baseline: " + s.Incomparable}
	case s.Lost > 0:
		return ruling{Outcome: Failed, reason: words.Plural(s.Lost, "query has a value only in the baseline", "queries have a value only in the baseline")}
	}
	limit := r.limit()
	change := j.judgeChange(r, s, limit)
	if change.Outcome == Passed || change.Outcome == Undecided {
		return j.judgeDrift(r, s, limit, change)
	}
	return change
}

// judgeChange judges the change of a number since its baseline.
func (j *comparison) judgeChange(r *Rule, s *diff.Shift, limit float64) ruling {
	drop := r.drop(s)
	why := sentence.Drop{After: shown(s.Measure, s.After.Value), Before: shown(s.Measure, s.Before.Value), Fall: r.fall()}
	if drop > 0 {
		why.By, why.Limit = shown(s.Measure, drop), shown(s.Measure, limit)
	}
	if drop <= limit+slack {
		return ruling{Outcome: Passed, reason: why.String()}
	}
	a := j.acceptance(s, s.Before.Value)
	if a == nil || a.To == nil {
		return j.judgeLarge(r, s, limit, why)
	}
	if a.Over(j.Now) {
		return j.agreed(a, j.judgeLarge(r, s, limit, why))
	}
	further := r.below(*a.To, s.After.Value)
	if further <= limit+writtenSlack {
		why.Is = sentence.AcceptedDrop
		return j.agreed(a, ruling{Failed, why.String(), a.By()})
	}
	why.Accepted, why.Further = shown(s.Measure, *a.To), shown(s.Measure, further)
	j.used[a] = true
	return j.judgeLarge(r, s, limit, why)
}

// judgeLarge returns the outcome of a drop that is larger than its rule allows, with its reason. If
// the variation between seeds is unknown, the test uses SeedBound, or the variation in the history
// if that is larger. An undecided drop fails if the history is too short and the runs at hand alone
// show a drop beyond the rule.
func (j *comparison) judgeLarge(r *Rule, s *diff.Shift, limit float64, why sentence.Drop) ruling {
	outcome := Failed
	switch tested := j.tested[s]; {
	case r.Level == nil:
		why.Is = sentence.AnyDrop
	case tested == nil:
		why.Is, why.Why, outcome = sentence.UntestedDrop, "not tested", Undecided
	case tested.Why != "" && r.drop(s) > limit+boundOn(r.Measure, *r.Level*tested.Weight):
		why.Is, why.Why, why.Bound = sentence.BeyondSeeds, tested.Words(), boundWords
	case tested.Why != "":
		why.Is, why.Why, outcome = sentence.UntestedDrop, tested.Words(), Undecided
	default:
		outcome = j.judgeTested(r, s, limit, &why)
	}
	return ruling{outcome, why.String(), why.Brief()}
}

// judgeTested is judgeLarge for a drop with a test.
func (j *comparison) judgeTested(r *Rule, s *diff.Shift, limit float64, why *sentence.Drop) Outcome {
	tested := j.tested[s]
	why.P, why.AtHand, why.N, why.Runs = words.PIs(tested.Adjusted), words.PIs(tested.AtHand), tested.N, tested.Runs
	if tested.Unreplicated {
		why.Bound = boundWords
	}
	switch {
	case tested.Adjusted <= *r.Level:
		why.Is = sentence.Significant
		return Failed
	case !tested.Unreplicated:
		why.Is = sentence.NotSignificant
		return Passed
	case tested.AtHand > *r.Level:
		why.Is = sentence.NotEvenHere
		return Passed
	}
	why.Cure = j.cure(s).String()
	if !j.past.enough(s) && r.shownAtHand(tested, limit) {
		why.Is = sentence.TheseRuns
		return Failed
	}
	why.Is = sentence.UndecidedDrop
	return Undecided
}

// shownAtHand reports whether the runs at hand show a drop beyond a limit, regardless of other
// seeds, at the test's share of the level.
func (r *Rule) shownAtHand(tested *contrast.Contrast, limit float64) bool {
	e := tested.Estimate.AtHand()
	e.Value = r.below(tested.Zero, e.Value) - limit
	return e.Value > slack && e.P() <= *r.Level*tested.Weight
}

// limit is the largest drop that a rule allows.
func (r *Rule) limit() float64 {
	if r.MaximumDrop == nil {
		return 0
	}
	return *r.MaximumDrop
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
func (j *comparison) agreed(a *Accepted, of ruling) ruling {
	j.used[a] = true
	if !a.Over(j.Now) {
		return ruling{Agreed, of.reason + ": " + a.By(), of.brief}
	}
	expired := "; was " + a.By() + ", now expired"
	of.reason += expired
	if of.brief != "" {
		of.brief += expired
	}
	return of
}
