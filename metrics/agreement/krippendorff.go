package agreement

import (
	"errors"
	"slices"

	"infbench/internal/nearest"
	"infbench/metrics/stats"
)

// Scale is the level of measurement of the labels in Krippendorff's alpha.
type Scale int

const (
	Nominal  Scale = iota // equal or not
	Ordinal               // ordered: the distance of labels is the number of ratings between them
	Interval              // numbers: squared difference
)

// scaleNames are the names of the scales, in order.
var scaleNames = [...]string{"nominal", "ordinal", "interval"}

// String returns the name that ParseScale accepts.
func (s Scale) String() string { return scaleNames[s] }

// ParseScale returns the scale called "nominal", "ordinal" or "interval".
func ParseScale(name string) (Scale, error) {
	for i, n := range scaleNames {
		if n == name {
			return Scale(i), nil
		}
	}
	return 0, nearest.Unknown("scale", name, scaleNames[:])
}

// ErrNotNumbers reports an interval scale with labels that are not all numbers.
var ErrNotNumbers = errors.New("labels are not all numbers, which an interval scale needs")

// Krippendorff returns Krippendorff's alpha = 1 − D_o/D_e over the items with at least 2
// ratings, with the percentile bootstrap interval over those items (Zapf et al. 2016).
// Observed and Expected are 1 minus the disagreements, each divided by the largest possible
// one. Agrees with Krippendorff (2011), Computing Krippendorff's alpha-reliability.
func Krippendorff(r *Ratings, scale Scale, b stats.Bootstrap) (Agreement, error) {
	values, ok := r.Values()
	if scale == Interval && !ok {
		return Agreement{}, ErrNotNumbers
	}
	items := slices.DeleteFunc(slices.Clone(r.Items), func(item []int) bool { return rated(item) < 2 })
	of := func(sample [][]int) Agreement { return krippendorffAlpha(sample, len(r.Labels), scale, values) }
	a := of(items)
	a.Interval = bootstrapped(a, items, b, of)
	return a, nil
}

// rated returns the number of ratings of an item.
func rated(item []int) int {
	count := 0
	for _, label := range item {
		if label != Missing {
			count++
		}
	}
	return count
}

// krippendorffAlpha takes items of at least 2 ratings each.
func krippendorffAlpha(items [][]int, labels int, scale Scale, values []float64) Agreement {
	if len(items) == 0 {
		return Agreement{}
	}
	pairs, totals := coincidences(items, labels)
	distance := scale.distances(totals, values)
	var all, widest, observed, expected float64
	for c, t := range totals {
		all += t
		for d := range totals {
			if t > 0 && totals[d] > 0 {
				widest = max(widest, distance[c*labels+d])
			}
			observed += pairs[c*labels+d] * distance[c*labels+d]
			expected += t * totals[d] * distance[c*labels+d]
		}
	}
	if widest == 0 { // one label only
		return newAgreement(len(items), 1, 1)
	}
	return newAgreement(len(items), 1-observed/(all*widest), 1-expected/(all*(all-1)*widest))
}

// coincidences counts the ordered pairs of labels within items, and the total of each label.
// The pairs of an item together weigh as much as its number of ratings.
func coincidences(items [][]int, labels int) (pairs, totals []float64) {
	pairs, totals = make([]float64, labels*labels), make([]float64, labels)
	for _, item := range items {
		weight := 1 / float64(rated(item)-1)
		for i, c := range item {
			if c == Missing {
				continue
			}
			totals[c]++
			for j, d := range item {
				if i != j && d != Missing {
					pairs[c*labels+d] += weight
				}
			}
		}
	}
	return pairs, totals
}

// distances returns the squared difference between any two labels, [c·labels+d].
func (s Scale) distances(totals, values []float64) []float64 {
	k := len(totals)
	distance := make([]float64, k*k)
	for c := range k {
		between := totals[c] / 2 // ratings from the middle of c to the middle of d
		for d := c + 1; d < k; d++ {
			between += totals[d] / 2
			var v float64
			switch s {
			case Nominal:
				v = 1
			case Ordinal:
				v = between * between
			case Interval:
				v = (values[c] - values[d]) * (values[c] - values[d])
			}
			distance[c*k+d], distance[d*k+c] = v, v
			between += totals[d] / 2
		}
	}
	return distance
}
