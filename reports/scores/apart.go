package scores

import (
	"slices"

	"infbench/bench/results"
	"infbench/reports/words"
)

// dropRepeats leaves out trials that say again what an earlier one of their
// configuration and seed says: the same run twice is not two runs.
func (v *Set) dropRepeats() {
	var kept []*Trial
	byRun := map[string][]*Trial{}
	for _, t := range v.Trials {
		run := words.Joined([]string{Identity(t), t.Config[results.Seed]})
		if t.Config[results.Seed] != "" && slices.ContainsFunc(byRun[run], t.repeats) {
			continue
		}
		byRun[run] = append(byRun[run], t)
		t.index = len(kept)
		kept = append(kept, t)
	}
	v.Trials = kept
}

// repeats reports whether every value of a trial is one of another trial's.
func (t *Trial) repeats(other *Trial) bool {
	for at, values := range t.Scores {
		if its, both := other.Scores[at]; !both || !values.equal(its) {
			return false
		}
	}
	return t.Finished() && other.Finished()
}

// setApart tells trials apart that are no runs of one system: of one configuration and
// one seed, they have other values where the same was measured. What made the
// difference is not recorded, so the trials of each experiment stand for themselves, or
// each trial where it is within one.
func (v *Set) setApart() {
	alike := map[string][]*Trial{}
	for _, t := range v.Trials {
		alike[Identity(t)] = append(alike[Identity(t)], t)
	}
	for _, trials := range alike {
		apart, within := false, false
		for i, t := range trials {
			for _, other := range trials[:i] {
				if t.contradicts(other) {
					apart, within = true, within || t.Experiment == other.Experiment
				}
			}
		}
		for _, t := range trials {
			switch {
			case within:
				t.apart = words.Shorten(t.ID)
			case apart:
				t.apart = t.Experiment
			}
		}
	}
}

// contradicts reports whether two trials of one seed have different values where both
// have any.
func (t *Trial) contradicts(other *Trial) bool {
	if seed := t.Config[results.Seed]; seed == "" || seed != other.Config[results.Seed] {
		return false
	}
	for at, values := range t.Scores {
		if its, both := other.Scores[at]; both && !values.equal(its) {
			return true
		}
	}
	return false
}

// equal reports whether two lists of values are the same, bit for bit.
func (s Values) equal(other Values) bool {
	return slices.Equal(s.Queries, other.Queries) && slices.EqualFunc(s.Values, other.Values, func(a, b *float64) bool {
		return (a == nil) == (b == nil) && (a == nil || *a == *b)
	})
}
