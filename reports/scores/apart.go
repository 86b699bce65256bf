package scores

import (
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
)

// withoutRepeats drops trials whose values repeat those of another trial with their
// configuration and seed. It keeps the earlier one, or the one with more values. The same
// run twice is not two runs.
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

// repeats reports whether another trial has every value of t, if weights and data are
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

// setApart separates trials that cannot be runs of one system. These have one
// configuration and seed, but different values for the same slot, or no record of weights
// and data. The trials of each experiment then form their own system, or each trial does
// if the conflict is within one experiment.
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

// contradicts reports whether two trials with one seed have different values in a slot, or
// values whose weights and data may differ.
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

// equal reports whether two lists of values are bitwise equal.
func (s Values) equal(other Values) bool {
	return slices.Equal(s.Queries, other.Queries) && slices.EqualFunc(s.Values, other.Values, func(a, b float64) bool {
		return a == b || math.IsNaN(a) && math.IsNaN(b)
	})
}
