package gate

import (
	"infbench/reports/diff"
	"infbench/reports/sentence"
)

// Shift is a step or a drift in a history: a number moved from one level to another between two
// commits.
type Shift struct {
	System, Number string // as in PastValue
	From, To       string // last commit of the old level, first commit of the new one
	Drift          bool   // there are commits in between
	Before, After  float64
}

// judgeDrift judges a number whose latest change does not fail; change describes that change. The
// number fails if the history names a series of such changes that took it further than the rule
// allows, and it has not recovered.
func (j *comparison) judgeDrift(r *Rule, s *diff.Shift, limit float64, change ruling) ruling {
	from, to := j.decline(r, s, limit)
	if from == nil || r.below(from.Before, to.After) <= limit+slack || r.below(from.Before, s.After.Value) <= limit+slack {
		return change
	}
	drift := ruling{Outcome: Failed, reason: change.reason + sentence.Drift{Since: from.From, From: shown(s.Measure, from.Before), To: shown(s.Measure, s.After.Value), Fall: r.fall(),
		By: shown(s.Measure, r.below(from.Before, s.After.Value)), Limit: shown(s.Measure, limit)}.String()}
	a := j.acceptance(s, from.Before)
	if a == nil || a.To == nil || !a.Over(j.Now) && r.below(*a.To, s.After.Value) > limit+writtenSlack {
		return drift
	}
	return j.agreed(a, drift)
}

// decline returns the first and last of the changes for the worse at the end of a history, as far
// back as each alone was within the rule: a drift, or a step within the limit. Both are nil if the
// history does not end with such a change.
func (j *comparison) decline(r *Rule, s *diff.Shift, limit float64) (first, last *Shift) {
	for i := len(j.Shifts) - 1; i >= 0; i-- {
		at := &j.Shifts[i]
		if at.System != s.System || at.Number != s.Number() {
			continue
		}
		fell := r.below(at.Before, at.After)
		if fell <= 0 || !at.Drift && fell > limit {
			break
		}
		if first = at; last == nil {
			last = at
		}
	}
	return first, last
}
