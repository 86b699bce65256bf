package scores

import (
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
)

// withoutRepeats leaves out trials that say again what another one of their
// configuration and seed says, an earlier one or one that says more: the same run
// twice is not two runs.
func withoutRepeats(trials []*Trial) []*Trial {
	byRun := map[string][]*Trial{}
	dropped := map[*Trial]bool{}
	for _, t := range trials {
		seed := results.Config(t.Config).Run()
		if seed == "" {
			continue
		}
		run := words.Joined([]string{Identity(t), seed})
		if slices.ContainsFunc(byRun[run], t.repeats) {
			dropped[t] = true
			continue
		}
		byRun[run] = slices.DeleteFunc(byRun[run], func(other *Trial) bool {
			dropped[other] = dropped[other] || other.repeats(t)
			return dropped[other]
		})
		byRun[run] = append(byRun[run], t)
	}
	trials = slices.DeleteFunc(trials, func(t *Trial) bool { return dropped[t] })
	for i, t := range trials {
		t.index = i
	}
	return trials
}

// repeats reports whether every value of a trial is one of another trial's, of what is
// known to be the same.
func (t *Trial) repeats(other *Trial) bool {
	if !t.identified || !other.identified || !t.Finished() || !other.Finished() {
		return false
	}
	for at, values := range t.Scores {
		if its, both := other.Scores[at]; !both || !values.equal(its) {
			return false
		}
	}
	return true
}

// setApart tells trials apart that are no runs of one system: of one configuration and
// one seed, they have other values where the same was measured, or do not record what
// their values are of. The trials of each experiment then stand for themselves, or each
// trial where it is within one.
func setApart(all []*Trial) {
	alike := map[string][]*Trial{}
	for _, t := range all {
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
// have any, or values of what may be different.
func (t *Trial) contradicts(other *Trial) bool {
	if seed := results.Config(t.Config).Run(); seed == "" || seed != results.Config(other.Config).Run() {
		return false
	}
	for at, values := range t.Scores {
		if its, both := other.Scores[at]; both && (!t.identified || !other.identified || !values.equal(its)) {
			return true
		}
	}
	return false
}

// equal reports whether two lists of values are the same, bit for bit.
func (s Values) equal(other Values) bool {
	return slices.Equal(s.Queries, other.Queries) && slices.EqualFunc(s.Values, other.Values, func(a, b float64) bool {
		return a == b || math.IsNaN(a) && math.IsNaN(b)
	})
}
