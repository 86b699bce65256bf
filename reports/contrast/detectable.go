package contrast

import (
	"slices"

	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// Chance is the share of cases in which the smallest detectable difference is found.
const Chance = 0.8

// Detectable is the smallest true difference between two systems that a test at level
// alpha finds in Chance of cases, with as many queries and training runs as they have.
// It follows from how much the values of queries and of seeds vary, never from the
// difference that they show (stats.Difference). It is undefined where the two have no
// two queries in common, or where seeds vary and one side has one run only.
func Detectable(a, b *scores.System, c scores.Number, alpha float64) stats.Number {
	runsOfA, runsOfB := valuers(a, c), valuers(b, c)
	if len(runsOfA) == 0 || len(runsOfB) == 0 {
		return stats.Number{}
	}
	runs, whole := align(slices.Concat(runsOfA, runsOfB), c.Slots())
	if !whole {
		return stats.Number{}
	}
	for _, values := range runs.values {
		weigh(values, runs.sizes)
	}
	d, err := stats.SplitDifference(runs.values[:len(runsOfA)], runs.values[len(runsOfA):])
	if err != nil {
		return stats.Number{} // one query
	}
	return d.Smallest(d.Seeds, d.Topics, Chance, alpha)
}

// valuers are the runs of a system that have values of every task.
func valuers(s *scores.System, c scores.Number) []valuer {
	var out []valuer
	for _, t := range s.Trials {
		if !slices.ContainsFunc(c.Slots(), func(at scores.Slot) bool { _, has := t.Scores[at]; return !has }) {
			out = append(out, valuesOf(t))
		}
	}
	return out
}
