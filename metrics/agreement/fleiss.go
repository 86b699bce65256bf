package agreement

import (
	"slices"

	"infbench/metrics/stats"
)

// Fleiss returns Fleiss' (1971) kappa over the items that every rater rated,
// with the percentile bootstrap interval over items. Labels are nominal. It is
// undefined for fewer than 2 raters. Agrees with statsmodels' fleiss_kappa.
func Fleiss(r *Ratings, b stats.Bootstrap) Agreement {
	items := slices.DeleteFunc(slices.Clone(r.Items), func(item []int) bool { return slices.Contains(item, Missing) })
	if len(r.Raters) < 2 {
		return Agreement{N: len(items)}
	}
	a := fleissKappa(items, len(r.Labels))
	a.Interval = bootstrapped(a, items, b, func(sample [][]int) Agreement { return fleissKappa(sample, len(r.Labels)) })
	return a
}

// fleissKappa takes complete items of at least 2 ratings each.
func fleissKappa(items [][]int, labels int) Agreement {
	if len(items) == 0 {
		return Agreement{}
	}
	total := make([]float64, labels) // ratings with each label
	var agreeing float64             // ordered pairs of ratings that give one item the same label
	counts := make([]float64, labels)
	for _, item := range items {
		clear(counts)
		for _, label := range item {
			agreeing += 2 * counts[label]
			counts[label]++
			total[label]++
		}
	}
	n, raters := float64(len(items)), float64(len(items[0]))
	var expected float64
	for _, t := range total {
		expected += t / (n * raters) * t / (n * raters)
	}
	return newAgreement(len(items), agreeing/(n*raters*(raters-1)), expected)
}

// bootstrapped bootstraps a coefficient over items; it is undefined where a is.
func bootstrapped(a Agreement, items [][]int, b stats.Bootstrap, of func(sample [][]int) Agreement) stats.Interval {
	if _, ok := a.Value.Get(); !ok {
		return stats.Interval{}
	}
	sample := make([][]int, len(items))
	return b.Percentile(len(items), func(index []int) (float64, bool) {
		for i, j := range index {
			sample[i] = items[j]
		}
		return of(sample).Value.Get()
	})
}
