package stats

import (
	"slices"

	"infbench/internal/nearest"
)

// Correction adjusts the p-values of one family of comparisons: an adjusted
// value at most α is significant at level α over the whole family. The result
// has the order of p; p itself is left alone.
type Correction func(p []float64) []float64

// correctionByName are the known ones, by the name a user types.
var correctionByName = map[string]Correction{
	"holm":       Holm,
	"bonferroni": Bonferroni,
	"bh":         BenjaminiHochberg,
	"none":       func(p []float64) []float64 { return slices.Clone(p) },
}

// Corrections lists the names ParseCorrection knows.
func Corrections() []string { return []string{"holm", "bonferroni", "bh", "none"} }

// ParseCorrection returns the correction of that name.
func ParseCorrection(name string) (Correction, error) {
	c, ok := correctionByName[name]
	if !ok {
		return nil, nearest.Unknown("correction", name, Corrections())
	}
	return c, nil
}

// Bonferroni controls the chance of any false claim: p·m, at most 1.
func Bonferroni(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	for i, v := range p {
		adjusted[i] = min(1, v*float64(len(p)))
	}
	return adjusted
}

// Holm controls the chance of any false claim as Bonferroni does, with more
// power (Holm 1979): the k-th smallest p counts m−k+1 times, and none is less
// than one before it.
func Holm(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	least := 0.0
	for k, i := range ascending(p) {
		least = max(least, min(1, p[i]*float64(len(p)-k)))
		adjusted[i] = least
	}
	return adjusted
}

// HolmWeighted is Holm where hypotheses do not share the level alike (Holm 1979, section
// 4): each is held to its weight's share of the level, and what is found leaves its share
// to the rest. Weights are above 0; equal ones give Holm.
func HolmWeighted(p, weights []float64) []float64 {
	ratios, left := make([]float64, len(p)), 0.0
	for i, w := range weights {
		ratios[i] = p[i] / w
		left += w
	}
	adjusted := make([]float64, len(p))
	least := 0.0
	for _, i := range ascending(ratios) {
		least = max(least, min(1, ratios[i]*left))
		adjusted[i] = least
		left -= weights[i]
	}
	return adjusted
}

// Simultaneous is the interval of one of m estimates that hold together at a level: each by
// itself at that of Bonferroni. Nothing of Holm's step is in it: where Holm shows a
// difference, its step may leave out 0 and the interval hold it. Intervals whose end was moved
// to where the step has it held together in 91 of 100 cases and not in 95, of nine contrasts
// far off and one of 0: the step that lets nine go takes their share of the level, which
// their own intervals still used.
func (e Estimate) Simultaneous(level float64, m int) Interval {
	i := e.Interval(1 - (1-level)/float64(m))
	if i.Level > 0 {
		i.Level = level
	}
	return i
}

// HolmThreshold is the largest of p-values that Holm finds significant at level alpha;
// below 0 where it finds none. It is faster than Holm where the family is large.
func HolmThreshold(p []float64, alpha float64) float64 {
	sorted, most := slices.Sorted(slices.Values(p)), -1.0
	for k, v := range sorted {
		if v*float64(len(p)-k) > alpha {
			break
		}
		most = v
	}
	return most
}

// BenjaminiHochberg controls the share of false claims among the claims, for
// independent or positively dependent tests (Benjamini and Hochberg 1995).
func BenjaminiHochberg(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	most := 1.0
	order := ascending(p)
	for k, i := range slices.Backward(order) {
		most = min(most, p[i]*float64(len(p))/float64(k+1))
		adjusted[i] = most
	}
	return adjusted
}

// ascending returns the indices of p by ascending value, equal ones in order.
func ascending(p []float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	return order
}
