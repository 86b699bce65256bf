package gate

import (
	"fmt"

	"infbench/reports/diff"
)

// Shift is a step or a drift that a history names: a number went from one level to another
// between two commits.
type Shift struct {
	System, Number string // as PastValue has them
	From, To       string // the last commit of the level before, and the first of that after
	Drift          bool   // there are commits between them
	Before, After  float64
}

// judgeDrift judges a number whose last change came to an outcome that does not fail, in the
// words of change: it fails if many such changes took it further than the rule allows, as
// the history names them, and it is still there.
func (j *hearing) judgeDrift(r *Rule, s *diff.Shift, limit float64, outcome Outcome, change string) (Outcome, string) {
	from, to := j.decline(r, s, limit)
	if from == nil || r.below(from.Before, to.After) <= limit+slack || r.below(from.Before, s.After.Value) <= limit+slack {
		return outcome, change
	}
	change += fmt.Sprintf("; but since commit %s it went from %s to %s, a %s of %s, more than %s, in changes that are each too small to fail: %s and %s", from.From,
		shown(s.Measure, from.Before), shown(s.Measure, s.After.Value), r.fall(), shown(s.Measure, r.below(from.Before, s.After.Value)), shown(s.Measure, limit), Large, Real)
	a := j.acceptance(s, from.Before)
	if a == nil || a.To == nil || !a.Over(j.Now) && r.below(*a.To, s.After.Value) > limit+writtenSlack {
		return Failed, change
	}
	return j.agreed(a, Failed, change)
}

// decline finds the first and the last of the changes for the worse that a history ends
// with, as far back as each was one that a rule allows at once: a drift, or a step within
// the limit. Both are nil where it ends with none.
func (j *hearing) decline(r *Rule, s *diff.Shift, limit float64) (first, last *Shift) {
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
