package scores

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Values holds the values of one trial and slot by ascending query ID; NaN is an undefined
// value.
type Values struct {
	Queries   []string
	Values    []float64
	Aggregate bool // the only value is a mean without per-query values
}

// Mean returns the mean of the defined values and their number.
func (s Values) Mean() (mean float64, defined int) {
	sum, defined := s.sum()
	return sum / float64(max(defined, 1)), defined
}

// sum returns the sum of the defined values and their number.
func (s Values) sum() (sum float64, defined int) {
	for _, v := range s.Values {
		if !math.IsNaN(v) {
			sum += v
			defined++
		}
	}
	return sum, defined
}

// Defined returns the defined values with their queries. If all are defined, it returns
// the lists themselves. They must not be changed.
func (s Values) Defined() (queries []string, values []float64) {
	if !slices.ContainsFunc(s.Values, math.IsNaN) {
		return s.Queries, s.Values
	}
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			queries, values = append(queries, s.Queries[i]), append(values, v)
		}
	}
	return queries, values
}

// sort sorts the values by query, so that sums do not depend on the order of a file. It
// returns an error for a query with two values.
func (s Values) sort() error {
	if ascending(s.Queries) {
		return nil
	}
	order := make([]int, len(s.Queries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Queries[i], s.Queries[j]) })
	queries, values := slices.Clone(s.Queries), slices.Clone(s.Values)
	for to, from := range order {
		s.Queries[to], s.Values[to] = queries[from], values[from]
		if to > 0 && s.Queries[to] == s.Queries[to-1] {
			return fmt.Errorf("query %q has two values", s.Queries[to])
		}
	}
	return nil
}

// ascending reports whether each text is greater than the one before it.
func ascending(texts []string) bool {
	for i := 1; i < len(texts); i++ {
		if texts[i] <= texts[i-1] {
			return false
		}
	}
	return true
}
